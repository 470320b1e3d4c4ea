// Verbs use these functions in their order: from words to a plan to a run.
#pragma once

#include "plan.h"
#include "policy/keys.h"
#include "profile.h"
#include "run/steps.h"

struct front;
struct run;

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
	unsigned earlier_tries;
	struct front *front;
	const char *handback; // file in which sbx-shell gives its directory to the agent, or NULL
	void (*result_more)(struct out *out);
	// Called after a run, with the box sealed. Returns sbx's exit status. `ending` is NULL if
	// the run did not begin.
	int (*after)(struct box *box, const struct ending *ending, int status);
};

struct box *box_new(void);

// Fails with ERR_HELP for --help. Sets invocation.command.
int box_read(struct box *box, enum verb verb, char **words);

// Accepts options before and after actions and names. `ret_names`: the other words.
int box_read_mixed(struct box *box, enum verb verb, char **words, char ***ret_names);

// Sets a key as if its flag came before all others.
void box_set_first(struct box *box, const char *section, const char *name, const char *value);

// `string` and `rest` are the words of sh -c. NULL: an interactive shell.
void box_use_shell(struct box *box, const char *string, char **rest);

int box_decide(struct box *box);

int box_plan(struct box *box);

// Returns sbx's exit status. A command killed by a signal ends sbx by the same signal.
int run_command(struct box *box);

// Runs without a report, for doctor. Call it after box_decide().
struct outcome run_try(struct box *box, struct run *run);

// Checks, in a child process, what killed runs left in the project.
int run_settle(const char *project);

enum { STATUS_OK = 0, STATUS_FAILURE = 125, STATUS_HELP = -1 };

// Prints the recorded error. Returns 125, or STATUS_HELP.
int box_failed(void);
// Like box_failed(). If `words` have --json, prints an object on stdout, too.
int box_refused(const struct box *box, char *const *words);
int box_done(struct out *out, int result);
