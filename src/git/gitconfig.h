// The text of a git configuration file (git-config(1)): parsing, and the three-way merge that adds
// what an allow-list names. Pure.
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
	const char *value; // without quotes; "" for a key without a value
	size_t start, end;
	unsigned section;
};

struct gitconfig_section {
	const char *name;
	size_t start, end;
};

struct gitconfig {
	const char *text;
	size_t length;
	struct gitconfig_entry *entries;
	struct gitconfig_section *sections;
	unsigned count, section_count;
};

// Returns -1 for a text that git would not accept.
int gitconfig_parse(struct arena *arena, const char *text, size_t length,
		    struct gitconfig *ret_config);

// Parses in a process of apart/apart.h. The limits, as a merge compares each row with each:
// sections and keys, the same in a new repository, bytes of names.
enum { GITCONFIG_ROWS_ASKED = 6000, GITCONFIG_ROWS_NEW = 1000, GITCONFIG_NAMES_ASKED = 1 << 20 };
int gitconfig_ask(struct arena *arena, const char *text, size_t length,
		  struct gitconfig *ret_config);

// Takes the rows of gitconfig_ask(). Returns false if no text of this length has such rows.
bool gitconfig_take(struct arena *arena, const struct rows *rows, const char *text, size_t length,
		    struct gitconfig *ret_config);

// Returns the last value, or NULL.
const char *gitconfig_value(const struct gitconfig *config, const char *name);

// Returns the next entry of a name. `after` NULL: the first.
const struct gitconfig_entry *gitconfig_next(const struct gitconfig *config, const char *name,
					     const struct gitconfig_entry *after);

bool gitconfig_has(const struct gitconfig *config, const char *name, const char *value);

bool gitconfig_same(const struct gitconfig *left, const struct gitconfig *right, const char *name);

// The caller made room for all text.
struct gitconfig_text {
	char *text;
	size_t length;
};
void gitconfig_put(struct gitconfig_text *out, const char *text, size_t length);
void gitconfig_put_header(struct gitconfig_text *out, const char *name);
// `value` NULL: a key without a value. `quoted`: quotes all values, not only those that git quotes.
void gitconfig_put_entry(struct gitconfig_text *out, const char *name, const char *value,
			 bool quoted);

struct gitconfig_withheld {
	const char *name, *value; // value NULL: the box removed the key
	const char *why;
	const char *option;
};

struct gitconfig_merged {
	char *text;
	size_t length;
	unsigned taken;
	// Changes that the table of keys does not allow, one for each value.
	struct gitconfig_withheld *withheld;
	unsigned withheld_count;
	const char **addresses;
	unsigned address_count;
	const char **branches;
	unsigned branch_count;
};

struct gitconfig_case {
	unsigned depth; // count of "../" in a submodule's core.worktree; 0: no submodule
	bool made;      // the run made the repository
	bool private;   // config.worktree, read after the other file: no addresses, branches
	bool host;
	struct list elsewhere;
	struct list old, gone;
};

// Applies the changes between `before` and `after` to `now`, as far as the table of keys allows.
// Other parts of `now` stay.
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
	const char *name; // '*' is all text between the first dot and the last
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

// Returns the first match, or NULL.
const struct gitkey *gitkey_find(const char *name);
// Whether programs only make notes under this key. A withheld key is not reported.
bool gitkey_is_noted(const char *name);
// Whether the host's own git, or its user, often sets the key.
bool gitkey_is_daily(const char *name);

struct gitsecret {
	const char *text; // NULL: there are no secrets
	struct list left;
	unsigned left_count;
	struct list places;
	struct list named; // paths of other files; origin's file: the key; its line 1: certificates
};

// Returns -1 for a text that is too long or that git would not accept.
int gitsecret_filter(struct arena *arena, const char *text, size_t length,
		     struct gitsecret *ret_secret);
// Like gitsecret_filter(), in a process of apart/apart.h, without `named`.
int gitsecret_ask(enum apart whose, struct arena *arena, const char *text, size_t length,
		  struct gitsecret *ret_secret);

// Whether a key and value, as in GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n, are secret.
bool gitsecret_is(struct arena *arena, const char *key, const char *value);

// Reads the next setting of GIT_CONFIG_PARAMETERS, in which `git -c` passes settings on:
// 'KEY'='VALUE' or 'KEY=VALUE'. False: another form, which git refuses.
bool gitconfig_parameter(struct arena *arena, const char **at, const char **ret_key,
			 const char **ret_value);
// Whether GIT_CONFIG_PARAMETERS has a secret. An unknown form counts as one.
bool gitsecret_parameters(struct arena *arena, const char *text);
