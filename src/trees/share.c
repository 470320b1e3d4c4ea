// Owns the choice of the directories that every run checks.
#include "trees/share.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/file_state.h"
#include "base/str.h"
#include "git/gitindex.h"

enum { INDEX_BYTES_MAX = 128 << 20 };

bool share_read(struct arena *arena, const char *index, struct share *ret_share)
{
	struct share share = { 0 };
	struct stat status;
	const char *text;
	size_t length;
	autoclose int fd = index ? open(index, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    ATTEMPT(file_read_open(fd, &status, INDEX_BYTES_MAX, arena, &text, &length)) < 0 ||
	    ATTEMPT(gitindex_directories(arena, text, length, &share.centres, &share.count)) < 0)
		return false;
	share.index = file_state(&status);
	*ret_share = share;
	return share.count > 0;
}

// The first centre that does not sort before the path with `end` behind it, '\0' or '/'.
static unsigned first_from(const struct share *share, const char *path, size_t length, char end)
{
	unsigned low = 0, high = share->count;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		const char *centre = share->centres[middle];
		int order = strncmp(centre, path, length);
		if (order < 0 || (order == 0 && (unsigned char)centre[length] < (unsigned char)end))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_path(const char *whole, const char *path, size_t length)
{
	return strncmp(whole, path, length) == 0 && whole[length] == '\0';
}

static bool is_centre(const struct share *share, const char *path, size_t length)
{
	unsigned at = first_from(share, path, length, '\0');
	return (share->directory && is_path(share->directory, path, length)) ||
	       (at < share->count && is_path(share->centres[at], path, length));
}

bool share_is_centre(const struct share *share, const char *path)
{
	return !path[0] || is_centre(share, path, strlen(path));
}

bool share_lists(const struct dirs *list, const char *path)
{
	size_t at = list->begin;
	unsigned depth = 0; // of the part of the path that was met
	struct dirs_row row;
	while (dirs_next(list->text, list->length, &at, &row)) {
		size_t length = strcspn(path, "/");
		if (depth == 0 ? row.depth != 0 : row.depth < depth)
			return false;
		if (depth > 0 && (row.depth > depth || row.file || strlen(row.name) != length ||
				  memcmp(row.name, path, length) != 0))
			continue;
		path += depth > 0 ? length + (path[length] == '/') : 0;
		depth++;
		if (!path[0])
			return row.centre;
	}
	return false;
}

static bool is_below(const char *path, const char *above, size_t length)
{
	return path && strncmp(path, above, length) == 0 && path[length] == '/';
}

bool share_has(const struct share *share, const char *path)
{
	size_t length = strlen(path);
	const char *slash = strrchr(path, '/');
	if (length == 0 || !slash || is_centre(share, path, length) ||
	    is_centre(share, path, (size_t)(slash - path)))
		return true;
	unsigned below = first_from(share, path, length, '/');
	return (below < share->count && is_below(share->centres[below], path, length)) ||
	       is_below(share->directory, path, length);
}

bool share_tracks(const struct share *share, const char *path)
{
	char above[PATH_MAX];
	struct share tracked = *share;
	const char *slash = strrchr(path, '/');
	tracked.directory = NULL;
	return str_put(above, sizeof(above), "%.*s", slash ? (int)(slash - path) : 0, path) &&
	       share_has(&tracked, above);
}

// The path of the directory that was read last from a list.
struct row_path {
	char text[PATH_MAX];
	size_t ends[DIRS_DEPTH_MAX + 1]; // of the text, by depth
};

// Goes on to the directory of the next row. False: its path is too long.
static bool put_row(struct row_path *path, const struct dirs_row *row)
{
	size_t above = row->depth > 1 ? path->ends[row->depth - 1] : 0;
	size_t begin = above + (above > 0), length = strlen(row->name);
	if (begin + length >= sizeof(path->text))
		return false;
	path->text[above] = '/';
	memcpy(path->text + begin, row->name, length + 1);
	path->ends[row->depth] = begin + length;
	return true;
}

// The paths of a list's centres, sorted.
static const char **listed_centres(struct arena *arena, const struct dirs *list,
				   unsigned *ret_count)
{
	struct row_path path = { 0 };
	size_t at = list->begin;
	const char **found = NULL;
	unsigned count = 0, size = 0;
	struct dirs_row row;
	while (dirs_next(list->text, list->length, &at, &row)) {
		if (row.file || !put_row(&path, &row) || !row.centre)
			continue;
		found = arena_grow(arena, found, count, &size, sizeof(*found));
		found[count++] = arena_copy(arena, path.text, path.ends[row.depth]);
	}
	if (count > 0)
		qsort(found, count, sizeof(*found), str_compare);
	*ret_count = count;
	return found;
}

void share_of_list(struct arena *arena, const struct dirs *list, const char *directory,
		   struct share *ret_share)
{
	struct share share = { .directory = directory };
	share.centres = listed_centres(arena, list, &share.count);
	if (!share_lists(list, directory)) {
		const char **missing = arena_take(arena, sizeof(*missing));
		*missing = directory;
		share.missing = missing;
		share.missing_count = 1;
	}
	*ret_share = share;
}

void share_add(struct arena *arena, struct share *share, const char *const *paths, unsigned count)
{
	const char **all = arena_take(arena, (share->count + count + 1) * sizeof(*all));
	unsigned own = 0, kept = 0;
	for (; own < share->count; own++)
		all[own] = share->centres[own];
	for (unsigned i = 0; i < count; i++)
		all[own++] = paths[i];
	if (own > 0)
		qsort(all, own, sizeof(*all), str_compare);
	for (unsigned i = 0; i < own; i++)
		if (kept == 0 || strcmp(all[kept - 1], all[i]) != 0)
			all[kept++] = all[i];
	share->centres = all;
	share->count = kept;
}

void share_add_listed(struct arena *arena, struct share *share, const struct dirs *list)
{
	unsigned count;
	const char **listed = listed_centres(arena, list, &count);
	share_add(arena, share, listed, count);
}

void share_compare(struct arena *arena, struct share *share, const struct dirs *list)
{
	unsigned count, at = 0, missing = 0;
	const char **listed = listed_centres(arena, list, &count);
	const char **lacking = arena_take(arena, (share->count + 1) * sizeof(*lacking));
	for (unsigned i = 0; i < share->count; i++) {
		while (at < count && strcmp(listed[at], share->centres[i]) < 0)
			at++;
		if (at == count || strcmp(listed[at], share->centres[i]) != 0)
			lacking[missing++] = share->centres[i];
	}
	if (share->directory && !share_lists(list, share->directory))
		lacking[missing++] = share->directory;
	qsort(lacking, missing, sizeof(*lacking), str_compare);
	share->missing = lacking;
	share->missing_count = missing;
}

bool share_misses(const struct share *share, const char *path)
{
	const struct share lacking = { .centres = share ? share->missing : NULL,
				       .count = share ? share->missing_count : 0 };
	size_t length = strlen(path);
	if (lacking.count == 0)
		return false;
	unsigned below = length == 0 ? 0 : first_from(&lacking, path, length, '/');
	return length == 0 || is_centre(&lacking, path, length) ||
	       (below < lacking.count && is_below(lacking.centres[below], path, length));
}

// A directory outside the share is left out, with all rows below it.
void share_of_whole(const struct share *share, const struct dirs *whole, struct dirs *ret_part)
{
	struct dirs part = { .whole = true, .index = share->index };
	struct row_path path = { 0 };
	size_t at = whole->begin;
	unsigned away = 0; // the depth of the one that is left out, or 0
	struct dirs_row row;
	while (dirs_next(whole->text, whole->length, &at, &row)) {
		if (away > 0 && row.depth > away)
			continue;
		away = 0;
		if (row.depth > 0 && !row.file) {
			if (!put_row(&path, &row)) {
				part.whole = false;
				break;
			}
			away = share_has(share, path.text) ? 0 : row.depth;
		}
		row.centre = away == 0 && !row.file && share_is_centre(share, path.text);
		if (away == 0)
			dirs_copy(&part, &row);
		part.whole = part.whole && away == 0;
	}
	*ret_part = part;
}
