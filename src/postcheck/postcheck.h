// The check of the host's files after a box is dead.
//
// The room postcheck owns the check after a run: what changed that the host executes or trusts.
// Uses: base, apart, boxes, git, names, net/setup, nouns, postcheck/acts, postcheck/git, report,
// text, trees, view/paths. Begin with postcheck.c.
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

enum { SHORT_RUN_MILLISECONDS = 100 };
// Reads git's index, while the new box is busy.
void check_prepare(const struct plan *plan, struct run *run);
// Records the start, right before the command begins.
void check_begin(struct plan *plan, struct run *run);
// Merges git's configurations, quarantines new protected names, and reports changed names that the
// host will run.
void check_host(const struct plan *plan, struct run *run, struct findings *found);
// After a failed command: reports names that git perhaps could not write.
void check_refused(const struct plan *plan, struct findings *found);

// Calls `look` in a child with the caller's full rights (owned_override()). With `plan` the child
// writes only where the box could, beside copied configurations, and in the state directory. False:
// it failed, or took longer than the run and `patience`.
bool apart_run(const struct plan *plan, const struct run *run, int64_t patience,
	       void (*look)(void *argument), void *argument, struct findings *found);
// Returns milliseconds; few for a killed run (`due`): the next one waits.
int64_t check_patience(const struct plan *plan, bool due);

// Adds to the plan's places files that hooks, .envrc and git's configuration name.
void commands_plan(struct plan *plan);

// Returns when the plan's command started; zero: unknown.
struct timespec clock_start(const struct plan *plan);
// Waits until new file times are later than plan->start. `fd`: a file of sbx for an exact time, or
// -1.
void clock_pass(struct plan *plan, int fd);
// Returns nanoseconds that separate the file times of earlier and later writes (before Linux 6.13,
// up to a tick off). `fd`: as above.
int64_t clock_over(int fd);

// Reports a new or changed symlink `name` whose target was hidden from the box.
void links_look(const struct check *check, int directory, const char *name, const char *path);

// After a failed command: reports links out of the box, but none to hidden or the home's dot files.
void links_out(const struct plan *plan, struct findings *found);

// Compares the plan's places (protected directories) with their state at the start.

void places_look(struct check *check);
// Whether this process lacks rights to a protected directory.
bool places_are_shut(const struct plan *plan);
// Opens the parent directory; follows no link.
int places_above(const char *path);

// Returns the command's directory relative to `tree`, or "" outside of it.
const char *scan_directory(const struct plan *plan, const char *tree);
// Reads the directories of git's index.
void scan_prepare(const struct plan *plan, struct run *run);
// Whether scan_trees() would find nothing.
bool scan_is_quiet(struct check *check, const struct run *run);
// Removes new hooks, and reduces new configurations to harmless keys.
void scan_trees(struct check *check, const struct run *run);

// The watch during a longer run. The final check finds the same later.

// LOOK_MILLISECONDS: the shortest time between two checks.
enum { WATCHES_MAX = 256, TAKEN_MAX = 256, LOOK_MILLISECONDS = 50 };

struct watch {
	struct living living;
	unsigned takes; // names quarantined in this turn
	int names;      // signalfd of the notices
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
		bool replaced; // by the host: the box could write the new file
	} *walls;              // indexed like plan->mounts
	int mounts;
	pid_t keeper;
	struct watched_place {
		struct timespec changed;
		bool deeper; // check subdirectories, too
	} *places;
	struct swept {
		struct share share;   // directories of git's index
		struct arena *arena;  // owner of `share`, or NULL
		uint64_t *seen;       // by directory: the inode that was checked; 0: none yet
		bool on;              // names may come back: tests make and remove repositories
		unsigned at;          // next index in `share`
		bool all;             // a whole sweep, also without notices
		int64_t next;         // begin of the next whole sweep: ms, steady clock
		int64_t processor;    // CPU time at this sweep's begin
		int64_t since, began; // begin of the last whole sweep, of this one: ns
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
// Returns the descriptor to poll, or -1.
int watch_waiting(const struct watch *watch);
void watch_directory(struct watch *watch, int directory);
// Opens the parent directory. Watches the deepest existing one on the way. Returns -1 with errno.
int watch_open(struct watch *watch, const char *path);
void places_watch(struct check *check, struct watch *watch);
// Watches writes to files next to `path`.
void watch_writes(struct watch *watch, const char *path);
// Counts a quarantined name. Ends the run when one returns eight times in ten seconds.
void watch_count(struct watch *watch, const struct check *check, const char *path);
// Checks new repositories in the index's directories, which include submodules. Continues where the
// last turn ended.
void watch_sweep(struct watch *watch, struct check *check, const struct run *run);
void watch_rest(struct watch *watch, int64_t began);
// Whether the mount protects a host path from the box.
bool watch_is_wall(const struct mount *mount);

// Begins the watch. A timer calls it: short runs need none.
void walls_begin(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found);
void walls_end(struct watch *watch);
void walls_names(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found);
// Reports restored mounts, and checks the files that were writable without them.
void walls_answer(struct watch *watch, const struct plan *plan, struct findings *found);
void check_replaced(const struct check *check, const struct mount *mount);
// Removes unsafe keys from a git configuration that lost its mount. False: it had none.
bool copy_look(struct check *check, const struct copy *copy);

// Records of the boxes in a tree, with its state at the start. A record is removed after the check.
// The next run checks after a killed one.

void journal_begin(const struct plan *plan, struct run *run);
// Whether another box lived in one of the trees during the run.
bool journal_beside(const struct plan *plan, const struct run *run);
void journal_end(const struct plan *plan, struct run *run);
void journal_report(const struct run *run, struct findings *found);

// Killed runs of a tree, locked until journal_done(). `plan` has the first run's listings.
enum { DUE_MAX = 64 };
struct due {
	int boxes, fds[DUE_MAX];
	const char *links, *files[DUE_MAX];
	unsigned count;
	int64_t from; // start of the first run: nanoseconds
	struct plan plan;
};
// Collects killed runs; false: none. Removes records of runs that began no command, and of another
// directory with this path.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due);
// Without `checked` later runs check again.
void journal_done(struct due *due, bool checked);
