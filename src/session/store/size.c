// Owns the counting of bytes.
#include "session/store/store.h"

#include <fcntl.h>

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
