// The text of a git configuration file (git-config(1), "CONFIGURATION FILE"): parsing, and the
// three-way merge that takes over what an allow-list names. Pure: reads and writes memory only.
#pragma once

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

struct gitconfig_merged {
	char *text;
	size_t length;
	unsigned taken;        // names taken over
	const char **withheld; // names that the box changed and the list does not allow
	unsigned withheld_count;
	const char **addresses; // names taken over by which the host would go elsewhere than before
	unsigned address_count;
};

// What changed between `before` and `after`, applied to `now` as far as the list of harmless keys
// goes: keys by which git runs no program, opens no other file and connects only where the caller
// says. `depth` is how many directories the file's own lies below the project: a submodule's
// core.worktree may lead exactly there and down again; 0 allows none.
int gitconfig_merge(struct arena *arena, const struct gitconfig *before,
		    const struct gitconfig *after, const struct gitconfig *now, unsigned depth,
		    struct gitconfig_merged *ret_merged);
