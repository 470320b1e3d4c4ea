// Owns the counting of bytes.
#include "session/size.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "session/merged.h"

enum { DEPTH_MOST = 256, BLOCK = 512 };
#define ARENA_BYTES ((size_t)16 << 30)

static uint64_t size_of(struct arena *arena, int directory, int depth)
{
	struct stat status;
	char **names;
	uint64_t bytes = 0;
	int count = depth < DEPTH_MOST ? names_in(arena, directory, &names) : 0;
	for (int i = 0; i < count; i++) {
		if (fstatat(directory, names[i], &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		bytes += (uint64_t)status.st_blocks * BLOCK;
		autoclose int fd = S_ISDIR(status.st_mode) ?
					   openat(directory, names[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) :
					   -1;
		if (fd >= 0)
			bytes += size_of(arena, fd, depth + 1);
	}
	err_clear();
	return bytes;
}

uint64_t size_of_layer(const struct store *store, const struct session *session, unsigned layer)
{
	struct arena *arena = arena_new_of(ARENA_BYTES);
	autoclose int fd = openat(store->layers, session->layers[layer].id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	uint64_t bytes = fd < 0 ? 0 : size_of(arena, fd, 0);
	arena_free(arena);
	return bytes;
}

uint64_t size_of_session(const struct store *store, const struct session *session)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; i < session->layer_count; i++)
		bytes += size_of_layer(store, session, i);
	return bytes;
}
