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
	struct arena *brief = arena_new_of(INDEX_ARENA);
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
	unsigned room = share->count + other->count + 2, count = 0, kept = 0;
	for (const char *at = directory; *at; at++)
		room += *at == '/';
	const char **all = arena_take(arena, room * sizeof(*all));
	struct gitindex_kept *files =
		arena_take(arena, (share->kept_count + other->kept_count + 1) * sizeof(*files));
	for (unsigned i = 0; i < share->count; i++)
		all[count++] = share->centres[i];
	for (unsigned i = 0; i < other->count; i++)
		all[count++] = other->centres[i];
	all[count++] = directory;
	for (const char *at = directory; *at; at++)
		if (*at == '/')
			all[count++] = arena_copy(arena, directory, (size_t)(at - directory));
	all[count++] = "";
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

unsigned share_find(const struct share *share, const char *path)
{
	const char *const *found =
		bsearch(&path, share->centres, share->count, sizeof(*share->centres), str_compare);
	return found ? (unsigned)(found - share->centres) : SHARE_NONE;
}
