// Owns the list of what was changed and is only told.
#include "guard/changed.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "base/trusted.h"
#include "guard/vet.h"

enum { LOOKED_AT_MOST = 64, DEEPER_MOST = 8 };

bool changed_has(const struct check *check, int directory, const char *name)
{
	bool changed = false;
	int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	unsigned count = 0;
	if (!stream) // a file, or shut
		return vet_is_changed(check, directory, name);
	for (struct dirent *entry = readdir(stream); entry && !changed && count < LOOKED_AT_MOST;
	     entry = readdir(stream), count++)
		changed =
			!str_equal(entry->d_name, "..") && vet_is_changed(check, fd, entry->d_name);
	closedir(stream);
	return changed;
}

static bool is_told(const struct out *changed, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = changed->used ? changed->text : NULL; at;
	     at = strchr(at, '\n'), at += at != NULL)
		if (strncmp(at, name, length) == 0 && (at[length] == '\n' || at[length] == '\0'))
			return true;
	return false;
}

void changed_add(const struct check *check, const char *path)
{
	if (is_told(check->changed, vet_short_path(check->plan, path)))
		return;
	out_text(check->changed, "%s%s", check->changed->used ? "\n" : "",
		 vet_short_path(check->plan, path));
}

void changed_tell(const struct check *check, int directory, const char *name, const char *path)
{
	if (changed_has(check, directory, name))
		changed_add(check, path);
}

void changed_tell_deeper(struct deeper *deeper, const struct check *check, int directory,
			 const char *name, const char *path)
{
	char below[PATH_MAX];
	int above = (int)(path_name(path) - path);
	if (!trusted_is_deeper(path))
		return;
	trusted_each (row, TRUSTED_PROTECT) {
		const char *inside = strchr(trusted_name(row), '/') ? trusted_name(row) : name;
		if (trusted_begins(row, name) && changed_has(check, directory, inside) &&
		    snprintf(below, sizeof(below), "%.*s%s", above, path, inside) <
			    (int)sizeof(below) &&
		    deeper->count++ < DEEPER_MOST)
			changed_add(check, below);
	}
}

void changed_end(const struct deeper *deeper, const struct check *check)
{
	if (deeper->count > DEEPER_MOST)
		out_text(check->told,
			 "sbx: %u more names that editors and agents trust were changed below the "
			 "project\n",
			 deeper->count - DEEPER_MOST);
}
