// Owns the table of the files and directories in a git directory.
#include "git/git.h"

#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "text/words.h"

#define LOCK_END             ".lock"
#define DATA_DIRECTORY(name) { name, LAYOUT_DATA, LAYOUT_DIRECTORY, LAYOUT_BOTH }

// The first match counts. Longer rows and rows that git acts on come first.
const struct layout_row layout_rows[] = {
	{ "*" LOCK_END, LAYOUT_LOCK, LAYOUT_FILE, LAYOUT_BOTH },
	{ "hooks", LAYOUT_RUN, LAYOUT_DIRECTORY, LAYOUT_SHARED },
	{ "info/attributes", LAYOUT_RUN, LAYOUT_FILE, LAYOUT_SHARED },
	{ "sl/config", LAYOUT_RUN, LAYOUT_FILE, LAYOUT_SHARED },  // Sapling
	{ "arc/config", LAYOUT_RUN, LAYOUT_FILE, LAYOUT_SHARED }, // Arcanist
	{ "config", LAYOUT_CONFIG, LAYOUT_FILE, LAYOUT_SHARED },
	{ "config.worktree", LAYOUT_CONFIG, LAYOUT_FILE, LAYOUT_BOTH },
	{ "commondir", LAYOUT_POINTER, LAYOUT_FILE, LAYOUT_BOTH },
	{ "gitdir", LAYOUT_POINTER, LAYOUT_FILE, LAYOUT_WORKTREE },
	{ "info/grafts", LAYOUT_POINTER, LAYOUT_FILE, LAYOUT_SHARED },
	{ "objects/info/alternates", LAYOUT_POINTER, LAYOUT_FILE, LAYOUT_SHARED },
	{ "rebase-merge", LAYOUT_ORDER, LAYOUT_DIRECTORY, LAYOUT_BOTH },
	{ "rebase-apply", LAYOUT_ORDER, LAYOUT_DIRECTORY, LAYOUT_BOTH },
	{ "sequencer", LAYOUT_ORDER, LAYOUT_DIRECTORY, LAYOUT_BOTH },
	{ "remotes", LAYOUT_ADDRESS, LAYOUT_DIRECTORY, LAYOUT_BOTH },
	{ "branches", LAYOUT_ADDRESS, LAYOUT_DIRECTORY, LAYOUT_BOTH },
	{ "worktrees", LAYOUT_NESTED, LAYOUT_DIRECTORY, LAYOUT_SHARED },
	{ "modules", LAYOUT_NESTED, LAYOUT_DIRECTORY, LAYOUT_SHARED },
	{ "objects/info", LAYOUT_DATA, LAYOUT_DIRECTORY, LAYOUT_SHARED },
	{ "objects/pack", LAYOUT_DATA, LAYOUT_DIRECTORY, LAYOUT_SHARED },
	{ "objects", LAYOUT_DATA, LAYOUT_MANY, LAYOUT_SHARED },
	{ "lfs/objects", LAYOUT_DATA, LAYOUT_MANY, LAYOUT_SHARED },
	DATA_DIRECTORY("refs"),
	DATA_DIRECTORY("logs"),
	DATA_DIRECTORY("info"),
	DATA_DIRECTORY("reftable"),
	DATA_DIRECTORY("rr-cache"),
	DATA_DIRECTORY("lost-found"),
	DATA_DIRECTORY("fsmonitor--daemon"),
	{ "fsmonitor--daemon.ipc", LAYOUT_DATA, LAYOUT_SOCKET, LAYOUT_BOTH },
	DATA_DIRECTORY("NOTES_MERGE_WORKTREE"),
	DATA_DIRECTORY("subtree-cache"),
	DATA_DIRECTORY("svn"),
	DATA_DIRECTORY("lfs"),
	DATA_DIRECTORY("filter-repo"),
	DATA_DIRECTORY("incoming-*"),
};
const unsigned layout_count = sizeof(layout_rows) / sizeof(*layout_rows);

static const char *next_part(const char *path)
{
	const char *slash = strchr(path, '/');
	return slash ? slash + 1 : NULL;
}

static bool begins(const char *path, const char *name)
{
	size_t length = strcspn(name, "/");
	return strncasecmp(path, name, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

static bool is_in(const char *path, const char *row)
{
	char folded[COMPONENT_MAX];
	while ((row = next_part(row))) {
		path = next_part(path);
		if (!path || !component_fold(path, folded) || !component_matches(folded, row))
			return false;
	}
	return true;
}

const struct layout_row *layout_find(const char *path)
{
	char first[COMPONENT_MAX];
	bool good = component_fold(path, first);
	if (str_ends(path, LOCK_END))
		return layout_rows;
	layout_each(row) if (good && component_matches(first, row->path) &&
			     is_in(path, row->path)) return row;
	return NULL;
}

bool layout_is_nested(const char *path)
{
	const struct layout_row *row = layout_find(path);
	return row && row->kind == LAYOUT_NESTED && next_part(path);
}

static bool acts(const char *path, bool refs)
{
	const struct layout_row *row = layout_find(path);
	if (!row || row->kind == LAYOUT_LOCK)
		return row != NULL;
	return row->kind > LAYOUT_LOCK && row->kind < (refs ? LAYOUT_ORDER : LAYOUT_NESTED);
}

// A submodule's name may have slashes: each later part may begin its git directory. Parts below
// refs and logs are names of branches.
bool layout_acts(const char *path)
{
	bool refs = false;
	if (acts(path, false))
		return true;
	for (const char *part = layout_is_nested(path) ? next_part(path) : NULL; part;
	     part = next_part(part)) {
		refs = refs || begins(part, "refs") || begins(part, "logs");
		if (acts(part, refs))
			return true;
	}
	return false;
}
