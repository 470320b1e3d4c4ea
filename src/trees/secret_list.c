// Owns the file that says which files of a project are hidden, whatever a search reaches.
#include "trees/git_list.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"

enum { NANOSECONDS = 1000000000, NAME_BYTES = 256, LEVELS = 3 };
#define LIST_BYTES ((size_t)64 << 20)

bool secret_name(const char *patterns, const char *name)
{
	char lower[NAME_BYTES], pattern[NAME_BYTES];
	size_t length = strlen(name);
	if (length >= sizeof(lower))
		return false;
	for (size_t i = 0; i <= length; i++)
		lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
	for (const char *at = patterns; *at; at += strspn(at, "/")) {
		size_t bytes = strcspn(at, "/");
		if (str_put(pattern, sizeof(pattern), "%.*s", (int)bytes, at) &&
		    str_match(lower, pattern))
			return true;
		at += bytes;
	}
	return false;
}

static bool has_pattern(const char *patterns, const char *pattern, size_t length)
{
	for (const char *at = patterns; *at; at += strspn(at, "/")) {
		size_t bytes = strcspn(at, "/");
		if (bytes == length && memcmp(at, pattern, length) == 0)
			return true;
		at += bytes;
	}
	return false;
}

const char *secret_patterns(struct arena *arena, const char *first, const char *second)
{
	const char *all = first;
	for (const char *at = second; *at; at += strspn(at, "/")) {
		size_t bytes = strcspn(at, "/");
		if (!has_pattern(all, at, bytes))
			all = arena_text(arena, "%s%s%.*s", all, all[0] ? "/" : "", (int)bytes, at);
		at += bytes;
	}
	return all;
}

// Nobody's own files are in these.
static bool is_passed_over(const char *name, size_t length)
{
	static const char *const names[] = { "node_modules", "vendor", "target", "__pycache__" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return true;
	return name[0] == '.';
}

bool secret_place(const char *directory)
{
	unsigned levels = 0;
	bool over = false;
	for (const char *at = directory; *at; at += strspn(at, "/")) {
		size_t length = strcspn(at, "/");
		over = over || is_passed_over(at, length);
		levels++;
		at += length;
	}
	return levels <= LEVELS && (!over || (levels == 1 && !str_equal(directory, ".git")));
}

// A file behind a directory that a box has closed counts as there.
static bool is_gone(int root, const struct listed_row *row, struct stat *ret_status)
{
	*ret_status = (struct stat){ 0 };
	if (fstatat(root, row->path, ret_status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || errno == ENOTDIR;
	return S_ISDIR(ret_status->st_mode) != (row->kind == (enum listed_kind)SECRET_SHUT);
}

static bool is_hidden(const struct secret_news *news, const char *name)
{
	for (unsigned i = 0; i < 2 && news->hidden[i]; i++)
		if (list_has(news->hidden[i], name))
			return true;
	return false;
}

bool secret_has_room(const struct listed *list)
{
	return list->count < LISTED_ROWS_MAX / 2 && list->bytes < LISTED_BYTES_MAX / 2;
}

static void keep_old(struct listed *all, const struct listed *old, int root,
		     const struct secret_news *news)
{
	struct stat status;
	for (unsigned i = 0; i < old->count; i++) {
		struct listed_row row = old->rows[i];
		if (is_gone(root, &row, &status))
			continue;
		int64_t changed =
			(int64_t)status.st_ctim.tv_sec * NANOSECONDS + status.st_ctim.tv_nsec;
		if (row.kind == (enum listed_kind)SECRET_MADE && changed >= news->since &&
		    !is_hidden(news, row.path)) {
			row.changed = changed;
			row.inode = status.st_ino;
		}
		listed_keep(all, &row);
	}
}

static void add_met(struct listed *all, const struct listed *old, const struct listed *met)
{
	for (unsigned i = 0; i < met->count; i++) {
		const struct listed_row *row = &met->rows[i];
		if (!listed_find(old, row->path) &&
		    (row->kind != (enum listed_kind)SECRET_MADE || secret_has_room(all)))
			listed_keep(all, row);
	}
}

void secret_list_write(const char *file, const struct secret_news *news)
{
	FORGIVING;
	char above[PATH_MAX];
	struct listed old = { .place = "" };
	if (!str_put(above, sizeof(above), "%.*s", (int)(path_name(file) - file - 1), file))
		return;
	struct arena *arena = arena_new_own(LIST_BYTES);
	autoclose int lock = owned_directory(above);
	autoclose int root = open(news->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool known = lock >= 0 && fd_lock(lock, LOCK_EX) == 0 &&
		     listed_read(arena, file, news->root, &old) == 1;
	if (root >= 0 && (known || news->make)) {
		struct listed all = { .arena = arena, .root = news->root };
		all.place = secret_patterns(arena, old.place, news->patterns);
		keep_old(&all, &old, root, news);
		add_met(&all, &old, news->met);
		listed_sort(&all);
		if (!known || listed_differs(&old, &all))
			listed_write(&all, file, false);
	}
	arena_free(arena);
}
