// Owns the bounded walk for patterns. Links are not followed, .git is not entered.
#include "view/paths/pattern.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/entries.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "view/paths/wishes.h"

// For all patterns of a plan together.
enum { ENTRIES_MAX = 50000, MILLISECONDS_MAX = 200, DEPTH_MAX = 64 };

struct pattern_walk {
	struct wishes *wishes;
	const struct item *item;
	const char *name; // what the last name must match
	int (*found)(struct wishes *wishes, const struct item *item, const char *path);
	bool deep, cut;
	struct timespec start;
	long spent; // milliseconds
};

bool pattern_is(const char *text)
{
	return strchr(text, '*') != NULL;
}

// Time of the processor: a busy machine must not hide less. It is asked for at every 64th entry.
static bool out_of_budget(struct pattern_walk *walk)
{
	struct timespec now;
	if (++walk->wishes->walked % 64 == 0) {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
		walk->spent = (now.tv_sec - walk->start.tv_sec) * 1000 +
			      (now.tv_nsec - walk->start.tv_nsec) / 1000000;
	}
	walk->cut = walk->cut || walk->wishes->walked > ENTRIES_MAX ||
		    walk->wishes->walked_milliseconds + walk->spent > MILLISECONDS_MAX;
	return walk->cut;
}

// The box could open a directory of the caller's own by chmod(2): then nothing of it is shown.
static int found_shut(struct pattern_walk *walk, int directory, const char *name, const char *path)
{
	struct stat status;
	struct wishes *wishes = walk->wishes;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISDIR(status.st_mode) || status.st_uid != wishes->plan->uid)
		return 0;
	list_add(&wishes->plan->warnings, wishes->arena,
		 arena_text(wishes->arena,
			    "'%s' cannot be searched for '%s' and is hidden as a whole (its mode "
			    "is %04o)",
			    path, walk->item->text, (unsigned)status.st_mode & 07777),
		 walk->item->from);
	return walk->found(wishes, walk->item, path);
}

static int walk_directory(struct pattern_walk *walk, int directory, const char *path,
			  unsigned depth)
{
	entries_each (entry, directory) {
		if (out_of_budget(walk))
			return 0;
		if (str_equal(entry->name, ".git"))
			continue;
		char *below = path_below(walk->wishes->arena, path, entry->name);
		if (str_match(entry->name, walk->name)) {
			TRY(walk->found(walk->wishes, walk->item, below));
			continue;
		}
		bool other = entry->type != DT_DIR && entry->type != DT_UNKNOWN;
		if (!walk->deep || other || depth == DEPTH_MAX)
			continue;
		autoclose int fd = openat(directory, entry->name,
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			TRY(walk_directory(walk, fd, below, depth + 1));
		else if (errno == EACCES)
			TRY(found_shut(walk, directory, entry->name, below));
	}
	return 0;
}

int pattern_walk(struct wishes *wishes, const struct item *item,
		 int (*found)(struct wishes *wishes, const struct item *item, const char *path))
{
	struct pattern_walk walk = { .wishes = wishes, .item = item, .found = found };
	const char *where = origin_text(wishes->arena, item->from), *start = wishes->plan->project;
	walk.deep = str_starts(item->text, "**/");
	walk.name = path_name(item->text);
	size_t directory = (size_t)(walk.name - item->text);
	if (!start)
		return 0; // patterns are about the project
	if (!walk.deep && memchr(item->text, '*', directory))
		return fail(0,
			    "%s'%s': only the last name of a pattern may have '*', or it begins "
			    "with **/",
			    where, item->text);
	if (walk.deep && directory != strlen("**/"))
		return fail(0, "%s'%s': after **/ comes one name", where, item->text);
	if (!walk.deep && (item->text[0] == '/' || item->text[0] == '~' || item->text[0] == '$'))
		return fail(0, "%s'%s': a pattern is for the project: ./dir/NAME or **/NAME", where,
			    item->text);
	if (!walk.deep)
		start = path_join(wishes->arena, start,
				  arena_text(wishes->arena, "%.*s.", (int)directory, item->text));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &walk.start);
	autoclose int fd = open(start, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int result = fd >= 0           ? walk_directory(&walk, fd, start, 0)
		     : errno == EACCES ? found_shut(&walk, AT_FDCWD, start, start)
				       : 0;
	wishes->walked_milliseconds += walk.spent;
	if (walk.cut)
		list_add(&wishes->plan->warnings, wishes->arena,
			 arena_text(wishes->arena,
				    "%s'%s' was searched for only in a part of the project, which "
				    "is too large; name the files",
				    where, item->text),
			 item->from);
	return result;
}
