// sbx cache: lists and clears what boxes of a project keep between runs.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "report/print_fields.h"
#include "run/run_command.h"
#include "cli/boxes.h"
#include "cli/verbs.h"

extern char **environ;

#define ASIDE "%cleared-" // path_kept() makes no name that begins like this

struct cache_entry {
	int directory;
	const char *name;
	const char *project; // a path, "none", or the raw name of an entry that is not sbx's
};

struct walk {
	struct arena *arena;
	struct out out;
	const char *only_project; // for `clear`; NULL: all
	unsigned found;
	struct boxes live; // for `clear`, which keeps the caches of these runs
	int (*each)(struct walk *walk, const struct cache_entry *entry);
};

static int walk_directory(struct walk *walk, int directory, const char *before, int depth);

static int walk_entry(struct walk *walk, int directory, const char *name, const char *before,
		      int depth)
{
	const char *whole = arena_text(walk->arena, "%s%s", before, name);
	autoclose int fd = fd_directory(directory, name);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP || errno == ENOENT))
		return 0; // no directory of sbx
	if (fd >= 0 && path_kept_is_part(name))
		return walk_directory(walk, fd, arena_text(walk->arena, "%s/", whole), depth + 1);
	const char *project = path_of_kept(walk->arena, whole);
	const struct cache_entry entry = { directory, name, project ? project : whole };
	if (walk->only_project && !str_equal(entry.project, walk->only_project))
		return 0;
	walk->found += !str_starts(name, ASIDE);
	return walk->each(walk, &entry);
}

static int walk_directory(struct walk *walk, int directory, const char *before, int depth)
{
	enum { PARTS_MAX = 32 }; // PATH_MAX bounds the depth
	char **names;
	int count = depth > PARTS_MAX ? 0 : names_in(walk->arena, directory, &names);
	for (int i = 0; i < count; i++)
		TRY(walk_entry(walk, directory, names[i], before, depth));
	return count < 0 ? -1 : 0;
}

static int walk_all(struct walk *walk)
{
	const char *state = decide_state_directory(walk->arena, environ);
	TRY(owned_check(state));
	const char *path = arena_text(walk->arena, "%s/cache", state);
	autoclose int fd = fd_directory(AT_FDCWD, path);
	if (fd < 0)
		return errno == ENOENT ? 0 : fail(errno, "'%s'", path);
	return walk_directory(walk, fd, "", 0);
}

static uint64_t size_of(const struct cache_entry *entry)
{
	autoclose int fd = fd_directory(entry->directory, entry->name);
	return fd < 0 ? OWNED_SIZE_UNKNOWN : owned_size(fd);
}

static void put_size(char text[32], uint64_t bytes)
{
	if (bytes < OWNED_SIZE_UNKNOWN)
		units_rough(text, 32, bytes, UNIT_SIZE);
	else
		snprintf(text, 32, "?");
}

static int list_one(struct walk *walk, const struct cache_entry *entry)
{
	char size[32];
	uint64_t bytes = size_of(entry);
	put_size(size, bytes);
	print_one(&walk->out, SHOWN("project", entry->project, "", 0, "  "),
		  NUMBER_IF(bytes < OWNED_SIZE_UNKNOWN, "bytes", bytes),
		  SHOWN(NULL, size, "", 0, "\n"));
	return 0;
}

// True if a live run uses the project's caches. A run with another state directory has its caches
// there.
static bool is_in_use(const struct boxes *live, const char *project)
{
	for (const struct live_box *box = live->all; box < live->all + live->count; box++) {
		const char *own = box->entry.project[0] ? box->entry.project : "none";
		if (!box->other && str_equal(own, project))
			return true;
	}
	return false;
}

static int leave_one(struct walk *walk, const struct cache_entry *entry)
{
	const char *project = str_shown(entry->project);
	if (walk->only_project)
		return fail(0, "a run of '%s' uses its caches; end it first: sbx ps, sbx stop ID",
			    project);
	out_text(&walk->out, "in use by a run, not cleared: %s\n", project);
	return 0;
}

// Renames first: a run that begins meanwhile finds the whole cache or nothing.
static int clear_one(struct walk *walk, const struct cache_entry *entry)
{
	char aside[64], size[32] = "";
	if (!str_starts(entry->name, ASIDE) && is_in_use(&walk->live, entry->project))
		return leave_one(walk, entry);
	str_put(aside, sizeof(aside), "%s%d-%u", ASIDE, (int)getpid(), walk->found);
	uint64_t bytes = size_of(entry); // without directories that deny access
	if (bytes < OWNED_SIZE_UNKNOWN)
		put_size(size, bytes);
	if (fd_rename_new(entry->directory, entry->name, entry->directory, aside) < 0)
		return errno == ENOENT
			       ? 0
			       : fail(errno, "move the caches of '%s'", str_shown(entry->project));
	TRY(owned_remove_tree(entry->directory, aside));
	if (!str_starts(entry->name, ASIDE))
		out_text(&walk->out, "cleared: %s%s%s\n", str_shown(entry->project),
			 bytes < OWNED_SIZE_UNKNOWN ? "  " : "", size);
	return 0;
}

// Lists all caches, also directories that a box made unreadable.
static int list_all(struct walk *walk)
{
	TRY(owned_override(OVER_READING));
	walk->each = list_one;
	print_begin(&walk->out, "caches", "caches");
	TRY(walk_all(walk));
	print_end(&walk->out, "caches");
	return 0;
}

// `name` is a project as `list` prints it, or a directory.
static int clear_named(struct walk *walk, const char *name)
{
	char real[PATH_MAX];
	walk->each = clear_one;
	walk->only_project = name;
	walk->found = 0;
	TRY(boxes_list(arena_new_of(BOXES_BYTES), BOXES_LIVE, &walk->live));
	TRY(walk_all(walk));
	if (walk->found == 0 && name && realpath(name, real)) {
		walk->only_project = real;
		TRY(walk_all(walk));
	}
	if (walk->found == 0 && name)
		return fail(0, "no caches of a project '%s'; see: sbx cache list", str_shown(name));
	return 0;
}

static int act(const struct box *box, struct walk *walk, char **words)
{
	bool all = box->invocation.all == TOGGLE_YES;
	bool clear = words[0] && str_equal(words[0], "clear");
	bool list = words[0] && str_equal(words[0], "list");
	if (list && !words[1] && !all)
		return list_all(walk);
	if (walk->out.json)
		return fail(0, "--json is for sbx cache list");
	if (clear && all && !words[1])
		return clear_named(walk, NULL);
	if (!clear || all || !words[1])
		return fail(0, "usage: sbx cache list [--json] | clear PROJECT... | clear --all");
	for (char **name = words + 1; *name; name++)
		TRY(clear_named(walk, *name));
	return 0;
}

int verb_cache(char **words)
{
	struct box *box = box_new();
	struct walk walk = { .arena = box->arena };
	if (box_read_mixed(box, VERB_CACHE, words, &words) < 0)
		return box_failed();
	walk.out.json = box->invocation.json == TOGGLE_YES;
	int result = act(box, &walk, words);
	if (result < 0)
		out_flush(&walk.out,
			  STDOUT_FILENO); // reports the caches that were cleared before the failure
	return box_done(&walk.out, result);
}
