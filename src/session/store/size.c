// Owns the counting of bytes.
#include "session/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/owned.h"

uint64_t size_of_layer(const struct store *store, const struct session *session, unsigned layer)
{
	autoclose int fd = openat(store->layers, session->layers[layer].id,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? 0 : owned_size(fd);
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
	bool measured = child > 0 &&
			fd_read_all(ends[0], ret_bytes, sizeof(*ret_bytes)) == sizeof(*ret_bytes);
	fd_close(&ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return measured ? 0 : fail(0, "the layers of a session could not be measured");
}
