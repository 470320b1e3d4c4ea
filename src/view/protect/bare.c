// Owns the look at the top of what is writable for the parts of a git directory.
#include "view/protect/bare.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "git/recognise.h"
#include "view/paths/wishes.h"
#include "view/protect/protect.h"
#include "view/protect/repository.h"

int bare_protect(struct wishes *wishes, const char *root, struct origin from)
{
	struct stat status;
	const char *head = path_below(wishes->arena, root, "HEAD");
	if (!names_lack(&wishes->names, head) && lstat(head, &status) == 0) {
		autoclose int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && git_directory(fd) != GIT_NONE &&
		    protect_stood(wishes->plan, path_below(wishes->arena, root, "config")))
			return repository_protect_bare(wishes, root, from);
	}
	return protect_guard(wishes, head, GUARD_BARE);
}
