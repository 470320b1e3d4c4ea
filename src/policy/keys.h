// The table of keys. A row is an INI key, its flag, help, completion, manual entry and field.
//
// The room policy owns the way from text to a profile: INI files, arguments, trust, groups. Uses:
// apart, base, nouns, text. Begin with keys.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "profile.h"

struct arena;

enum key_kind {
	KEY_LIST, // an empty value empties the list
	KEY_TEXT,
	KEY_WORD,
	KEY_SIZE,       // with a unit, or "unlimited"
	KEY_TIME,       // with a unit, or "unlimited"
	KEY_COUNT,      // or "unlimited"
	KEY_MEMORY,     // a size, or a share of the machine's: 75%
	KEY_PROCESSORS, // "2", "1.5", or "unlimited"; stored as thousandths
	KEY_SWITCH,
};

enum key_form {
	FORM_TEXT,
	FORM_PATH,    // /x, ~/x, ./x, $VAR/x, each also with '?' in front
	FORM_TMPFS,   // a path, and options (text/words.h)
	FORM_PATTERN, // a path, '*' in its last name, or **/NAME
	FORM_HIDDEN,  // a pattern, not the root
	FORM_NAME,    // name of a file in small letters, may have '*'
	FORM_DEVICE,  // NAME or /dev/NAME, also with '?' in front
	FORM_PROFILE,
	FORM_SESSION,
	FORM_LANGUAGE,
	FORM_VARIABLE, // NAME, or a pattern with '*'
	FORM_ASSIGNMENT,
	FORM_DESCRIPTOR,
	FORM_WORD, // checked when the plan is made
	FORM_HOSTNAME,
	FORM_DESTINATION, // text/destination.h, or @GROUP
	FORM_RULE,        // a destination, also with /tcp or /ech
	FORM_PORT,
	FORM_PUBLISH,  // PORT[:HOST-PORT|:auto]
	FORM_BUDGET,   // [DESTINATION ]SIZE
	FORM_UPSTREAM, // http://[user:password@]host[:port], or "none"
};

// What a project's file may do before the user has trusted it.
enum tightens {
	TIGHTENS_NEVER,
	TIGHTENS_ALWAYS, // each item takes something away
	TIGHTENS_LESS,   // a smaller number, an earlier word
	TIGHTENS_MORE,   // a later word
};

// Each verb has a bit, a row in cli/verbs.c and a function.
// clang-format off
#define VERBS(V) \
	V(RUN, run) V(SHELL, shell) V(PLAN, plan) V(PROFILE, profile) V(DOCTOR, doctor) \
	V(QUARANTINE, quarantine) V(AUDIT, audit) V(ALLOW, allow) V(DENY, deny) \
	V(PUBLISH, publish) V(SESSION, session) V(AGENT, agent) V(WHY, why) V(LEARN, learn) \
	V(CODE, code) V(CACHE, cache) V(PS, ps) V(STOP, stop) V(KILL, kill) V(WAIT, wait) \
	V(LOGS, logs) V(EXEC, exec) V(ATTACH, attach) V(MCP, mcp) V(BACKEND, backend)
// clang-format on
enum verb_row_index {
#define VERB_ROW(NAME, name) ROW_##NAME,
	VERBS(VERB_ROW) VERB_ROWS
};
enum verb {
#define VERB_BIT(NAME, name) VERB_##NAME = 1 << ROW_##NAME,
	VERBS(VERB_BIT)
};
enum {
	VERBS_BOX =
		VERB_RUN | VERB_SHELL | VERB_PLAN | VERB_WHY | VERB_LEARN | VERB_CODE | VERB_MCP,
	VERBS_ALL = (1 << VERB_ROWS) - 1
};

struct key {
	const char *section, *name; // section NULL: command line only
	const char *flag;           // NULL: only in profiles
	char letter;
	enum key_kind kind;
	enum key_form form;
	const char *const *words; // KEY_WORD: in the order of the enum
	const char *value;
	size_t offset;
	uint64_t low, high;
	uint64_t soft; // LIMIT_BIT: '?' in front makes the limit best effort
	enum tightens tightens;
	unsigned verbs; // that accept the flag
	const char *help;
	const char *brief; // on the first screen of help; else NULL
};

extern const struct key keys[];
extern const unsigned key_count;
extern const char *const project_words[], *const network_words[]; // NULL-terminated

struct section {
	const char *name, *help;
};
extern const struct section sections[];
extern const unsigned section_count;

const struct key *key_find(const char *section, const char *name);
const struct key *key_find_flag(enum verb verb, const char *flag, size_t length);
// Returns the only flag that begins with `flag`, or NULL.
const struct key *key_begun_flag(enum verb verb, const char *flag, size_t length);
const struct key *key_find_letter(enum verb verb, char letter);

const char *key_suggest(const char *section, const char *name);
const char *key_suggest_flag(enum verb verb, const char *flag);
const char *key_suggest_section(const char *name);

enum unit value_unit(const struct key *key);

int value_set(const struct key *key, void *object, struct arena *arena, const char *text,
	      struct origin from);

struct ini_row {
	unsigned line;
	const char *section, *name, *value;
};

// Offsets into a text. Pointers would be relocated at each start, page by page.
struct ini_stored {
	unsigned line, section, name, value;
};

struct ini_rows {
	const struct ini_stored *stored;
	unsigned count;
	const char *text;
};

static inline struct ini_row ini_at(const struct ini_rows *rows, unsigned i)
{
	const struct ini_stored *stored = &rows->stored[i];
	return (struct ini_row){ stored->line, rows->text + stored->section,
				 rows->text + stored->name, rows->text + stored->value };
}
// Returns the last value of a key, or NULL.
const char *ini_value(const struct ini_rows *rows, const char *section, const char *name);

enum { INI_BYTES_MAX = 256 * 1024, INI_LINE_MAX = 198 };

// `file` is for messages. `text` ends with a NUL. Refuses NUL, characters that act on a terminal
// (str_letter()), CR, a byte order mark, keys before any section, and long lines, whose tail
// libinih reads as a new line.
int ini_read(struct arena *arena, const char *file, const char *text, size_t length,
	     struct ini_rows *ret_rows);

bool ini_is_word(const char *text);

struct argument {
	const struct key *key;
	const char *value;
};

struct arguments {
	struct argument *set;
	unsigned count;
	char **rest; // the first word that is no option, and all after it
	char **all;
};

// Options end at "--", or at the first word without '-'. `argv` ends with NULL.
int argv_read(struct arena *arena, enum verb verb, char **argv, struct invocation *invocation,
	      struct arguments *ret_arguments);

// Words of other tools that people type, with what to write instead (foreign.def).

// Returns NULL if the word is unknown. Options have their dashes, but no value: "--rm", "-v".
// FOREIGN_SAME: returns the flag of sbx for the word.
enum foreign_kind { FOREIGN_OPTION, FOREIGN_SAME, FOREIGN_VERB, FOREIGN_PROFILE, FOREIGN_ACTION };
const char *foreign_answer(enum foreign_kind kind, unsigned verbs, const char *word, size_t length);
