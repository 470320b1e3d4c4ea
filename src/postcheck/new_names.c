// Owns the look at a directory's listing after, and during, a run.
#include "postcheck/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/base.h"
#include "names/trusted.h"
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "postcheck/git/vet.h"
#include "report/findings.h"

enum { LIVE_MAX = 4096 };

struct looking {
	struct check *check;
	const struct guard *guard;
	const char *above;
	const char **known; // sorted
	unsigned count;
	char text[PATH_MAX]; // of `above`
};

static void sort_known(struct looking *looking)
{
	list_each (item, &looking->guard->known)
		looking->count++;
	looking->known = malloc((looking->count + 1) * sizeof(*looking->known));
	if (!looking->known)
		abort();
	looking->count = 0;
	list_each (item, &looking->guard->known)
		looking->known[looking->count++] = item->text;
	qsort(looking->known, looking->count, sizeof(*looking->known), str_compare);
}

static void begin(struct looking *looking, struct check *check, const struct guard *guard)
{
	size_t length = strlen(guard->path) - 1; // without the dot
	*looking = (struct looking){ .check = check, .guard = guard, .above = looking->text };
	memcpy(looking->text, guard->path + length - guard->above, guard->above);
	looking->text[guard->above] = '\0';
	sort_known(looking);
}

static bool is_known(const struct looking *looking, const char *name)
{
	return bsearch(&name, looking->known, looking->count, sizeof(name), str_compare) != NULL;
}

static const struct trusted_row *find_pattern(const char *above, const char *name)
{
	size_t length = strlen(above);
	if (length == 0 && !trusted_may_begin(name))
		return NULL;
	trusted_each (row, TRUSTED_PROTECT)
		if (row->pattern && row->above == length && trusted_is(row, above, name))
			return row;
	return NULL;
}

static void report(struct looking *looking, const char *name)
{
	char path[PATH_MAX];
	const struct guard *guard = looking->guard;
	if (str_put(path, sizeof(path), "%.*s%s", (int)strlen(guard->path) - 1, guard->path, name))
		changed_add(looking->check, path);
}

// Of the names that begin with this one, those that are there.
static void report_rows(struct looking *looking, int directory, const char *name)
{
	struct stat status;
	trusted_each (row, TRUSTED_REPORT) {
		const char *whole = trusted_name(row);
		if (looking->above[0] ? !row->pattern || row->above != strlen(looking->above)
				      : row->pattern && row->above > 0)
			continue;
		if (trusted_is(row, looking->above, name)) {
			if (looking->above[0] || !changed_is_other(directory, name))
				report(looking, name);
			return;
		}
		if (!looking->above[0] && strchr(whole, '/') && !row->pattern &&
		    trusted_begins(row, name) && !is_known(looking, whole) &&
		    fstatat(directory, whole, &status, AT_SYMLINK_NOFOLLOW) == 0)
			report(looking, whole);
	}
}

static void look_at(struct looking *looking, int directory, const char *name)
{
	struct check *check = looking->check;
	bool part = looking->guard->kind == GUARD_LISTED_PART;
	char path[PATH_MAX];
	bool known = is_known(looking, name);
	if ((!looking->above[0] && !trusted_may_begin(name)) || (known && !looking->guard->many) ||
	    (part && !finding_is_changed(check, directory, name)) ||
	    (known && !changed_has(check, directory, name)))
		return;
	if (known || !find_pattern(looking->above, name)) {
		report_rows(looking, directory, name);
		return;
	}
	// Of what stood there not all is known: the user's own is never taken away.
	if (part)
		report(looking, name);
	else if (snprintf(path, sizeof(path), "%.*s%s", (int)strlen(looking->guard->path) - 1,
			  looking->guard->path, name) < (int)sizeof(path))
		vet_absent(check, directory, name, path);
}

// A reported name that is gone, too: without .npmrc an install runs scripts again. In another case
// it may have been a directory: "build" is not BUILD.
static void report_gone(struct looking *looking, int directory)
{
	struct stat status;
	for (unsigned i = 0; i < looking->count && !looking->above[0]; i++) {
		const char *name = looking->known[i];
		bool reported = false;
		trusted_each (row, TRUSTED_REPORT)
			reported =
				reported || (trusted_begins(row, name) &&
					     (row->pattern || str_starts(trusted_name(row), name)));
		if (reported && fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 &&
		    errno == ENOENT)
			report(looking, name);
	}
}

void listed_look(struct check *check, int directory, const struct guard *guard)
{
	struct looking looking;
	begin(&looking, check, guard);
	autoclose int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entries_each (entry, fd)
		look_at(&looking, directory, entry->name);
	report_gone(&looking, directory);
	if (fd < 0)
		findings_add(check->found, FINDING_NOT_LISTED,
			     finding_path(check->plan, guard->path), "", "");
	free(looking.known);
}

bool listed_came(int directory, const struct guard *guard, char *ret_name, size_t size)
{
	struct looking looking;
	bool came = false;
	if (guard->kind != GUARD_LISTED)
		return false;
	begin(&looking, NULL, guard);
	autoclose int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entries_some (entry, fd, LIVE_MAX) {
		came = find_pattern(looking.above, entry->name) &&
		       !is_known(&looking, entry->name) &&
		       str_put(ret_name, size, "%s", entry->name);
		if (came)
			break;
	}
	free(looking.known);
	return came;
}
