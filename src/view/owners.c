// Owns the list of such files, and the conditions for a copy.
#include "view/owners.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "view/paths/resolve.h"
#include "view/paths/wishes.h"

enum { FILES_MAX = 64, BYTES_MAX = 64 << 10 };

// ssh(1) checks the owner of each file that ssh_config(5) includes.
static const char directory[] = "/etc/ssh/ssh_config.d";

// Only what root alone writes and everybody reads.
static const char *copy_of(struct arena *arena, const struct resolved *file)
{
	struct stat status;
	const char *text;
	size_t length;
	autoclose int fd = file_open(AT_FDCWD, file->path, 0, &status);
	if (fd < 0 || status.st_dev != file->identity.device ||
	    status.st_ino != file->identity.inode || status.st_uid != 0 ||
	    (status.st_mode & (S_IWGRP | S_IWOTH | S_IROTH)) != S_IROTH ||
	    file_read_open(fd, &status, BYTES_MAX, arena, &text, &length) != 1 ||
	    strlen(text) != length)
		return NULL;
	return text;
}

static int add(struct wishes *wishes, const char *name)
{
	struct mount own = { .kind = MOUNT_TEXT,
			     .access = ACCESS_READ,
			     .from = { .file = "owners", .order = ~0U } };
	struct resolved file;
	int found = ATTEMPT(
		resolve_path(wishes->resolver, path_below(wishes->arena, directory, name), &file));
	if (found != 1 || file.identity.type != S_IFREG || !wishes_is_seen(wishes, file.path))
		return 0;
	own.target = file.path;
	own.identity = file.identity;
	own.source = copy_of(wishes->arena, &file);
	return own.source ? wishes_add(wishes, &own, false) : 0;
}

int owners_plan(struct wishes *wishes)
{
	_Alignas(struct sys_entry) char entries[2048] __attribute__((uninitialized));
	const struct plan *plan = wishes->plan;
	unsigned count = 0;
	long size;
	if (plan->uid == 0 || plan->as_root || plan->tier != TIER_FULL ||
	    !wishes_is_seen(wishes, directory) || wishes_is_lasting(wishes, directory))
		return 0;
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0 && (size = sys_getdents(fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size;) {
			const struct sys_entry *entry = (const void *)(entries + at);
			at += entry->size;
			if (str_ends(entry->name, ".conf") && count++ < FILES_MAX)
				TRY(add(wishes, entry->name));
		}
	return 0;
}
