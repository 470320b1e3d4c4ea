// Owns the counting of bytes.
#include "session/size.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/owned.h"
#include "session/merged.h"

enum { DEPTH_MOST = 256, BLOCK = 512 };
#define ARENA_BYTES ((size_t)16 << 30)

static uint64_t size_of(struct arena *arena, int directory, int depth)
{
	struct stat status;
	char **names;
	uint64_t bytes = 0;
	int count = depth < DEPTH_MOST ? names_in(arena, directory, &names) : -1;
	if (count < 0)
		return SIZE_UNKNOWN;
	for (int i = 0; i < count && bytes < SIZE_UNKNOWN; i++) {
		if (fstatat(directory, names[i], &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue; // gone since
		bytes += (uint64_t)status.st_blocks * BLOCK;
		if (!S_ISDIR(status.st_mode))
			continue;
		autoclose int fd = openat(directory, names[i],
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			bytes += size_of(arena, fd, depth + 1);
		else if (errno != ENOENT)
			bytes = SIZE_UNKNOWN;
	}
	return bytes < SIZE_UNKNOWN ? bytes : SIZE_UNKNOWN;
}

uint64_t size_of_layer(const struct store *store, const struct session *session, unsigned layer)
{
	struct arena *arena = arena_new_of(ARENA_BYTES);
	autoclose int fd = openat(store->layers, session->layers[layer].id,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	uint64_t bytes = fd < 0 ? 0 : size_of(arena, fd, 0);
	arena_free(arena);
	err_clear();
	return bytes;
}

uint64_t size_of_session(const struct store *store, const struct session *session)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; i < session->layer_count && bytes < SIZE_UNKNOWN;
	     i++) // four unknown ones would be 0 again
		bytes += size_of_layer(store, session, i);
	return bytes < SIZE_UNKNOWN ? bytes : SIZE_UNKNOWN;
}

int size_measure(const struct store *store, const struct session *session, uint64_t *ret_bytes)
{
	int ends[2], status;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(errno, "pipe");
	pid_t child = fork();
	if (child == 0) {
		uint64_t bytes = owned_override(OVER_READING) < 0 ? SIZE_UNKNOWN
								  : size_of_session(store, session);
		_exit(write(ends[1], &bytes, sizeof(bytes)) != sizeof(bytes));
	}
	fd_close(&ends[1]);
	bool told = child > 0 &&
		    fd_read_all(ends[0], ret_bytes, sizeof(*ret_bytes)) == sizeof(*ret_bytes);
	fd_close(&ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return told ? 0 : fail(0, "the layers of a session could not be measured");
}
