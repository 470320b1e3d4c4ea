// Owns the search for a home in the list of users.
#include "base/base.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Name services would load libraries into a static program.
const char *passwd_home(struct arena *arena, const char *user, size_t length)
{
	const char *home = NULL;
	FILE *file = fopen("/etc/passwd", "re");
	if (!file)
		return NULL;
	for (const struct passwd *entry = fgetpwent(file); entry && !home; entry = fgetpwent(file))
		if (entry->pw_dir[0] == '/' && entry->pw_dir[1] &&
		    (user ? strlen(entry->pw_name) == length &&
				     memcmp(entry->pw_name, user, length) == 0
			  : entry->pw_uid == geteuid()))
			home = path_clean(arena, entry->pw_dir);
	fclose(file);
	return home;
}
