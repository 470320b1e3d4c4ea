// The verbs: one row per verb, one file per verb.
//
// The room cli owns the verbs that need no folder, and the table of all. Uses: ask boxes
// base bpf git limits names net/host nouns policy postcheck/finding probe process report run
// seccomp text. Begin with verbs.c.
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

// The words of each action of sbx session, in the order of cli/session/session_verb.c.
enum { SESSION_ACTIONS = 14 };
extern const char *const session_usages[SESSION_ACTIONS];

struct box;
struct out;

typedef int verb_function(char **words);

// Each takes the words after the verb, and returns sbx's exit status.
#define VERB_FUNCTION(NAME, name) int verb_##name(char **words);
VERBS(VERB_FUNCTION)
// What the last run of the project reported, of those that reported something; the number of lines.
unsigned audit_last(struct box *box, struct out *out);

// sbx-shell: the whole argv after argv[0].
int verb_sbx_shell(char **words);

// --help, made from the tables.

// Prints what one verb takes to stdout, a screen of it or all. Returns sbx's exit status.
int help_verb(enum verb verb, enum help_wish wish);
// The first screen of sbx: a run's main options and the main verbs, in 24 lines of 80 columns.
int help_first(void);
// All verbs.
int help_all(void);

// What could stand where a shell's cursor is.

// The files of completions/, by shell.
struct shell_file {
	const char *name, *text;
};
extern const struct shell_file shell_files[];
extern const unsigned shell_file_count;
int complete_shell(char **words);

// `words`: those behind `sbx`, the last one begun or "". `verbs`: by rows of verbs.h.
int complete_words(char **words, verb_function *const *verbs);
