// Owns the way in which what a look found is written.
#include "trees/kept.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"

bool kept_write(const char *file, const char *text, size_t length, bool durable)
{
	FORGIVING;
	char path[PATH_MAX], fresh[NAME_MAX];
	const char *name = path_name(file);
	str_put(path, sizeof(path), "%.*s", (int)(name - file - 1), file);
	snprintf(fresh, sizeof(fresh), ".%.200s-%d", name, (int)getpid());
	autoclose int directory = owned_directory(path);
	autoclose int fd =
		directory < 0 ? -1
			      : openat(directory, fresh,
				       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool done = fd >= 0 && fd_write_all(fd, text, length) == 0 &&
		    (!durable || fsync(fd) == 0) &&
		    renameat(directory, fresh, directory, name) == 0 &&
		    (!durable || fsync(directory) == 0);
	if (fd >= 0 && !done)
		unlinkat(directory, fresh, 0);
	return done;
}
