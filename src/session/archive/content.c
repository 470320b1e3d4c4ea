// Owns nothing: reads on where the archive stands.
#include "session/archive/archive.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "session/archive/tar.h"

enum { BUFFER = 65536 };

static uint64_t padded(uint64_t size)
{
	return (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
}

int content_bytes(int archive, void *bytes, size_t length)
{
	ssize_t got = fd_read_all(archive, bytes, length);
	if (got < 0)
		return fail(errno, "read the archive");
	return (size_t)got == length ? 0 : fail(0, "the archive ends too early");
}

int content_skip(int archive, uint64_t size)
{
	static char buffer[BUFFER];
	for (uint64_t left = padded(size); left > 0;) {
		size_t want = left < BUFFER ? (size_t)left : BUFFER;
		TRY(content_bytes(archive, buffer, want));
		left -= want;
	}
	return 0;
}

int content_copy(int archive, int to, uint64_t size)
{
	static char buffer[BUFFER], zeros[BUFFER];
	for (uint64_t done = 0; done < size;) {
		size_t want = size - done < BUFFER ? (size_t)(size - done) : BUFFER;
		TRY(content_bytes(archive, buffer, (size_t)padded(want)));
		if (memcmp(buffer, zeros, want) != 0 &&
		    (lseek(to, (off_t)done, SEEK_SET) < 0 || fd_write_all(to, buffer, want) < 0))
			return fail(errno, "write to the layer");
		done += want;
	}
	return ftruncate(to, (off_t)size) < 0 ? fail(errno, "write to the layer") : 0;
}
