// THE table: one row is an INI key, its flag, its help, its completion, its man entry, its field.
//
// The room policy owns the way from text to a profile: INI files, arguments, trust, groups. Uses:
// base nouns text. Begin with keys.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "profile.h"

struct arena;

enum key_kind {
	KEY_LIST, // each value is one more item; an empty value empties the list
	KEY_TEXT,
	KEY_WORD,       // one of `words`
	KEY_SIZE,       // bytes with K, M, G, T, or "unlimited"
	KEY_TIME,       // milliseconds from "500ms", "30s", "5m", "2h", or "unlimited"
	KEY_COUNT,      // a number, or "unlimited"
	KEY_MEMORY,     // a size, or a share of this machine's memory: 75%
	KEY_PROCESSORS, // thousandths from "2", "1.5", or "unlimited"
	KEY_SWITCH,     // command line only: present or not
};

// What an item or text must look like.
enum key_form {
	FORM_TEXT,
	FORM_PATH,    // /x, ~/x, ./x, $VAR/x, each with a leading '?'
	FORM_TMPFS,   // a path, and options (text/words.h)
	FORM_PATTERN, // a path, or one with '*' in its last name, or **/NAME
	FORM_HIDDEN,  // the same, but not the root
	FORM_NAME,    // of a file, in small letters; may have '*'
	FORM_DEVICE,  // NAME or /dev/NAME, with a leading '?'
	FORM_PROFILE,
	FORM_SESSION,    // a name of a session
	FORM_LANGUAGE,   // of code/languages.h: checked when it is used
	FORM_VARIABLE,   // NAME, or a pattern with '*'
	FORM_ASSIGNMENT, // NAME=VALUE
	FORM_DESCRIPTOR,
	FORM_WORD, // a name that a room knows: checked when the plan is made
	FORM_HOSTNAME,
	FORM_DESTINATION, // text/destination.h, or @GROUP
	FORM_RULE,        // the same, which may end with /tcp or /ech
	FORM_PORT,
	FORM_PUBLISH,  // PORT[:HOST-PORT|:auto]
	FORM_BUDGET,   // [DESTINATION ]SIZE
	FORM_UPSTREAM, // http://[user:password@]host[:port], or "none"
};

// What the key may do in a project's own file before the user has trusted it.
enum tightens {
	TIGHTENS_NEVER,
	TIGHTENS_ALWAYS, // each item takes something away
	TIGHTENS_LESS,   // a smaller number, an earlier word
	TIGHTENS_MORE,   // a later word
};

// Verbs that take options, in the order of enum verb_row_index (cli/verbs.h). Keys of a profile are
// taken by VERBS_BOX.
enum verb {
	VERB_RUN = 1 << 0,
	VERB_SHELL = 1 << 1,
	VERB_PLAN = 1 << 2,
	VERB_PROFILE = 1 << 3,
	VERB_DOCTOR = 1 << 4,
	VERB_QUARANTINE = 1 << 5,
	VERB_AUDIT = 1 << 6,
	VERB_ALLOW = 1 << 7,
	VERB_DENY = 1 << 8,
	VERB_PUBLISH = 1 << 9,
	VERB_SESSION = 1 << 10,
	VERB_AGENT = 1 << 11,
	VERB_WHY = 1 << 12,
	VERB_LEARN = 1 << 13,
	VERB_CODE = 1 << 14,
	VERB_CACHE = 1 << 15,
	VERB_PS = 1 << 16,
	VERB_STOP = 1 << 17,
	VERB_KILL = 1 << 18,
	VERB_WAIT = 1 << 19,
	VERB_LOGS = 1 << 20,
	VERB_EXEC = 1 << 21,
	VERB_ATTACH = 1 << 22,
};
enum {
	VERBS_BOX = VERB_RUN | VERB_SHELL | VERB_PLAN | VERB_WHY | VERB_LEARN | VERB_CODE,
	VERBS_ALL = 0x7fffff
};

struct key {
	const char *section, *name; // section NULL: command line only, field of struct invocation
	const char *flag;           // without "--"; NULL: only in profiles
	char letter;
	enum key_kind kind;
	enum key_form form;
	const char *const *words; // of KEY_WORD, NULL-terminated, in the order of the enum; of
				  // FORM_LANGUAGE; of KEY_LIST: beginnings
	const char *value;        // how help writes the value
	size_t offset;            // of the field
	uint64_t low, high;       // of numbers
	uint64_t soft; // a limit's LIMIT_BIT: a '?' in front keeps it as well as possible
	enum tightens tightens;
	unsigned verbs;    // bits of enum verb: where the flag is accepted
	const char *help;  // one line
	const char *brief; // a few words, of an option on the first screen of help; else NULL
};

extern const struct key keys[];
extern const unsigned key_count;

// One row per section, for the man page and for checking section names.
struct section {
	const char *name, *help;
};
extern const struct section sections[];
extern const unsigned section_count;

const struct key *key_find(const char *section, const char *name);
// NULL when the verb does not take such a flag.
const struct key *key_find_flag(enum verb verb, const char *flag, size_t length);
// The one flag that begins so; NULL: none, or several.
const struct key *key_begun_flag(enum verb verb, const char *flag, size_t length);
const struct key *key_find_letter(enum verb verb, char letter);

// The nearest known word, for messages, or NULL when nothing is near.
const char *key_suggest(const char *section, const char *name);
const char *key_suggest_flag(enum verb verb, const char *flag);
const char *key_suggest_section(const char *name);

// One value of one key: text -> field, or one line that names the expected form.

// Of a number's value.
enum unit value_unit(const struct key *key);

// Stores `text` into the key's field of `object` (struct profile or struct invocation).
int value_set(const struct key *key, void *object, struct arena *arena, const char *text,
	      struct origin from);

// INI text -> rows. Pure: hostile bytes in, rows or one error out.

struct ini_row {
	unsigned line;
	const char *section, *name, *value;
};

// Offsets into a text: tables of pointers would be relocated at each start, page by page.
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
// The last value of a key, or NULL.
const char *ini_value(const struct ini_rows *rows, const char *section, const char *name);

// The most that is read of one profile, and the longest line.
enum { INI_BYTES_MAX = 256 * 1024, INI_LINE_MAX = 198 };

// `file` is only for messages; a NUL stands behind the text. Refused: NUL, what acts on a terminal
// (str_letter()), CR, a byte order mark, a line that is too long (libinih splits it and reads its
// tail as a new line), keys before any section.
int ini_read(struct arena *arena, const char *file, const char *text, size_t length,
	     struct ini_rows *ret_rows);

// The words after the verb -> invocation, and the keys that were set as flags.

struct argument {
	const struct key *key;
	const char *value;
};

struct arguments {
	struct argument *set; // keys of the profile, in order
	unsigned count;
	char **rest; // the first word that is no option, and all after it
	char **all;  // every word that was given
};

// Options end at the first word that does not begin with '-', or after "--". `argv` ends with
// NULL. An unknown option is an error that names the nearest known one.
int argv_read(struct arena *arena, enum verb verb, char **argv, struct invocation *invocation,
	      struct arguments *ret_arguments);

// Words of other tools that people type, each with what to write here: foreign.def is the table.

// A whole sentence, or NULL: the word is not known. Options as they were typed, with their dashes,
// without a value: "--rm", "-v"; of one of the verbs. FOREIGN_SAME: the flag that such a word is
// taken as.
enum foreign_kind { FOREIGN_OPTION, FOREIGN_SAME, FOREIGN_VERB, FOREIGN_PROFILE, FOREIGN_ACTION };
const char *foreign_answer(enum foreign_kind kind, unsigned verbs, const char *word, size_t length);
