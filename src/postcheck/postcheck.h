// The check of the host's files after the last process of a box is dead.
//
// The room postcheck owns the check after a run: what changed that the host executes or trusts.
// Uses: base apart boxes git names net/setup nouns postcheck/acts postcheck/git report text
// trees view/paths. Begin with postcheck.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "plan.h"
#include "postcheck/acts/check.h"
#include "trees/trees.h"

struct arena;
struct check;
struct copy;
struct findings;
struct mount;
struct place;
struct plan;
struct run;
struct tree;

// Merges git's configurations, quarantines new files with protected names, and reports both, and
// changed names that the host will run.
enum { SHORT_RUN_MILLISECONDS = 100 };
// Call it while the box is busy.
void check_prepare(const struct plan *plan, struct run *run);
// Call it right before the command begins.
void check_begin(struct plan *plan, struct run *run);
void check_host(const struct plan *plan, struct run *run, struct findings *found);
// After a failed command: reports names that git may have been refused.
void check_refused(const struct plan *plan, struct findings *found);

// Calls the function in a process that may read and change all files of the caller
// (owned_override()). With a plan it writes only where the box could, in directories of copied
// configurations, and in the state directory. False: it was killed after `patience` plus the run's
// time.
bool apart_run(const struct plan *plan, const struct run *run, int64_t patience,
	       void (*look)(void *argument), void *argument, struct findings *found);
// In milliseconds. Later runs wait for a `due` check.
int64_t check_patience(const struct plan *plan, bool due);

// Adds files that a user's hook, .envrc or git configuration names.
void commands_plan(struct plan *plan);

// The begin of the plan's command; zero: unknown.
struct timespec clock_start(const struct plan *plan);
// Waits until new file times are later than plan->start. `fd`: a file of sbx for an exact time, or
// -1.
void clock_pass(struct plan *plan, int fd);
// Returns the time in nanoseconds. Earlier files have no later time, and later files no earlier
// one (before Linux 6.13 for a tick). `fd`: as above.
int64_t clock_over(int fd);

// Reports a new or changed symlink `name` whose target was hidden from the box.
void links_look(const struct check *check, int directory, const char *name, const char *path);

// After a failed command: reports the user's links that lead out of the box, except to private
// places.
void links_out(const struct plan *plan, struct findings *found);

// Compares the plan's places with their state at the start (plan.h).

void places_look(struct check *check);
// Whether this process lacks rights to some places.
bool places_are_shut(const struct plan *plan);
// Opens the parent directory without following a link.
int places_above(const char *path);

// Reads the directories of git's index. Call it while the box is busy.
void scan_prepare(const struct plan *plan, struct run *run);
// Whether a sweep would find nothing.
bool scan_is_quiet(struct check *check, const struct run *run);
// Removes new hooks, and reduces new configurations to harmless keys.
void scan_trees(struct check *check, const struct run *run);

// The watch during a longer run. The final check finds the same later.

// LOOK_MILLISECONDS: the shortest time between two checks.
enum { WATCHES_MAX = 256, TAKEN_MAX = 256, LOOK_MILLISECONDS = 50 };

struct watch {
	struct living living;
	unsigned takes; // names moved in this turn
	int names;      // descriptor of the notices
	struct watched_name {
		ino_t inode;
		dev_t device;
		int fd;
	} directories[WATCHES_MAX];
	unsigned directory_count;
	bool polls; // a directory gives no notice
	struct wall_state {
		ino_t inode;
		dev_t device;
		struct timespec changed;
		bool replaced; // by the host: the box could write to the new file
	} *walls;              // by mount of the plan, at the last check
	int mounts;
	pid_t keeper;
	struct watched_place {
		struct timespec changed;
		bool deeper; // names count in a new directory
	} *places;
	struct swept {
		struct share share;   // of git's index now, and at the start
		struct arena *arena;  // of a share that was read anew, or NULL
		unsigned char *holds; // by its directory: a repository that the box made
		unsigned at;          // the next directory
		bool all;             // not only directories with notices
		int64_t next;         // of all: milliseconds of the steady clock
		int64_t processor;    // its time when this sweep began
		int64_t since, began; // the last whole sweep, this one: nanoseconds
	} swept;
	int64_t next;  // earliest next check, in milliseconds of the steady clock
	int64_t again; // next check without an event, or 0
	struct taken_name {
		uint64_t name;
		int64_t when;
	} taken[TAKEN_MAX];
	int pidfd;
};

void watch_begin(struct watch *watch, const struct plan *plan, const struct run *run);
void watch_end(struct watch *watch);
// Reads the notices. False: it is too early for the next check.
bool watch_is_time(struct watch *watch);
// Descriptor to poll, or -1.
int watch_waiting(const struct watch *watch);
void watch_directory(struct watch *watch, int directory);
// Opens the parent directory, and watches the last existing one on the way. Returns -1 with errno.
int watch_open(struct watch *watch, const char *path);
void places_watch(struct check *check, struct watch *watch);
// Watches writes to files next to `path`.
void watch_writes(struct watch *watch, const char *path);
// Ends the run when a name returns eight times in ten seconds.
void watch_count(struct watch *watch, const struct check *check, const char *path);
// Checks new repositories in the directories of git's index, also in those of submodules: git in
// the directories above enters them. Begins where the last turn's time ended.
void watch_sweep(struct watch *watch, struct check *check, const struct run *run);
void watch_rest(struct watch *watch, int64_t began);
// Whether the mount hides a host path from the box.
bool watch_is_wall(const struct mount *mount);

// A timer calls it: short runs take no time.
void walls_begin(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found);
void walls_end(struct watch *watch);
void walls_names(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found);
// Reports restored walls, and checks the files that were open without them.
void walls_answer(struct watch *watch, const struct plan *plan, struct findings *found);
void check_replaced(const struct check *check, const struct mount *mount);
// Removes what the box could write to an uncovered configuration. Returns whether there was any.
bool copy_look(struct check *check, const struct copy *copy);

// Records of the boxes in a tree, with its state at the start. A run's record is removed after its
// check: the next run checks after a killed one.

void journal_begin(const struct plan *plan, struct run *run);
// Whether another box lived in one of the trees meanwhile.
bool journal_beside(const struct plan *plan, const struct run *run);
void journal_end(const struct plan *plan, struct run *run);
void journal_report(const struct run *run, struct findings *found);

// Killed runs of a tree, with the places as the first run found them. Other runs skip them until
// journal_done().
enum { DUE_MAX = 64 };
struct due {
	int boxes, fds[DUE_MAX];
	const char *links, *files[DUE_MAX];
	unsigned count;
	int64_t from; // nanoseconds
	struct plan plan;
};
// False: there is none. Removes runs whose command never began, and runs of another directory with
// the same name.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due);
// Unchecked runs stay due.
void journal_done(struct due *due, bool checked);
