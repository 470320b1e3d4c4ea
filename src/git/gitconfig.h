// The text of a git configuration file (git-config(1), "CONFIGURATION FILE"): parsing, and the
// three-way merge that takes over what an allow-list names. Pure: reads and writes memory only.
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
	const char **branches; // of which nothing was known, and the box said where they lead
	unsigned branch_count;
};

struct gitconfig_case {
	unsigned depth; // how many directories the file's own lies below the project: a submodule's
			// core.worktree may lead exactly there and down again; 0 allows none
	bool made;      // with its repository, in the run
	bool private;   // config.worktree, which is read after the other one
	const char *const *branches; // further ones that were there before
	unsigned branch_count;
};

// What changed between `before` and `after`, applied to `now` as far as the table of keys goes
// (git/gitkeys.h): keys by which git runs no program and opens no other file are set and removed,
// in their place; remotes, and settings of branches, are added where none were.
void gitconfig_merge(struct arena *arena, const struct gitconfig *before,
		     const struct gitconfig *after, const struct gitconfig *now,
		     struct gitconfig_case how, struct gitconfig_merged *ret_merged);
