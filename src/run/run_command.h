// What the verbs share: words -> plan -> run.
#pragma once

#include "plan.h"
#include "policy/keys.h"
#include "profile.h"
#include "run/steps.h"

struct front;
struct run;

// How a run ended, for those who come after.
struct ending {
	const struct denials *denials;
	const struct usage *usage;
	struct outcome *outcome;
};

struct box {
	struct arena *arena;
	struct invocation invocation;
	struct arguments arguments;
	struct profile profile;
	struct plan plan;
	unsigned tries;       // before this one
	struct front *front;  // what reads the output (report/front.h); NULL: nothing
	const char *handback; // sbx-shell: a file that the agent reads afterwards
	// Adds members to the JSON object of the result; NULL: none.
	void (*result_more)(struct out *out);
	// After a run: returns the status to end with. The box is sealed by then. NULL: nothing.
	// `ending` is NULL when the run did not begin.
	int (*after)(struct box *box, const struct ending *ending, int status);
};

// A zeroed box in a new arena.
struct box *box_new(void);

// Reads the options of a verb; fails with ERR_HELP where they ask for help. invocation.command is
// set to the words after them.
int box_read(struct box *box, enum verb verb, char **words);

// The same for verbs of actions and names: options may stand before and behind these, as people
// write them. `ret_names` is what is left.
int box_read_mixed(struct box *box, enum verb verb, char **words, char ***ret_names);

// A key of the profile, as if it stood before all flags.
void box_set_first(struct box *box, const char *section, const char *name, const char *value);

// Sets the command to the caller's shell: with -c STRING and the words left, or interactive.
void box_use_shell(struct box *box, const char *string, char **rest);

// The first half of the plan: profiles, flags, what the clone needs to know.
int box_decide(struct box *box);

// Both halves of the plan, for those who only look at it.
int box_plan(struct box *box);

// Decides the first half, clones, decides the rest meanwhile, and runs the command. Returns sbx's
// exit status; a command killed by a signal ends sbx by the same signal.
int run_command(struct box *box);

// The run itself, without words; for doctor, after the first half of the plan.
struct outcome run_try(struct box *box, struct run *run);

// Checks what killed runs left in that project, by a run of nothing in a child process.
int run_settle(const char *project);

enum { STATUS_OK = 0, STATUS_FAILURE = 125, STATUS_HELP = -1 };

// Prints the recorded error and returns 125; STATUS_HELP where the words ask for help.
int box_failed(void);
// The same of a verb with these words, and with --json among them as an object on stdout.
int box_refused(const struct box *box, char *const *words);
// The end of a verb that prints `out` where `result` is not -1.
int box_done(struct out *out, int result);
