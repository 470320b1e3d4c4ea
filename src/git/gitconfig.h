// The text of a git configuration file (git-config(1), "CONFIGURATION FILE"): parsing, and the
// three-way merge that adds what an allow-list names. Pure: reads and writes memory only.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apart/apart.h"
#include "base/base.h"

struct arena;
struct rows;

enum { GITCONFIG_BYTES_MAX = 128 << 10 };

struct gitconfig_entry {
	const char *name;  // "remote.origin.url": section and key in lower case
	const char *value; // unquoted; "" when there was none
	size_t start, end;
	unsigned section;
};

struct gitconfig_section {
	const char *name;
	size_t start, end;
};

struct gitconfig {
	const char *text; // the same configuration without secrets; NULL: it has none
	size_t length;
	struct gitconfig_entry *entries;
	struct gitconfig_section *sections;
	unsigned count, section_count;
};

// -1 when the text is not what git would accept.
int gitconfig_parse(struct arena *arena, const char *text, size_t length,
		    struct gitconfig *ret_config);

// The same by a locked process, of at most so many sections and keys, and bytes of names: a merge
// compares each with each. In a new repository, of which there may be thousands, fewer.
enum { GITCONFIG_ROWS_ASKED = 6000, GITCONFIG_ROWS_NEW = 1000, GITCONFIG_NAMES_ASKED = 1 << 20 };
int gitconfig_ask(struct arena *arena, const char *text, size_t length,
		  struct gitconfig *ret_config);

// Of its rows. False: they are not what a text of that length can say.
bool gitconfig_take(struct arena *arena, const struct rows *rows, const char *text, size_t length,
		    struct gitconfig *ret_config);

// The last value of a name, or NULL.
const char *gitconfig_value(const struct gitconfig *config, const char *name);

// NULL as `after`: the first.
const struct gitconfig_entry *gitconfig_next(const struct gitconfig *config, const char *name,
					     const struct gitconfig_entry *after);

bool gitconfig_has(const struct gitconfig *config, const char *name, const char *value);

bool gitconfig_same(const struct gitconfig *left, const struct gitconfig *right, const char *name);

// The caller has made room for all of it.
struct gitconfig_text {
	char *text;
	size_t length;
};
void gitconfig_put(struct gitconfig_text *out, const char *text, size_t length);
void gitconfig_put_header(struct gitconfig_text *out, const char *name);
// value NULL: the name alone. `quoted`: always, else as git does.
void gitconfig_put_entry(struct gitconfig_text *out, const char *name, const char *value,
			 bool quoted);

struct gitconfig_withheld {
	const char *name, *value; // NULL: it was removed
	const char *why;
	const char *option;
};

struct gitconfig_merged {
	char *text;
	size_t length;
	unsigned taken;
	// What the table does not allow: a row for each value.
	struct gitconfig_withheld *withheld;
	unsigned withheld_count;
	const char **addresses;
	unsigned address_count;
	const char **branches;
	unsigned branch_count;
};

struct gitconfig_case {
	unsigned depth; // directories of the file's own below the project: a submodule's
			// core.worktree may lead exactly there; 0: none
	bool made;      // with its repository, in the run
	bool private;   // config.worktree, read after the other: nothing that leads
	bool host;
	struct list elsewhere;
	struct list old, gone;
};

// Applies to `now` what changed between `before` and `after`, as far as the table of keys goes.
// Nothing else of `now` changes.
void gitconfig_merge(struct arena *arena, const struct gitconfig *before,
		     const struct gitconfig *after, const struct gitconfig *now,
		     struct gitconfig_case how, struct gitconfig_merged *ret_merged);

// Keys that a box may add, and the form of each value. Pure.

enum gitkey_why {
	GITKEY_OTHER,
	GITKEY_PUSH,
	GITKEY_PULL,
	GITKEY_CONNECT,
	GITKEY_READ,
	GITKEY_NEAR,
	GITKEY_AUTHOR,
	GITKEY_DAILY,
	GITKEY_WHYS
};
extern const char *const gitkey_whys[GITKEY_WHYS];

struct gitkey {
	const char *name; // '*' stands for all between the first dot and the last
	enum gitkey_form {
		GITKEY_NONE,
		GITKEY_TEXT,
		GITKEY_BOOLEAN,
		GITKEY_WORDS,
		GITKEY_NAME,
		GITKEY_WORKTREE,
		GITKEY_PARTIAL,
		GITKEY_ADDRESS,
		GITKEY_FETCH,
		GITKEY_TRACKED,
		GITKEY_MERGED,
	} form;
	enum gitkey_why why;
	bool made;
	const char *words;
};

// The first row that fits, or NULL.
const struct gitkey *gitkey_find(const char *name);
// A program notes it and loses nothing without it: not reported.
bool gitkey_is_noted(const char *name);
// The host's own git may have set it: such a program, or its user each day.
bool gitkey_is_daily(const char *name);

struct gitsecret {
	const char *text; // NULL: it has no secrets
	struct list left;
	unsigned left_count;
	struct list places;
	struct list
		named; // other files: the origin's file is the key, its line is 1 for certificates
};

// -1: git would not accept it, or it is too long.
int gitsecret_filter(struct arena *arena, const char *text, size_t length,
		     struct gitsecret *ret_secret);
// The same by a locked process, without `named`.
int gitsecret_ask(enum apart whose, struct arena *arena, const char *text, size_t length,
		  struct gitsecret *ret_secret);

// As from GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n.
bool gitsecret_is(struct arena *arena, const char *key, const char *value);

// The next setting of GIT_CONFIG_PARAMETERS, which `git -c` gives to what it runs: 'KEY'='VALUE' or
// 'KEY=VALUE'. False: another form, which git refuses.
bool gitconfig_parameter(struct arena *arena, const char **at, const char **ret_key,
			 const char **ret_value);
// Another form counts as a secret.
bool gitsecret_parameters(struct arena *arena, const char *text);
