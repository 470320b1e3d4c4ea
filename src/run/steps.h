// The run as one table: both processes walk it, each its own side.
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
	enum tiers tiers; // that have this step
	const char *name; // in messages, --timing and the man page
	int (*go)(const struct plan *plan, struct run *run);
	int (*undo)(const struct plan *plan, struct run *run); // host side, backwards; may be NULL
	// In the place of `go`, where the plan is made. After the last of these it is read-only.
	int (*make)(struct plan *plan, struct run *run);
	bool lost_without_namespaces; // where the machine has none: tier landlock may do
	const char *why;              // what it is for, and why it stands here
};

extern const struct step steps[];
extern const int step_count;

// Walks one side of the steps table: times each, names the one that failed, undoes backwards.

// Whether the plan's tier has this step.
bool walk_has_step(const struct plan *plan, const struct step *step);

// Host side: 0, or -1 with run->message naming the step; all steps are undone by then.
// Box side: does not return; a failure is sent to the host and ends the process.
int walk_host(struct plan *plan, struct run *run);
void walk_undo(const struct plan *plan, struct run *run);

// Profile and probe -> plan. Pure but for reading the file system.

// The home, and the directories of sbx's files, from the caller's environment.
const char *decide_home(struct arena *arena, char *const *environment);
const char *decide_config_directory(struct arena *arena, char *const *environment);
const char *decide_state_directory(struct arena *arena, char *const *environment);

// Who calls, from where: home, sbx's own directories, the project there would be.
void decide_places(struct plan *plan, char *const *environment);

// First half: merges the profiles, takes the flags, and decides what the clone needs to know.
// `plan` and `profile` are zeroed and lie in the arena.
int decide_profile(struct arena *arena, const struct invocation *invocation,
		   const struct arguments *arguments, char *const *environment,
		   struct profile *profile, struct plan *plan);

// Second half: all the rest, by looking at the file system.
int decide_view(struct plan *plan, char *const *environment);

// The second half as a step: the box's pid 1 prepares what needs no plan meanwhile and waits.
int reader_host(const struct plan *plan, struct run *run);
int reader_undo(const struct plan *plan, struct run *run);
int decide_host(struct plan *plan, struct run *run);
int decide_go(struct plan *plan, struct run *run);
int decide_child(const struct plan *plan, struct run *run);

// The program of a command as the caller has it outside, beside what the box has.

// Why the box did not find it: one finding, with the fix.
void program_absent(const struct plan *plan, struct findings *found);

// A finding when the box ran another program of that name than the caller's PATH finds first.
void program_other(const struct plan *plan, struct findings *found);

// A finding when a command that failed runs a program that gives rights, like sudo, which none can
// in a box, or that talks to a daemon whose socket the box has not.
void program_needs(const struct plan *plan, struct findings *found);

// A finding for each variable of the caller that leads to a program outside and was withheld.
void program_withheld(const struct plan *plan, struct findings *found);
// The same: search paths and files that a variable names and the box lacks, and search paths that
// were withheld.
void program_names(const struct plan *plan, struct findings *found);

// Directories where the caller finds programs and the box does not: appends those of `list`, a
// value of PATH, that lie in the home, exist, and are not in the box, each after a blank, and "and
// more" after the third. Returns how many there are; `list` may be NULL.
unsigned program_unseen(const struct plan *plan, const char *list, struct out *out);

// The signals that reach the supervisor: read from a descriptor, never handled.

// A step: blocks all signals, and opens the descriptor to read them from.
int signals_host(const struct plan *plan, struct run *run);
// A step: with --die-with-parent, what tells of the end of the process that started us. -1 when it
// has ended, or is in another pid namespace.
int signals_parent_host(const struct plan *plan, struct run *run);
int signals_parent_undo(const struct plan *plan, struct run *run);
// Hands on to the box what came, at most SIGNALS_A_TURN of them.
void signals_handle(const struct run *run);
// The command has stopped. A shell with job control gets its prompt back when the process stops
// that it has started; what watches a box never stops. So at the first stop the run continues in a
// copy of this process, and the first one only stops, continues and ends as the shell expects.
// Returns in the process that watches; where no shell waits, at once.
int signals_stop(struct run *run);
// Ends by the signal that the command ended by.
void signals_die(int number);
// Signals as the caller had them: before another run is tried.
void signals_again(const struct run *run);

// The supervisor lets the caller's descriptors go: a pipe ends when the command's end of it is
// closed.

// A step: opens /dev/null, which may fail, while the box has not begun.
int standard_io_host(const struct plan *plan, struct run *run);
int standard_io_undo(const struct plan *plan, struct run *run);

// Puts it in the place of stdin and stdout, and closes what --keep-fd names. Not before the box
// stands: one that fails is made anew, or in a lower tier, and that one needs them.
int standard_io_release(const struct plan *plan, struct run *run);
// A run in the background holds nothing of its caller's but 0, 1, 2 and what it was given; and who
// waits for it is notified, once.
int standard_io_alone(const struct plan *plan);
void standard_io_started(const struct plan *plan, const struct run *run);

// The next pipe that a text names as /dev/fd/N or /proc/self/fd/N, as <(...) of a shell does, also
// in "--config=<(...)", and not behind a space; `text` goes on behind it. -1: none.
int standard_io_named(const char **text);

// The host side while the box lives: signals, stops, the wall clock, the end.

// Waits for the end of the box and undoes every step. `walked`: what walk_host() returned.
struct outcome supervise(struct plan *plan, struct run *run, int walked);

// What the box's pid 1 says.
enum run_turn { GOES_ON, ENDED };

// Reads one message and does what follows from it; `outcome` says how the run has ended.
enum run_turn box_messages_take(const struct plan *plan, struct run *run, struct outcome *outcome);

// Ends a box that has begun, because the host side failed: err_text() says at what.
enum run_turn run_broken(struct run *run, struct outcome *outcome);

// The report: nothing when all went well, else one line that says what and how to fix it.

// Prints to stderr what must be said and returns sbx's exit status: the command's own, 124 at the
// time limit, 125 when sbx failed, 126 and 127 when the command could not be started.
int report_outcome(const struct plan *plan, const struct run *run, struct outcome *outcome);

// The status to end with after the last words: `result` is that of live_say(), with its errno.
// Where not all was written the audit says so, and a command's 0 becomes 125.
int report_written(const struct plan *plan, int result, int status);

// --timing: one line per step, to stderr.
void report_timing(const struct plan *plan, const struct run *run, struct patience *patience);

// The record of the run (boxes/record.h), by which other processes of the caller's find it.

// The step, and its undo: the box has ended, and is not listed any more. A run that cannot be noted
// goes on, and says so at its end: record_note().
int record_host(const struct plan *plan, struct run *run);
int record_undo(const struct plan *plan, struct run *run);
// In each turn of the loop; writes only when there are more.
void record_turn(struct run *run, const struct denials *denials);
// Whether sbx kill or sbx stop has ended the box.
bool record_is_killed(const struct run *run);
// For those who wait for the run: `end` is one of record_ends[] from RECORD_EXIT on. The last: what
// nobody reads later goes.
void record_finish(struct run *run, const char *end, int status);
// The same of a run that nobody waits for: of one that does not take place.
void record_drop(struct run *run);
// That sbx ps, or sbx allow, could not find it.
void record_note(const struct run *run, struct findings *found);

// The state of a run before its first step.

// All is zero but the descriptors, which are -1.
void run_init(struct run *run, char *const *arguments, char *const *environment);

// The check after a run of this project whose supervisor was killed: before anything else of the
// next, and at the end of one that lived beside it.

// Reports on standard error what it did. Nothing of it changes the plan.
void due_check(const struct plan *plan, const struct run *run);
