// The run as one table. Each process walks its side.
//
// The room run owns the order of a run, its plan and its supervisor. Uses: base apart ask boxes bpf
// env git keys limits mount names net/host net/setup notify nouns outside policy postcheck
// postcheck/finding probe process report seccomp session/apply sshagent trees view view/paths
// view/protect. Begin with steps.c.
#pragma once

#include <stdbool.h>

#include "report/summary.h"

struct arena;
struct arguments;
struct probe;
struct run;

enum side { SIDE_HOST, SIDE_BOX };
enum tiers { FULL, LANDLOCK, BOTH };

struct step {
	enum side side;
	enum tiers tiers;
	const char *name;
	int (*go)(const struct plan *plan, struct run *run);
	int (*undo)(const struct plan *plan,
		    struct run *run); // host side, in reverse order; may be NULL
	// Only until `go`: these steps write the plan. Then it is read-only.
	int (*make)(struct plan *plan, struct run *run);
	bool lost_without_namespaces; // a machine without namespaces fails here: tier landlock may
				      // do
	const char *why;
};

extern const struct step steps[];
extern const int step_count;

// Walks one side of the table: times each step, undoes in reverse.

bool walk_has_step(const struct plan *plan, const struct step *step);

// Host side: -1 with run->message naming the step, and all steps undone. Box side: does not return.
int walk_host(struct plan *plan, struct run *run);
void walk_undo(const struct plan *plan, struct run *run);

// Profile and probe -> plan. Pure but for reading the file system.

const char *decide_home(struct arena *arena, char *const *environment);
const char *decide_config_directory(struct arena *arena, char *const *environment);
const char *decide_state_directory(struct arena *arena, char *const *environment);

void decide_places(struct plan *plan, char *const *environment);

// First half: merges profiles and flags, and decides what the clone needs. `plan` and `profile` are
// zeroed, in the arena.
int decide_profile(struct arena *arena, const struct invocation *invocation,
		   const struct arguments *arguments, char *const *environment,
		   struct profile *profile, struct plan *plan);

int decide_view(struct plan *plan, char *const *environment);

// Steps of the second half. Meanwhile pid 1 prepares what needs no plan.
int reader_host(const struct plan *plan, struct run *run);
int reader_undo(const struct plan *plan, struct run *run);
int decide_host(struct plan *plan, struct run *run);
int decide_go(struct plan *plan, struct run *run);
int decide_child(const struct plan *plan, struct run *run);

void program_absent(const struct plan *plan, struct findings *found);

// The box ran another program of that name than the caller's PATH finds first.
void program_other(const struct plan *plan, struct findings *found);

// A command that failed runs a program that needs rights, like sudo, or an absent socket.
void program_needs(const struct plan *plan, struct findings *found);

// For each withheld variable that leads to a program outside.
void program_withheld(const struct plan *plan, struct findings *found);
// For each search path or file that a variable names and the box lacks.
void program_names(const struct plan *plan, struct findings *found);

// Directories of `list` (of PATH, or NULL) in the home that the box lacks. Appends three, each
// after a blank, then "and more". Returns how many there are.
unsigned program_unseen(const struct plan *plan, const char *list, struct out *out);

// The signals that reach the supervisor: read from a descriptor, never handled.

int signals_host(const struct plan *plan, struct run *run);
// With --die-with-parent. -1: the parent has ended, or is in another pid namespace.
int signals_parent_host(const struct plan *plan, struct run *run);
int signals_parent_undo(const struct plan *plan, struct run *run);
void signals_handle(const struct run *run);
// A shell with job control must see its child stop, but the watcher of a box never stops. So the
// first stop forks: the copy watches on, and the first process only stops, continues and ends as
// the shell expects. Returns in the watcher; at once where no shell waits.
int signals_stop(struct run *run);
void signals_die(int number);
void signals_restore(const struct run *run);

// Releases the caller's descriptors, so that a pipe ends when the command closes it.

// Opens /dev/null early, where a failure does no harm.
int standard_io_host(const struct plan *plan, struct run *run);
int standard_io_undo(const struct plan *plan, struct run *run);

// Replaces stdin and stdout by /dev/null, and closes --keep-fd. Only once the box stands: another
// try needs them.
int standard_io_release(const struct plan *plan, struct run *run);
// In the background: closes all but 0, 1, 2 and the given ones. standard_io_started(): notifies the
// waiting caller, once.
int standard_io_alone(const struct plan *plan);
void standard_io_started(const struct plan *plan, const struct run *run);

// The next pipe that `text` names as /dev/fd/N or /proc/self/fd/N, as a shell's <(...), also in
// "--config=<(...)", not behind a space. Moves `text` on. -1: none.
int standard_io_named(const char **text);

// The host side while the box lives: signals, stops, the wall clock, the end.

struct outcome supervise(struct plan *plan, struct run *run, int walked);

// Messages of the box's pid 1.
enum run_turn { GOES_ON, ENDED };

enum run_turn box_messages_take(const struct plan *plan, struct run *run, struct outcome *outcome);

// The host side failed (err_text()): ends a box that has begun.
enum run_turn run_broken(struct run *run, struct outcome *outcome);

// The report: empty after success, else what failed and its fix.

// Returns the command's status, 124 at the time limit, 125 when sbx failed, 126 and 127 when the
// command could not start.
int report_outcome(const struct plan *plan, const struct run *run, struct outcome *outcome);

// `result`: of live_say(), with its errno. If not all was written, status 0 becomes 125.
int report_written(const struct plan *plan, int result, int status);

void report_timing(const struct plan *plan, const struct run *run, struct patience *patience);

// The run's record (boxes/record.h).

// A run without a record goes on; record_note() reports it.
int record_host(const struct plan *plan, struct run *run);
int record_undo(const struct plan *plan, struct run *run);
void record_turn(struct run *run, const struct denials *denials);
bool record_is_killed(const struct run *run);
// `end`: of record_ends[], from RECORD_EXIT on.
void record_finish(struct run *run, const char *end, int status);
void record_drop(struct run *run);
// Finding: `sbx ps` or `sbx allow` could not find the run.
void record_note(const struct run *run, struct findings *found);

// The state of a run before its first step.

void run_init(struct run *run, char *const *arguments, char *const *environment);

// After a killed supervisor: before the next run's first step, and at the end of a run beside it.

// Reports on stderr. Does not change the plan.
void due_check(const struct plan *plan, struct run *run);
