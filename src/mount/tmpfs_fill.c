// Owns the copying of a directory's files into a tmpfs.
#include "mount/tmpfs_fill.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "base/sys.h"
#include "mount/target.h"
#include "plan.h"

static bool is_hidden(const struct plan *plan, const char *directory, const char *name)
{
	size_t length = strlen(directory);
	list_each (item, &plan->hidden)
		if (strncmp(item->text, directory, length) == 0 && item->text[length] == '/' &&
		    str_equal(item->text + length + 1, name))
			return true;
	return false;
}

static int copy_file(int from, int to, const char *name)
{
	struct stat status;
	autoclose int source =
		openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (source < 0 || fstat(source, &status) < 0 || !S_ISREG(status.st_mode) ||
	    status.st_size > FILL_BYTES_MAX)
		return 0;
	autoclose int target =
		openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777);
	if (target < 0)
		return fail(errno, "copy '%s'", name);
	for (off_t left = status.st_size; left > 0;) {
		ssize_t copied = sendfile(target, source, NULL, (size_t)left);
		if (copied < 0)
			return fail(errno, "copy '%s'", name);
		left = copied == 0 ? 0 : left - copied; // it has become shorter
	}
	return 0;
}

int fill_child(const struct plan *plan, const struct mount *mount, int tree)
{
	_Alignas(struct sys_entry) char entries[4096] __attribute__((uninitialized));
	unsigned count = 0;
	long size;
	autoclose int source = sys_openat2(AT_FDCWD, mount->source,
					   O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (source < 0 || !target_is_same(source, &mount->identity))
		return fail(ERR_CHANGED, "'%s' changed while the plan was made", mount->source);
	while ((size = sys_getdents(source, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size;) {
			const struct sys_entry *entry = (const void *)(entries + at);
			at += entry->size;
			if ((entry->type != DT_REG && entry->type != DT_UNKNOWN) ||
			    is_hidden(plan, mount->source, entry->name))
				continue;
			if (count++ == FILL_FILES_MAX)
				return 0;
			TRY(copy_file(source, tree, entry->name));
		}
	return size < 0 ? fail(errno, "'%s'", mount->source) : 0;
}
