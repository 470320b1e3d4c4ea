// Owns the bounded walk to settings in directories of versions (profiles/settings.txt).
#include "view/secrets/hide.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "view/paths/wishes.h"

enum { ENTRIES_MAX = 2000, ENTRIES_BYTES = 4096 };

struct starred_walk {
	struct wishes *wishes;
	int (*found)(struct wishes *wishes, const char *path);
	unsigned entries;
};

static int walk(struct starred_walk *walker, const char *directory, const char *rest);

// Below a name that was found nearly nothing is there: one look says so.
static int walk_entry(struct starred_walk *walker, const char *path, const char *rest)
{
	const char *whole = *rest ? path_join(walker->wishes->plan->scratch, path, rest) : path;
	if (strchr(rest, '*'))
		return walk(walker, path, rest);
	return access(whole, F_OK) == 0 ? walker->found(walker->wishes, whole) : 0;
}

static int walk_name(struct starred_walk *walker, const char *directory, const char *name,
		     const char *rest)
{
	struct arena *scratch = walker->wishes->plan->scratch;
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entries_each (entry, fd) {
		if (!str_match(entry->name, name))
			continue;
		if (walker->entries++ >= ENTRIES_MAX)
			return 0;
		TRY(walk_entry(walker, path_below(scratch, directory, entry->name), rest));
	}
	return 0;
}

// `rest` has names without '*', then one with it, or only the first.
static int walk(struct starred_walk *walker, const char *directory, const char *rest)
{
	struct arena *scratch = walker->wishes->plan->scratch;
	const char *star = strchr(rest, '*'), *name = star;
	if (!star)
		return walker->found(walker->wishes, path_join(scratch, directory, rest));
	while (name > rest && name[-1] != '/')
		name--;
	size_t length = strcspn(name, "/");
	const char *above = name == rest
				    ? directory
				    : path_join(scratch, directory,
						arena_copy(scratch, rest, (size_t)(name - rest)));
	return walk_name(walker, above, arena_copy(scratch, name, length),
			 name + length + (name[length] == '/'));
}

int starred_walk(struct wishes *wishes, const char *pattern,
		 int (*found)(struct wishes *wishes, const char *path))
{
	struct starred_walk walker = { .wishes = wishes, .found = found };
	bool home = str_starts(pattern, "~/");
	int result = walk(&walker, home ? wishes->plan->real_home : "/", pattern + (home ? 2 : 1));
	if (walker.entries > ENTRIES_MAX)
		list_add(&wishes->plan->warnings, wishes->arena,
			 arena_text(wishes->arena,
				    "'%s' matches more than %d names: secrets in the others are "
				    "not hidden; name them with --hide",
				    pattern, ENTRIES_MAX),
			 (struct origin){ .file = "secrets" });
	return result;
}
