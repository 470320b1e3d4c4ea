// Owns the order of a sweep: each directory before its entries.
#include "trees/git_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "git/gitindex.h"
#include "git/recognise.h"
#include "text/words.h"

// A small tree is seen whole, however slow the machine: so many entries are looked at in any case.
enum { ENTRIES_LEAST = 512, CLOCK_EACH = 64, DEPTH_MAX = 240, NANOSECONDS = 1000000000 };
// Memory of a directory, however many entries it has.
enum { BUFFER_BYTES = 32768, NAMES_MAX = BUFFER_BYTES / 24 };

// The entries that were read last.
struct walk_part {
	_Alignas(struct dirent) char bytes[BUFFER_BYTES];
	ssize_t size;
	const char *names[NAMES_MAX]; // of directories
};

static bool is_over(struct git_walk *walk)
{
	if (!walk->cut && walk->processor > 0 && ++walk->entries > ENTRIES_LEAST &&
	    walk->entries % CLOCK_EACH == 0)
		walk->cut = processor_now() - walk->begin > walk->processor;
	return walk->cut;
}

static const char *inside(const struct git_walk *walk)
{
	return walk->length > walk->root ? walk->path + walk->root + 1 : "";
}

static bool go_to(struct git_walk *walk, size_t length, const char *name, size_t bytes)
{
	if (length + bytes + 1 >= sizeof(walk->path)) {
		walk->lost = true;
		return false;
	}
	walk->path[length] = '/';
	memcpy(walk->path + length + 1, name, bytes);
	walk->length = length + 1 + bytes;
	walk->path[walk->length] = '\0';
	return true;
}

static void go_back(struct git_walk *walk, size_t length)
{
	walk->path[length] = '\0';
	walk->length = length;
}

// Since when a directory has its names: a box can set no ctime back.
enum news { OLD, SINCE, IN_RUN };

static enum news news_of(const struct git_walk *walk, const struct stat *status)
{
	int64_t changed = status->st_ctim.tv_sec * (int64_t)NANOSECONDS + status->st_ctim.tv_nsec;
	return changed >= walk->start ? IN_RUN : changed >= walk->since ? SINCE : OLD;
}

static void meet(struct git_walk *walk, int directory, const char *name)
{
	if (walk->probes)
		walk->cut = true;
	else if (walk->repository)
		walk->repository(walk, directory, name);
}

// What the names in a directory say about it.
struct met {
	bool head, git, below;
};

static void meet_entry(struct git_walk *walk, int directory, const struct dirent *entry,
		       struct met *met)
{
	const char *name = entry->d_name;
	size_t length = walk->length;
	met->head = met->head || strcasecmp(name, "HEAD") == 0;
	met->git = met->git || component_is_git(name); // the file system says whether it is one
	met->below = met->below || entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
	if (!walk->entry || walk->probes || !go_to(walk, length, name, strlen(name)))
		return;
	walk->entry(walk, directory, entry);
	go_back(walk, length);
}

static bool read_part(int directory, struct walk_part *part)
{
	ssize_t size = getdents64(directory, part->bytes, sizeof(part->bytes));
	if (size > 0)
		part->size = size;
	return size > 0;
}

#define part_each(entry, part)                                                                     \
	for (const struct dirent *entry = (const void *)(part)->bytes;                             \
	     (const char *)entry < (part)->bytes + (part)->size;                                   \
	     entry = (const void *)((const char *)entry + entry->d_reclen))

// Whether all entries are in `part`.
static bool read_entries(struct git_walk *walk, int directory, struct walk_part *part,
			 struct met *met)
{
	size_t length = walk->length;
	unsigned parts = 0;
	for (; !walk->cut && read_part(directory, part); parts++)
		part_each(entry, part) if (!is_over(walk) && !str_equal(entry->d_name, ".") &&
					   !str_equal(entry->d_name, ".."))
			meet_entry(walk, directory, entry, met);
	if (met->git && walk->depth > 0 && go_to(walk, length, ".git", 4))
		meet(walk, directory, ".git");
	go_back(walk, length);
	if (met->head && walk->depth > 0 && git_directory(directory) != GIT_NONE)
		meet(walk, directory, ".");
	return parts == 1;
}

static void enter(struct git_walk *walk, enum news all, enum news came);

// One component more than where the walk is.
static void go_down(struct git_walk *walk, const char *name, size_t bytes, enum news all,
		    enum news came)
{
	size_t length = walk->length;
	if (!go_to(walk, length, name, bytes))
		return;
	walk->depth++;
	if (!walk->passes || !walk->passes(walk))
		enter(walk, all, came);
	walk->depth--;
	go_back(walk, length);
}

// By name, as far as so many entries are read at once.
static void visit_below(struct git_walk *walk, struct walk_part *part, enum news all,
			enum news came)
{
	unsigned count = 0;
	part_each(entry, part) if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
				   !str_equal(entry->d_name, ".") &&
				   !str_equal(entry->d_name, "..") &&
				   !str_equal(entry->d_name, ".git") && count < NAMES_MAX)
		part->names[count++] = entry->d_name;
	if (count > 0)
		qsort(part->names, count, sizeof(*part->names), str_compare);
	for (unsigned i = 0; i < count && !walk->cut; i++)
		go_down(walk, part->names[i], strlen(part->names[i]), all, came);
}

// Reads the directory at walk->path. `all`: entries below may have come to this place, `came`:
// names may have come to it.
static void visit(struct git_walk *walk, int directory, enum news all, enum news came)
{
	struct met met = { 0 };
	struct walk_part *part = malloc(sizeof(*part));
	if (!part)
		abort();
	walk->moved = all == IN_RUN;
	bool one = read_entries(walk, directory, part, &met);
	bool stays = walk->depth == (walk->levels ? walk->levels : DEPTH_MAX);
	walk->deeper = walk->deeper || (stays && met.below && walk->levels);
	walk->lost = walk->lost || (stays && met.below && !walk->levels);
	bool goes = met.below && !stays && !walk->cut;
	if (goes && one)
		visit_below(walk, part, all, came);
	else if (goes && lseek(directory, 0, SEEK_SET) == 0)
		while (!walk->cut && read_part(directory, part))
			visit_below(walk, part, all, came);
	free(part);
}

// Of a directory that is not read: those of the share below it. Between the rows of one of them
// there can be others, as '-' sorts before '/'.
static void visit_share(struct git_walk *walk)
{
	const struct share *share = walk->share;
	const char *path = inside(walk);
	size_t length = strlen(path), begin = length + (length > 0);
	unsigned at = length > 0 ? share_first(share, path, length, '/') : 0;
	while (at < share->count && !walk->cut) {
		const char *centre = share->centres[at];
		if (length > 0 && (strncmp(centre, path, length) != 0 || centre[length] != '/'))
			break;
		size_t bytes = strcspn(centre + begin, "/");
		bool exact = centre[begin + bytes] == '\0';
		if (bytes > 0 && (exact || !share_is_centre(share, centre, begin + bytes)))
			go_down(walk, centre + begin, bytes, OLD, OLD);
		at = exact ? at + 1 : share_first(share, centre, begin + bytes, '/' + 1);
	}
}

// The directory at walk->path. One that has its old ctime, which no box can set back, existed
// before and has the same names in it. One that changed, in another that changed, may have been
// moved there: all below it is read.
static void enter(struct git_walk *walk, enum news all, enum news came)
{
	struct stat status;
	const char *path = inside(walk);
	enum news news = IN_RUN;
	if (all != IN_RUN) {
		if (fstatat(walk->top, path, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISDIR(status.st_mode))
			return;
		news = news_of(walk, &status);
		came = news < came ? news : came;
		all = all < came ? came : all;
		walk->cut = walk->cut || (walk->probes && news != OLD);
		if (all == OLD && news == OLD && !str_equal(path, walk->share->directory)) {
			visit_share(walk);
			return;
		}
	}
	autoclose int fd =
		sys_openat2(walk->top, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC,
			    RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		walk->lost = true;
	if (fd >= 0 && !walk->cut)
		visit(walk, fd, all, news);
}

// A tracked file that is examined each time: the part of its path that is a name.
static void look_at_kept(struct git_walk *walk, const struct gitindex_kept *kept)
{
	char above[PATH_MAX];
	struct stat status, parent;
	struct dirent entry = { .d_type = DT_UNKNOWN };
	size_t length = walk->length;
	if (fstatat(walk->top, kept->path, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    news_of(walk, &status) == OLD || is_over(walk))
		return;
	walk->cut = walk->cut || walk->probes;
	if (walk->probes || !go_to(walk, length, kept->path, kept->length))
		return;
	const char *name = path_name(walk->path);
	str_put(above, sizeof(above), "%.*s", (int)(name - inside(walk)), inside(walk));
	autoclose int fd = sys_openat2(walk->top, above, O_PATH | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
	// Where that directory changed it was read.
	if (fd >= 0 && fstat(fd, &parent) == 0 && news_of(walk, &parent) == OLD &&
	    str_put(entry.d_name, sizeof(entry.d_name), "%s", name)) {
		walk->depth++;
		walk->entry(walk, fd, &entry);
		walk->depth--;
	}
	go_back(walk, length);
}

long walk_tree(struct git_walk *walk, const char *root)
{
	struct stat status;
	walk->length = walk->root = strlen(root);
	walk->begin = processor_now();
	if (walk->length >= sizeof(walk->path))
		return 0;
	memcpy(walk->path, root, walk->length + 1);
	autoclose int top = walk->top = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top < 0 || fstat(top, &status) < 0)
		return 0;
	enum news news = news_of(walk, &status);
	walk->cut = walk->probes && news != OLD;
	visit(walk, top, walk->share ? OLD : walk->start > 0 ? SINCE : IN_RUN, news);
	for (unsigned i = 0; walk->share && walk->entry && i < walk->share->kept_count; i++)
		if (memchr(walk->share->kept[i].path, '/', walk->share->kept[i].length))
			look_at_kept(walk, &walk->share->kept[i]);
	return processor_now() - walk->begin;
}
