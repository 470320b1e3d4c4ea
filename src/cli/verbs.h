// The verbs: one row per verb, one file per verb.
//
// The room cli owns the verbs that need no folder, and the table of all. Uses: ask boxes
// base bpf git limits names net/host nouns policy postcheck/finding probe process report run
// seccomp text. Begin with verbs.c.
#pragma once

#include "policy/keys.h"
#include "profile.h"

enum verb_row_index {
	ROW_RUN,
	ROW_SHELL,
	ROW_PLAN,
	ROW_PROFILE,
	ROW_DOCTOR,
	ROW_QUARANTINE,
	ROW_AUDIT,
	ROW_ALLOW,
	ROW_DENY,
	ROW_PUBLISH,
	ROW_SESSION,
	ROW_AGENT,
	ROW_WHY,
	ROW_LEARN,
	ROW_CODE,
	ROW_CACHE,
	ROW_PS,
	ROW_STOP,
	ROW_KILL,
	ROW_WAIT,
	ROW_LOGS,
	ROW_EXEC,
	ROW_ATTACH,
	VERB_ROWS,
};

struct verb_row {
	const char *name;
	const char *synopsis, *help;
	const char *examples; // lines, or NULL
	const char *actions;  // words that may follow, or NULL
};
extern const struct verb_row verb_rows[VERB_ROWS];
extern const unsigned verb_row_count;

// The words of each action of sbx session, in the order of cli/session/session_verb.c.
enum { SESSION_ACTIONS = 14 };
extern const char *const session_usages[SESSION_ACTIONS];

struct box;
struct out;

typedef int verb_function(char **words);

// Each takes the words after the verb, and returns sbx's exit status.
int verb_run(char **words);
int verb_shell(char **words);
int verb_plan(char **words);
int verb_profile(char **words);
int verb_doctor(char **words);
int verb_quarantine(char **words);
int verb_audit(char **words);
// What the last run of the project reported, of those that reported something; the number of lines.
unsigned audit_last(struct box *box, struct out *out);
int verb_allow(char **words);
int verb_publish(char **words);
int verb_deny(char **words);
int verb_session(char **words);
int verb_agent(char **words);
int verb_why(char **words);
int verb_learn(char **words);
int verb_code(char **words);
int verb_cache(char **words);
int verb_ps(char **words);
int verb_stop(char **words);
int verb_kill(char **words);
int verb_wait(char **words);
int verb_logs(char **words);
int verb_exec(char **words);
int verb_attach(char **words);

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
