// Owns the search for names of a pattern. No link is followed.
#include "names/naming_find.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/entries.h"
#include "base/fd.h"
#include "base/str.h"
#include "base/sys.h"
#include "names/naming.h"

// The directory in which the component with the pattern stands, and what comes behind that.
static bool split(const char *name, char above[PATH_MAX], const char **ret_rest)
{
	const char *star = strpbrk(name, "*?"), *begin = star;
	while (begin > name && begin[-1] != '/')
		begin--;
	*ret_rest = strchrnul(star, '/');
	return str_put(above, PATH_MAX, "%.*s.", (int)(begin - name), name);
}

void naming_find(int root, const struct naming_row *settings,
		 void (*found)(void *owner, const char *name, const struct naming_row *settings),
		 void *owner)
{
	char above[PATH_MAX], name[PATH_MAX];
	const char *rest;
	if (!naming_is_pattern(settings)) {
		found(owner, settings->name, settings);
		return;
	}
	if (!split(settings->name, above, &rest))
		return;
	autoclose int fd = sys_openat2(root, above, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	entries_some (entry, fd, NAMING_ENTRIES_MAX)
		if (str_put(name, sizeof(name), "%.*s%s%s", (int)strlen(above) - 1, above,
			    entry->name, rest) &&
		    naming_is(settings, name))
			found(owner, name, settings);
}
