// The verbs: one row per verb, one file per verb.
//
// The room cli owns the verbs that need no folder, and the table of all. Uses: ask, boxes, base,
// bpf, git, limits, names, net/host, net/setup, nouns, policy, postcheck/acts, probe, process,
// report, run, seccomp, text. Begin with verbs.c.
#pragma once

#include "policy/keys.h"
#include "profile.h"

struct verb_row {
	const char *name;
	const char *synopsis, *help;
	const char *examples; // lines, or NULL
	const char *actions;  // words that may follow, or NULL
};
extern const struct verb_row verb_rows[VERB_ROWS];

// The arguments of each action, in the order of cli/session/session_verb.c.
enum { SESSION_ACTIONS = 14 };
extern const char *const session_usages[SESSION_ACTIONS];

struct box;
struct out;

typedef int verb_function(char **words);

// Takes the words after the verb. Returns sbx's exit status.
#define VERB_FUNCTION(NAME, name) int verb_##name(char **words);
VERBS(VERB_FUNCTION)
// Prints the project's newest report that is not empty. Returns the number of its lines.
unsigned audit_last(struct box *box, struct out *out);

// Takes argv after argv[0].
int verb_sbx_shell(char **words);

// Prints the help of a verb, one screen or all. Returns sbx's exit status.
int help_verb(enum verb verb, enum help_wish wish);
// Prints a run's main options and the main verbs, in 24 lines of 80 columns.
int help_first(void);
int help_all(void);

// Files of completions/, by shell.
struct shell_file {
	const char *name, *text;
};
extern const struct shell_file shell_files[];
extern const unsigned shell_file_count;
int complete_shell(char **words);

// `words` are all words after `sbx`. The last is incomplete, or "". `verbs` has the order of
// verb_rows.
int complete_words(char **words, verb_function *const *verbs);
