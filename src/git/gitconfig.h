// The text of a git configuration file (git-config(1), "CONFIGURATION FILE"): parsing, and the
// three-way merge that adds what an allow-list names. Pure: reads and writes memory only.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

struct arena;

enum { GITCONFIG_BYTES_MAX = 128 << 10 };

struct gitconfig_entry {
	const char *name;  // "remote.origin.url": section and key in lower case
	const char *value; // unquoted; "" when there was none
	size_t start,
		end; // its bytes in the text, with its newline unless the header shares the line
	unsigned section; // index
};

struct gitconfig_section {
	const char *name;  // "remote.origin"
	size_t start, end; // from the header to the next header
};

struct gitconfig {
	const char *text;
	size_t length;
	struct gitconfig_entry *entries;
	struct gitconfig_section *sections;
	unsigned count, section_count;
};

// -1 when the text is not what git would accept.
int gitconfig_parse(struct arena *arena, const char *text, size_t length,
		    struct gitconfig *ret_config);

// The last value of a name, or NULL.
const char *gitconfig_value(const struct gitconfig *config, const char *name);

// The next entry of a name; NULL as `after`: the first.
const struct gitconfig_entry *gitconfig_next(const struct gitconfig *config, const char *name,
					     const struct gitconfig_entry *after);

// Whether it is one of the values of a name.
bool gitconfig_has(const struct gitconfig *config, const char *name, const char *value);

// Whether both have the same values of a name, in the same order.
bool gitconfig_same(const struct gitconfig *left, const struct gitconfig *right, const char *name);

// A text that is written; the caller has made room for all of it.
struct gitconfig_text {
	char *text;
	size_t length;
};
void gitconfig_put(struct gitconfig_text *out, const char *text, size_t length);
// "[section "sub"]", on a line that begins here.
void gitconfig_put_header(struct gitconfig_text *out, const char *name);
// A line with the last part of a name; value NULL: it alone. `quoted`: in any case, else as git
// does it only where it must be.
void gitconfig_put_entry(struct gitconfig_text *out, const char *name, const char *value,
			 bool quoted);

struct gitconfig_withheld {
	const char *name, *value; // NULL: it was removed
	const char *why;
	const char *option; // of git config: "", "--add ", "--replace-all " or "--unset-all "
};

struct gitconfig_merged {
	char *text;
	size_t length;
	unsigned taken; // names
	// What the box changed and the table does not allow: a row for each value.
	struct gitconfig_withheld *withheld;
	unsigned withheld_count;
	const char **addresses; // "remote.fork.url is new: example.org", of those applied
	unsigned address_count;
	const char **branches; // whose settings changed
	unsigned branch_count;
};

struct gitconfig_case {
	unsigned depth; // how many directories the file's own lies below the project: a submodule's
			// core.worktree may lead exactly there and down again; 0 allows none
	bool made;      // with its repository, in the run
	bool private;   // config.worktree, which is read after the other one: nothing that leads
	bool host;      // the host's own git wrote it, and perhaps the box, too
	struct list elsewhere; // "remote.x", "branch.x": what further files of git's have or name
	struct list old, gone; // branches that were there before, and that are there no more
};

// What changed between `before` and `after`, applied to `now` as far as the table of keys goes
// (git/gitconfig.h): settings are added for a remote, branch or submodule that was not there, and
// those of a branch that is gone go. Nothing else of `now` changes.
void gitconfig_merge(struct arena *arena, const struct gitconfig *before,
		     const struct gitconfig *after, const struct gitconfig *now,
		     struct gitconfig_case how, struct gitconfig_merged *ret_merged);

// Git's configuration keys that a box may add, and the form that each value must have. Pure.

// Why a key stays out, as it is printed.
enum gitkey_why {
	GITKEY_OTHER, // also of a key that is not in the table
	GITKEY_PUSH,
	GITKEY_PULL,
	GITKEY_CONNECT,
	GITKEY_READ,
	GITKEY_NEAR, // a new address
	GITKEY_AUTHOR,
	GITKEY_DAILY,
	GITKEY_WHYS
};
extern const char *const gitkey_whys[GITKEY_WHYS];

struct gitkey {
	const char *name; // '*' stands for all between the first dot and the last
	enum gitkey_form {
		GITKEY_NONE, // never
		GITKEY_TEXT, // used as text only
		GITKEY_BOOLEAN,
		GITKEY_WORDS,
		GITKEY_NAME,     // of a branch or another ref, or a pattern of them
		GITKEY_WORKTREE, // back up to the project and down: a submodule's
		GITKEY_PARTIAL,  // where the remote is https or ssh
		GITKEY_ADDRESS,
		GITKEY_FETCH,   // into the remote's own refs
		GITKEY_TRACKED, // a remote's name; a branch that is new may have an address
		GITKEY_MERGED,  // the ref of a branch
	} form;
	enum gitkey_why why;
	bool made;         // only in a repository that the run made
	const char *words; // between blanks
};

// The first row that fits, or NULL.
const struct gitkey *gitkey_find(const char *name);
// Whether a program notes it by itself and loses nothing without it: no report says it.
bool gitkey_is_noted(const char *name);
// Whether the host's own git may have set it, as such a program or its user does each day.
bool gitkey_is_daily(const char *name);

// Secrets in a git configuration file: tokens, passwords, headers, the user's part of a URL.
// Pure: reads and writes memory only.

struct gitsecret {
	const char *text; // the same configuration without secrets; NULL: it has none
	struct list left; // names that were left out, the first ones, without secrets
	unsigned left_count;
	struct list places; // values of keys that name a file of secrets, as they are written
	struct list named;  // of those that name other files: the origin's file is the key, its
			    // line is 1 for certificates
};

// -1 when the text is one that git would accept, or too long: nobody knows its content.
int gitsecret_filter(struct arena *arena, const char *text, size_t length,
		     struct gitsecret *ret_secret);

// Whether the value of a key, as git(1) takes both from GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n, is
// a secret or a part of it is.
bool gitsecret_is(struct arena *arena, const char *key, const char *value);

// The same of GIT_CONFIG_PARAMETERS: 'KEY'='VALUE' or 'KEY=VALUE', quoted for a shell. Another
// form is taken for a secret.
bool gitsecret_parameters(struct arena *arena, const char *text);
