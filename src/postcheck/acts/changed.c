// Owns the list of changes that are only reported.
#include "postcheck/acts/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "names/names.h"
#include "report/findings.h"

enum { NAMES_OF_ROW = 3, NAMES_OF_NONE = 40, NAME_SHOWN_MAX = 200 };

bool changed_has(const struct check *check, int directory, const char *name)
{
	autoclose int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (finding_is_changed(check, fd < 0 ? directory : fd, fd < 0 ? name : ""))
		return true;
	entries_each (entry, fd)
		if (finding_is_changed(check, fd, entry->name))
			return true;
	return false;
}

// Whether a stopped `git am` keeps patches here: git runs none.
static bool is_stopped_am(const char *path)
{
	char file[PATH_MAX];
	return str_equal(path_name(path), "rebase-apply") &&
	       str_put(file, sizeof(file), "%s/applying", path) && access(file, F_OK) == 0;
}

void changed_add(const struct check *check, const char *path)
{
	if (check->living || is_stopped_am(path))
		return;
	const char *shown = finding_path(check->plan, path);
	const struct trusted_row *row = trusted_find(shown);
	unsigned most = row ? NAMES_OF_ROW : NAMES_OF_NONE;
	size_t number = row ? (size_t)(row - trusted_rows) + 1 : 0;
	struct changed_row *of = check->rows ? &check->rows->list[number % CHANGED_ROWS_MAX] : NULL;
	if (of && (of->named == most || strlen(shown) > NAME_SHOWN_MAX)) {
		of->more++;
		check->rows->more = true;
		of->below = of->below || strchr(shown, '/');
	} else if (!findings_has(check->found, FINDING_CHANGED, shown)) {
		findings_add(check->found, FINDING_CHANGED, shown, "", "");
		if (of)
			of->named++;
	}
}

void changed_end(const struct check *check)
{
	char text[PATH_MAX];
	for (size_t i = 0; check->rows && check->rows->more && i < CHANGED_ROWS_MAX; i++) {
		const struct changed_row *of = &check->rows->list[i];
		const char *name = i ? trusted_name(&trusted_rows[i - 1]) : "other files";
		if (of->more > 0 && str_put(text, sizeof(text), "%s%s (%u more)",
					    i && of->below ? "**/" : "", name, of->more))
			findings_add(check->found, FINDING_CHANGED, text, "", "");
	}
}

bool changed_in_other_case(const char *name)
{
	bool other = false;
	trusted_each (row, TRUSTED_TELL) {
		if (row->pattern || strchr(trusted_name(row), '/') || !trusted_begins(row, name))
			continue;
		if (str_equal(trusted_name(row), name))
			return false;
		other = true;
	}
	return other;
}

bool changed_is_other(int directory, const char *name)
{
	struct stat status;
	return changed_in_other_case(name) &&
	       fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(status.st_mode);
}

void changed_tell(const struct check *check, int directory, const char *name, const char *path)
{
	if (changed_has(check, directory, name) && !changed_is_other(directory, name))
		changed_add(check, path);
}

void changed_follow(const struct check *check, int directory, const struct item *name,
		    const char *path)
{
	struct stat status;
	autoclose int fd = sys_openat2(directory, name->text, O_PATH | O_CLOEXEC,
				       RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);
	if (fd >= 0 && fstat(fd, &status) == 0 &&
	    ((unsigned)status.st_ino != name->from.order || finding_is_late(check, &status)))
		changed_add(check, path);
}

// Whether the program, or its link's target on this file system, changed.
static bool is_program_changed(const struct check *check, int directory, const char *name)
{
	struct stat status;
	autoclose int fd = sys_openat2(directory, name, O_PATH | O_CLOEXEC,
				       RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);
	return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       (status.st_mode & 0111) &&
	       (finding_is_changed(check, fd, "") || finding_is_changed(check, directory, name));
}

void changed_programs(const struct check *check, int directory, const struct place *place)
{
	bool changed = finding_is_changed(check, directory, "");
	entries_each (entry, changed ? -1 : directory) {
		changed = is_program_changed(check, directory, entry->name);
		if (changed)
			break;
	}
	if (changed)
		changed_add(check, place->path);
}

void changed_tell_wall(const struct check *check, int directory, const char *name, const char *path)
{
	char below[PATH_MAX];
	int above = (int)(path_name(path) - path);
	if (!trusted_is_deeper(path))
		return;
	trusted_each (row, TRUSTED_WALL) {
		const char *inside = strchr(trusted_name(row), '/') ? trusted_name(row) : name;
		if (trusted_begins(row, name) && changed_has(check, directory, inside) &&
		    str_put(below, sizeof(below), "%.*s%s", above, path, inside))
			changed_add(check, below);
	}
}

void changed_tell_deeper(const struct check *check, int directory, const char *name,
			 const char *path)
{
	if (trusted_is_below(path) && changed_has(check, directory, name) &&
	    !changed_is_other(directory, name))
		changed_add(check, path);
	changed_tell_wall(check, directory, name, path);
}

void changed_take_pipe(struct check *check, int directory, const char *name, const char *path)
{
	struct stat status;
	if (trusted_is_opened(name) &&
	    fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISFIFO(status.st_mode) && finding_is_made(check, directory, name))
		finding_take(check, directory, name, path, FINDING_WAITS);
}
