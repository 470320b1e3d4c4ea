// Owns the walk for patterns of hidden files. It follows no links and skips .git.
#include "view/paths/wishes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { DEPTH_MAX = 64 }; // deeper directories are hidden as a whole

struct pattern_walk {
	struct wishes *wishes;
	struct arena *arena;
	const struct item **items;
	unsigned count, hiding;
	unsigned levels; // depth of pattern_near()'s walk; 0: unbounded
};

static bool pattern_is(const char *text)
{
	return strchr(text, '*') != NULL;
}

static bool is_deep(const struct item *item)
{
	return str_starts(item->text, "**/");
}

static void note(struct wishes *wishes, const struct item *item, const char *path, bool whole)
{
	wishes->matches = arena_grow(wishes->arena, wishes->matches, wishes->match_count,
				     &wishes->match_room, sizeof(*wishes->matches));
	wishes->matches[wishes->match_count++] = (struct pattern_match){ item, path, whole };
}

// Hides a closed directory of the caller as a whole: the box could open it by chmod(2).
static void note_shut(struct pattern_walk *walk, int directory, const char *name, const char *path)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISDIR(status.st_mode) || status.st_uid != walk->wishes->plan->uid)
		return;
	for (unsigned i = 0; i < walk->count; i++)
		note(walk->wishes, walk->items[i], path, true);
}

// True for directories of packages and builds, which have no files of users.
static bool is_passed_over(const char *name)
{
	return name[0] == '.' ||
	       str_has_word("node_modules vendor target __pycache__", name, strlen(name));
}

static bool goes_down(const struct pattern_walk *walk, const char *path, const char *below,
		      unsigned depth)
{
	if (walk->levels == 0)
		return is_deep(walk->items[0]);
	return depth < walk->levels && !(depth > 0 && is_passed_over(path_name(below))) &&
	       !(depth == 1 && is_passed_over(path_name(path))) &&
	       !wishes_is_hidden(walk->wishes, below);
}

// Matches in any letter case for pattern_near(), as some file systems do.
static bool fits(const struct pattern_walk *walk, const char *name, const char *pattern)
{
	char lower[NAME_MAX + 1];
	if (walk->levels == 0)
		return str_match(name, path_name(pattern));
	str_put(lower, sizeof(lower), "%s", name);
	for (char *at = lower; *at; at++)
		*at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
	return str_match(lower, pattern);
}

// Walks all directories: a file that is not found would not be hidden.
static int walk_directory(struct pattern_walk *walk, int directory, const char *path,
			  unsigned depth)
{
	entries_each (entry, directory) {
		bool other = entry->type != DT_DIR && entry->type != DT_UNKNOWN, hidden = false;
		char *below = other ? NULL : path_below(walk->arena, path, entry->name);
		if (str_equal(entry->name, ".git"))
			continue;
		for (unsigned i = 0; i < walk->count; i++) {
			if (!fits(walk, entry->name, walk->items[i]->text))
				continue;
			below = below ? below : path_below(walk->arena, path, entry->name);
			note(walk->wishes, walk->items[i], below, false);
			hidden = hidden || i < walk->hiding;
		}
		if (other || hidden || !goes_down(walk, path, below, depth))
			continue;
		autoclose int fd = openat(directory, entry->name,
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && depth < DEPTH_MAX)
			TRY(walk_directory(walk, fd, below, depth + 1));
		else if (fd >= 0 || errno == EACCES)
			note_shut(walk, directory, entry->name, below);
		else if (errno != ENOTDIR && errno != ELOOP && errno != ENOENT)
			return fail(errno, "search '%s' for '%s'", below, walk->items[0]->text);
	}
	return 0;
}

static int walk_from(struct pattern_walk *walk, const char *start, unsigned depth)
{
	autoclose int fd = open(start, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		return walk_directory(walk, fd, start, depth);
	if (errno == EACCES)
		note_shut(walk, AT_FDCWD, start, start);
	return 0;
}

static int walk_project(struct wishes *wishes)
{
	const struct profile *profile = wishes->plan->profile;
	const struct list *lists[] = { &profile->hide, &profile->secret, &profile->protect };
	struct pattern_walk walk = { .wishes = wishes, .arena = wishes->arena };
	unsigned room = 0;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		list_each (item, lists[i]) {
			if (!is_deep(item))
				continue;
			walk.items = arena_grow(wishes->arena, walk.items, walk.count, &room,
						sizeof(*walk.items));
			walk.items[walk.count++] = item;
			walk.hiding += i == 0;
		}
	wishes->searched = true;
	return walk_from(&walk, wishes->plan->project, 0);
}

static int walk(struct wishes *wishes, const struct item *item,
		int (*found)(struct wishes *wishes, const struct item *item, const char *path))
{
	struct pattern_walk one = {
		.wishes = wishes, .arena = wishes->arena, .items = &item, .count = 1
	};
	const char *where = origin_text(wishes->arena, item->from), *start = wishes->plan->project;
	const char *name = path_name(item->text), *above = NULL;
	size_t directory = (size_t)(name - item->text);
	unsigned first = is_deep(item) ? 0 : wishes->match_count;
	if (!start)
		return 0;
	if (!is_deep(item) && memchr(item->text, '*', directory))
		return fail(0,
			    "%s'%s': only the last name of a pattern may have '*', or it begins "
			    "with **/",
			    where, item->text);
	if (is_deep(item) && directory != strlen("**/"))
		return fail(0, "%s'%s': after **/ comes one name", where, item->text);
	if (!is_deep(item) && strchr("/~$", item->text[0]))
		return fail(0, "%s'%s': a pattern is for the project: ./dir/NAME or **/NAME", where,
			    item->text);
	if (!is_deep(item))
		TRY(walk_from(
			&one,
			path_join(wishes->arena, start,
				  arena_text(wishes->arena, "%.*s.", (int)directory, item->text)),
			0));
	else if (!wishes->searched)
		TRY(walk_project(wishes));
	for (unsigned i = first; i < wishes->match_count; i++) {
		const struct pattern_match match = wishes->matches[i];
		if (match.item != item || (above && path_within(match.path, above)))
			continue;
		above = match.path;
		if (match.whole)
			list_add(&wishes->plan->warnings, wishes->arena,
				 arena_text(wishes->arena,
					    "'%s' cannot be searched for '%s' and is hidden as a "
					    "whole",
					    match.path, item->text),
				 item->from);
		TRY(found(wishes, item, match.path));
	}
	return 0;
}

int pattern_each(struct wishes *wishes, const struct item *item,
		 int (*found)(struct wishes *wishes, const struct item *item, const char *path))
{
	const char *path;
	if (pattern_is(item->text))
		return walk(wishes, item, found);
	int expanded = resolve_expand(wishes->arena, &wishes->places, item, &path);
	return expanded <= 0 ? expanded : found(wishes, item, path);
}

unsigned pattern_near(struct wishes *wishes, struct arena *arena, const struct list *names,
		      const struct pattern_match **ret_matches)
{
	enum { LEVELS = 3 };
	const struct plan *plan = wishes->plan;
	struct pattern_walk walk = { .wishes = wishes, .arena = arena, .levels = LEVELS };
	unsigned first = wishes->match_count, levels = 0, room = 0;
	list_each (item, names) {
		walk.items = arena_grow(arena, walk.items, walk.count, &room, sizeof(*walk.items));
		walk.items[walk.count++] = item;
	}
	(void)ATTEMPT(walk_from(&walk, plan->project, 0));
	bool inside = plan->current && path_within(plan->current, plan->project);
	for (const char *at = inside ? plan->current + strlen(plan->project) : ""; *at; at++)
		levels += *at == '/';
	if (levels > LEVELS)
		(void)ATTEMPT(walk_from(&walk, plan->current, LEVELS));
	*ret_matches = wishes->matches + first;
	return wishes->match_count - first;
}
