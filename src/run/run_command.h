// What the verbs share: words -> plan -> run.
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
	const char *handback; // sbx-shell: a file for the agent, or NULL
	void (*result_more)(struct out *out);
	// After a run, with the box sealed; returns sbx's exit status. `ending` is NULL if the run
	// did not begin.
	int (*after)(struct box *box, const struct ending *ending, int status);
};

struct box *box_new(void);

// ERR_HELP: help was asked for. Sets invocation.command.
int box_read(struct box *box, enum verb verb, char **words);

// Options may stand before and behind actions and names. `ret_names`: the rest.
int box_read_mixed(struct box *box, enum verb verb, char **words, char ***ret_names);

// Sets a key as if it preceded all flags.
void box_set_first(struct box *box, const char *section, const char *name, const char *value);

// `string`: of -c, with the words `rest`; NULL: an interactive shell.
void box_use_shell(struct box *box, const char *string, char **rest);

int box_decide(struct box *box);

int box_plan(struct box *box);

// Returns sbx's exit status. A command killed by a signal ends sbx by the same signal.
int run_command(struct box *box);

// Without a report, for doctor. Call after box_decide().
struct outcome run_try(struct box *box, struct run *run);

// In a child process: checks what killed runs left in the project.
int run_settle(const char *project);

enum { STATUS_OK = 0, STATUS_FAILURE = 125, STATUS_HELP = -1 };

// Prints the recorded error. Returns 125, or STATUS_HELP.
int box_failed(void);
// As box_failed(); with --json among `words` an object on stdout.
int box_refused(const struct box *box, char *const *words);
int box_done(struct out *out, int result);
