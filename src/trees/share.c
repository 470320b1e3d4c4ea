// Owns the choice of the directories that every run checks.
#include "trees/git_list.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "names/trusted.h"

enum { INDEX_BYTES_MAX = 128 << 20 };
#define INDEX_ARENA ((size_t)INDEX_BYTES_MAX + (1 << 20))

bool share_read(struct arena *arena, const char *index, const struct file_state *state,
		struct share *ret_share)
{
	struct gitindex_directories directories = { 0 };
	struct stat status;
	const char *text;
	size_t length;
	autoclose int fd = open(index, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	struct arena *brief = arena_new_own(INDEX_ARENA);
	bool done =
		ATTEMPT(file_read_open(fd, &status, INDEX_BYTES_MAX, brief, &text, &length)) >= 0 &&
		ATTEMPT(gitindex_directories(arena, text, length, trusted_keeps, &directories)) ==
			0 &&
		fstat(fd, &status) == 0;
	struct file_state now = file_state(&status);
	arena_free(brief);
	done = done && file_state_equal(&now, state);
	if (done)
		*ret_share = (struct share){ .index = now,
					     .centres = directories.paths,
					     .count = directories.count,
					     .kept = directories.kept,
					     .kept_count = directories.kept_count };
	return done;
}

void share_add(struct arena *arena, struct share *share, const struct share *other,
	       const char *directory)
{
	const char **all = arena_take(arena, (share->count + other->count + 1) * sizeof(*all));
	struct gitindex_kept *files =
		arena_take(arena, (share->kept_count + other->kept_count + 1) * sizeof(*files));
	unsigned count = 0, kept = 0;
	for (unsigned i = 0; i < share->count; i++)
		all[count++] = share->centres[i];
	for (unsigned i = 0; i < other->count; i++)
		all[count++] = other->centres[i];
	all[count++] = directory;
	qsort(all, count, sizeof(*all), str_compare);
	for (unsigned i = 0; i < count; i++)
		if (kept == 0 || strcmp(all[kept - 1], all[i]) != 0)
			all[kept++] = all[i];
	if (share->kept_count > 0)
		memcpy(files, share->kept, share->kept_count * sizeof(*files));
	if (other->kept_count > 0)
		memcpy(files + share->kept_count, other->kept, other->kept_count * sizeof(*files));
	share->centres = all;
	share->count = kept;
	share->kept = files;
	share->kept_count += other->kept_count;
	share->directory = directory;
}

unsigned share_first(const struct share *share, const char *path, size_t length, char end)
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

bool share_is_centre(const struct share *share, const char *path, size_t length)
{
	unsigned at = share_first(share, path, length, '\0');
	return at < share->count && strncmp(share->centres[at], path, length) == 0 &&
	       share->centres[at][length] == '\0';
}
