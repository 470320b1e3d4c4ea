// The look at the host's files when the last process of a box is dead.
//
// The room postcheck owns the check after a run: what changed that the host executes or trusts.
// Uses: base apart boxes git names net/setup nouns postcheck/finding postcheck/git report text
// trees view/paths. Begin with check.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "plan.h"
#include "postcheck/finding/finding.h"
#include "trees/git_list.h"

struct arena;
struct check;
struct copy;
struct findings;
struct mount;
struct place;
struct plan;
struct run;
struct searched;

// Merges git's configurations, moves away what appeared under protected names, and reports that and
// the changed names that the host will run later. New
// repositories are looked for in all that was writable as a whole.
enum { SHORT_RUN_MILLISECONDS = 100 };
// What the look needs, and what does not change: while the box has work, and we have none.
void check_prepare(const struct plan *plan, struct run *run);
// Right before the command begins: writes the run's file.
void check_begin(struct plan *plan, struct run *run);
void check_host(const struct plan *plan, struct run *run, struct findings *found);
// After it, of a command that failed: names that may have been refused to git.
void check_refused(const struct plan *plan, struct findings *found);

// A look at the caller's files that the box cannot keep out by their modes.

// Runs `look` in a process that may read and change all files of the caller's (owned_override()).
// What it adds to the findings comes back. False when it did not come to its end, or not within
// `patience` and the time that the run took: it is killed then. With a plan that
// process is locked (CONFINED_CHECK), and has a reader: it changes files where the plan's box could
// write, beside the configurations that the box has copies of, and in the state directory.
bool apart_run(const struct plan *plan, const struct run *run, int64_t patience,
	       void (*look)(void *argument), void *argument, struct findings *found);
// Milliseconds for a check. One that is `due` makes each later run wait until it has finished.
int64_t check_patience(const struct plan *plan, bool due);

// Files of the project that a standing hook, .envrc or a command of git's configuration names. Such
// a file is the project's own, and reported when a run changed it: it is a name of a place.
void commands_plan(struct plan *plan);

// A run's start by the clock that files are stamped with.

// When the command of a plan began; zero where nobody knows.
struct timespec clock_start(const struct plan *plan);
// Waits until no file can be stamped with a time before plan->start any more: a file stamped
// before the command began and what it stamps differ, however short the time between. `fd`: a file
// of sbx, for an exact time, or -1.
void clock_pass(struct plan *plan, int fd);
// Now, in nanoseconds: no file was stamped with a later time, and none will be with an earlier one
// (before Linux 6.13 for a tick). `fd`: as above.
int64_t clock_over(int fd);

// Symlinks that lead to what the box could not see.

// Of those that a run made or changed: reports `name` in `directory`, a symlink at `path`, when it
// is one: a program of the host that writes or reads through it gets further than the box did. By
// its text; nothing is followed.
void links_look(const struct check *check, int directory, const char *name, const char *path);

// After a command that failed: a finding for each link of the user's at the top of the project, or
// in the current directory, to what exists and is not in the box, but for private places.
void links_out(const struct plan *plan, struct findings *found);

// The places of a plan, compared with what stood in them (plan.h).

// When the run has ended: takes away, looks through and reports what came or changed.
void places_look(struct check *check);
// Whether this process may not see, or not change, all that is there.
bool places_are_shut(const struct plan *plan);
// The directory of a name, opened without following a link.
int places_above(const char *path);

// Repositories that a run made anywhere below a directory that was writable as a whole.

// While the box has work: the directories of git's index as it was when the command began.
void scan_prepare(const struct plan *plan, struct run *run);
// Whether nothing that is checked has changed, so that a sweep would find nothing.
bool scan_is_quiet(struct check *check, const struct run *run);
// Walks what the plan names. New hooks are taken away, new configurations cut to harmless keys.
void scan_trees(struct check *check, const struct run *run);

// The eyes on the project while a longer run goes on. What they see first is only undone sooner:
// the final look (check.h) finds it as well.

// A look takes place so many milliseconds after the last, at the earliest.
enum { WATCHES_MAX = 256, TAKEN_MAX = 256, LOOK_MILLISECONDS = 50 };

struct watch {
	struct living living;
	unsigned takes; // of names in this turn
	int names;      // of signals: a directory with protected names was changed
	struct watched_name {
		ino_t inode;
		dev_t device;
		int fd;
	} directories[WATCHES_MAX]; // that give notice
	unsigned directory_count;
	bool polls; // there is one without notice
	struct wall {
		ino_t inode;
		dev_t device;
		struct timespec changed;
		bool replaced; // by the host: the box could write to the new file
	} *walls;              // by mount of the plan: on what it was seen last
	int mounts;            // the socket of who puts them back
	pid_t keeper;          // which that is
	struct watched_place {
		struct timespec changed; // ctime when it was listed last
		bool deeper;             // names count in a directory that came there
	} *places;                       // by place of the plan
	int64_t next;  // before that nobody looks; milliseconds of the steady clock
	int64_t again; // when to look without an event, 0: never
	struct taken_name {
		uint64_t name;
		int64_t when;
	} taken[TAKEN_MAX]; // the names that were moved away last
	int pidfd;          // of the box
};

// Notices of the names, below the walls.
void watch_begin(struct watch *watch, const struct plan *plan, const struct run *run);
void watch_end(struct watch *watch);
// Takes the notices. False: it is too early for the next look, which is noted.
bool watch_is_time(struct watch *watch);
// Where notices are waited for now, or -1.
int watch_waiting(const struct watch *watch);
// From now on an open directory gives notice.
void watch_directory(struct watch *watch, int directory);
// Opens the directory of a name, or is -1 with errno: the last one on the way that is there gives
// notice.
int watch_open(struct watch *watch, const char *path);
// Takes away what came.
void places_watch(struct check *check, struct watch *watch);
// From now on writes to files beside it give notice, too.
void watch_writes(struct watch *watch, const char *path);
// A name that was taken away: one that comes back eight times in ten seconds ends the run.
void watch_count(struct watch *watch, const struct check *check, const char *path);
// After a look.
void watch_rest(struct watch *watch, int64_t began);
// A mount that keeps something of the host from the box.
bool watch_is_wall(const struct mount *mount);

// Walls, and names. From a timer, never at the start: short runs do not pay for it.
void walls_begin(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found);
void walls_end(struct watch *watch);
void walls_names(struct watch *watch, const struct plan *plan, struct findings *found);
// Reports walls that were put back, and checks the files that a box could write without them.
void walls_answer(struct watch *watch, const struct plan *plan, struct findings *found);
// The host has replaced it: said once.
void check_replaced(const struct check *check, const struct mount *mount);
// Takes out of a configuration what the box could have written into it while it had no wall.
// Whether there was something.
bool copy_look(struct check *check, const struct copy *copy);

// Which boxes run in a tree, and what stood there at the start: in the record of each run, written
// before its command starts and removed after its check, so that what a killed run left is checked
// by the next one.

// Before the command starts: the places and walls of the plan. A failure is reported at the end.
void journal_begin(const struct plan *plan, struct run *run);
// Whether another box lived in one of the trees at the same time.
bool journal_beside(const struct plan *plan, const struct run *run);
// After the check.
void journal_end(const struct plan *plan, struct run *run);
// What could not be written, once.
void journal_report(const struct run *run, struct findings *found);

// Runs of a tree that were killed, at most so many at once: the places as they were when the first
// of them began, and since when. Others leave them alone until journal_done().
enum { DUE_MAX = 64 };
struct due {
	int boxes, fds[DUE_MAX];
	const char *links, *files[DUE_MAX]; // that lead to their records
	unsigned count;
	int64_t from;     // nanoseconds of the files' clock
	struct plan plan; // what the run's file says of it
};
// False when there is none. A run that was killed before its command began, or in another directory
// of that name, is removed.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due);
// Those that were not checked to the end stay due.
void journal_done(struct due *due, bool checked);
