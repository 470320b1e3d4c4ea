// Owns the choice of the directories that every run checks.
#include "trees/share.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/file_state.h"
#include "base/path.h"
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

// The first centre that does not sort before the path with a slash.
static unsigned first_below(const struct share *share, const char *path, size_t length)
{
	unsigned low = 0, high = share->count;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		const char *centre = share->centres[middle];
		int order = strncmp(centre, path, length);
		if (order < 0 || (order == 0 && (unsigned char)centre[length] < '/'))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_centre(const struct share *share, const char *path, size_t length)
{
	unsigned low = 0, high = share->count;
	const char *own = share->directory;
	if (own && strlen(own) == length && memcmp(own, path, length) == 0)
		return true;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		int order = strncmp(share->centres[middle], path, length);
		if (order == 0 && share->centres[middle][length] == '\0')
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
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
	unsigned below = first_below(share, path, length);
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

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// The paths of a list's centres, sorted.
static const char **listed_centres(struct arena *arena, const struct dirs *list,
				   unsigned *ret_count)
{
	char path[PATH_MAX] = "";
	size_t ends[DIRS_DEPTH_MAX + 1] = { 0 }, at = list->begin;
	const char **found = NULL;
	unsigned count = 0, size = 0;
	struct dirs_row row;
	while (dirs_next(list->text, list->length, &at, &row)) {
		size_t above = row.depth > 1 ? ends[row.depth - 1] : 0;
		size_t end = above + (above > 0) + strlen(row.name);
		if (row.file || end >= sizeof(path))
			continue;
		path[above] = '/';
		memcpy(path + above + (above > 0), row.name, strlen(row.name) + 1);
		ends[row.depth] = end;
		if (!row.centre)
			continue;
		found = arena_grow(arena, found, count, &size, sizeof(*found));
		found[count++] = arena_copy(arena, path, end);
	}
	if (count > 0)
		qsort(found, count, sizeof(*found), compare_names);
	*ret_count = count;
	return found;
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
	qsort(lacking, missing, sizeof(*lacking), compare_names);
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
	unsigned below = length == 0 ? 0 : first_below(&lacking, path, length);
	return length == 0 || is_centre(&lacking, path, length) ||
	       (below < lacking.count && is_below(lacking.centres[below], path, length));
}

// A directory outside the share is left out, with all rows below it.
void share_of_whole(const struct share *share, const struct dirs *whole, struct dirs *ret_part)
{
	struct dirs part = { .whole = true, .index = share->index };
	char path[PATH_MAX] = "";
	size_t ends[DIRS_DEPTH_MAX + 1] = { 0 }, at = whole->begin;
	unsigned away = 0; // the depth of the one that is left out, or 0
	struct dirs_row row;
	while (dirs_next(whole->text, whole->length, &at, &row)) {
		if (away > 0 && row.depth > away)
			continue;
		away = 0;
		if (row.depth > 0 && !row.file) {
			size_t above = row.depth > 1 ? ends[row.depth - 1] : 0;
			size_t end = above + (above > 0) + strlen(row.name);
			if (end >= sizeof(path)) {
				part.whole = false;
				break;
			}
			path[above] = '/';
			memcpy(path + above + (above > 0), row.name, strlen(row.name) + 1);
			ends[row.depth] = end;
			away = share_has(share, path) ? 0 : row.depth;
		}
		row.centre = away == 0 && !row.file && share_is_centre(share, path);
		if (away == 0)
			dirs_copy(&part, &row);
		part.whole = part.whole && away == 0;
	}
	*ret_part = part;
}
