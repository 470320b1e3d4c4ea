// The run as one table. Each process walks its side.
//
// The room run owns the order of a run, its plan and its supervisor. Uses: base, apart, ask, boxes,
// bpf, env, git, secrets/host, limits, mount, names, net/host, net/setup, notify, nouns, outside,
// policy, postcheck, postcheck/acts, probe, process, report, seccomp, session/apply, sshagent,
// trees, view, view/paths, view/protect. Begin with steps.c.
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
		    struct run *run); // on the host side, in reverse order; may be NULL
	// Replaces `go` in steps that write the plan. The step named "go" seals it.
	int (*make)(struct plan *plan, struct run *run);
	bool lost_without_namespaces; // fails on a machine without namespaces, where tier landlock
				      // may work
	const char *why;
};

extern const struct step steps[];
extern const int step_count;

bool walk_has_step(const struct plan *plan, const struct step *step);

// Returns -1 on the host side if a step failed: run->message names it, and all steps are undone.
// Does not return in the box.
int walk_host(struct plan *plan, struct run *run);
void walk_undo(const struct plan *plan, struct run *run);

const char *decide_home(struct arena *arena, char *const *environment);
const char *decide_config_directory(struct arena *arena, char *const *environment);
const char *decide_state_directory(struct arena *arena, char *const *environment);

void decide_places(struct plan *plan, char *const *environment);

// Makes the first half of the plan: merges profiles and flags, and decides what the clone needs.
// `plan` and `profile` must be zeroed, and in the arena.
int decide_profile(struct arena *arena, const struct invocation *invocation,
		   const struct arguments *arguments, char *const *environment,
		   struct profile *profile, struct plan *plan);

int decide_view(struct plan *plan, char *const *environment);

// Steps of the second half of the plan. Meanwhile pid 1 prepares what needs no plan.
int reader_host(const struct plan *plan, struct run *run);
int reader_undo(const struct plan *plan, struct run *run);
int decide_host(struct plan *plan, struct run *run);
int decide_go(struct plan *plan, struct run *run);
int decide_child(const struct plan *plan, struct run *run);

void program_absent(const struct plan *plan, struct findings *found);

// Reports that the box ran another program than the caller's PATH finds first.
void program_other(const struct plan *plan, struct findings *found);

// Reports that the failed command runs sudo or the like without rights, or docker or podman without
// socket.
void program_needs(const struct plan *plan, struct findings *found);

// Reports each withheld variable that names a program outside the box.
void program_withheld(const struct plan *plan, struct findings *found);
// Reports each search path or file that a variable names and the box lacks.
void program_names(const struct plan *plan, struct findings *found);

// Appends up to three directories of `list` (a PATH, or NULL) in the home that the box lacks, each
// after a blank, then "and more". Returns the number of all.
unsigned program_unseen(const struct plan *plan, const char *list, struct out *out);

int signals_host(const struct plan *plan, struct run *run);
// Watches the parent for --die-with-parent. Fails if it has ended, or is in another pid namespace.
int signals_parent_host(const struct plan *plan, struct run *run);
int signals_parent_undo(const struct plan *plan, struct run *run);
void signals_handle(const struct run *run);
// A shell with job control must see its child stop while the supervisor goes on. At the first stop
// sbx forks: the child is the supervisor, the parent stops, continues and ends for the shell.
// Returns in the supervisor.
int signals_stop(struct run *run);
void signals_die(int number);
void signals_restore(const struct run *run);

// Releases the caller's descriptors: a pipe must end when the command closes it.

// Opens /dev/null early, where a failure does no harm.
int standard_io_host(const struct plan *plan, struct run *run);
int standard_io_undo(const struct plan *plan, struct run *run);

// Replaces stdin and stdout by /dev/null, and closes --keep-fd. Call it when the box is made:
// another try would need the old descriptors.
int standard_io_release(const struct plan *plan, struct run *run);
// For a background run, closes all but 0, 1, 2 and the given ones. standard_io_started() notifies
// the waiting caller, once.
int standard_io_alone(const struct plan *plan);
void standard_io_started(const struct plan *plan, const struct run *run);

// Returns the next pipe that `text` names before a blank as /dev/fd/N or /proc/self/fd/N, the
// shell's <(...). Advances `text`. Returns -1 if there is none.
int standard_io_named(const char **text);

struct outcome supervise(struct plan *plan, struct run *run, int walked);

enum run_turn { GOES_ON, ENDED };

enum run_turn box_messages_take(const struct plan *plan, struct run *run, struct outcome *outcome);

// Ends a box that has begun, after a failure of the host side (err_text()).
enum run_turn run_broken(struct run *run, struct outcome *outcome);

// Returns the command's status, 124 at the time limit, 125 when sbx failed, 126 and 127 when the
// command could not start.
int report_outcome(const struct plan *plan, const struct run *run, struct outcome *outcome);

// `result` and errno are from terminal_lines_say(). If not all was written, status 0 becomes 125.
int report_written(const struct plan *plan, int result, int status);

void report_timing(const struct plan *plan, const struct run *run, struct patience *patience);

// Makes the record. A failure ends only a background run; record_note() reports others.
int record_host(const struct plan *plan, struct run *run);
int record_undo(const struct plan *plan, struct run *run);
void record_turn(struct run *run, const struct denials *denials);
bool record_is_killed(const struct run *run);
// `end` is a word of record_ends[], from RECORD_EXIT on.
void record_finish(struct run *run, const char *end, int status);
void record_drop(struct run *run);
// Adds a finding if `sbx ps` or `sbx allow` cannot find the run.
void record_note(const struct run *run, struct findings *found);

void run_init(struct run *run, char *const *arguments, char *const *environment);

// Checks what a killed supervisor left: before the next run's first step, and at the end of a
// concurrent run.

// Reports on stderr.
void due_check(const struct plan *plan, struct run *run);
