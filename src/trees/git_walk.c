// Owns the order of a walk: by name, each directory before what lies in it.
#include "trees/git_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/steady.h"
#include "base/str.h"
#include "base/sys.h"
#include "git/recognise.h"
#include "text/component.h"
#include "trees/dirs.h"
#include "trees/share.h"
#include "trees/walk_names.h"

// A small tree is seen whole, however slow the machine: so many entries are looked at in any case.
enum { ENTRIES_LEAST = 512, CLOCK_EACH = 64, DEPTH_MAX = 240 };
enum { LARGEST_NANOSECONDS = 1000000000, NANOSECONDS = 1000000000 };

// One directory more than before is looked at in any case, be it large: else no look would ever
// come further.
static bool is_over(struct git_walk *walk)
{
	if (walk->cut)
		return true;
	if (++walk->entries <= ENTRIES_LEAST || walk->entries % CLOCK_EACH != 0)
		return false;
	long used = processor_now() - walk->begin;
	if (walk->directories > 0)
		walk->cut = used > walk->processor;
	else if (used > LARGEST_NANOSECONDS)
		walk->lost = true;
	return walk->cut || (walk->lost && walk->directories == 0);
}

static bool go_to(struct git_walk *walk, size_t length, const char *name)
{
	size_t more = strlen(name) + 1;
	if (length + more >= sizeof(walk->path))
		return false;
	walk->path[length] = '/';
	memcpy(walk->path + length + 1, name, more);
	walk->length = length + more;
	return true;
}

static void go_back(struct git_walk *walk, size_t length)
{
	walk->path[length] = '\0';
	walk->length = length;
}

// A file that is looked at each time. What is noted is what stood there before the look.
static bool keep_file(struct git_walk *walk, int directory, const struct dirent *entry)
{
	struct stat status;
	if (entry->d_type != DT_REG || !walk->fresh ||
	    fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(status.st_mode))
		return false;
	dirs_add(walk->fresh, &status, walk->depth + 1, entry->d_name, walk->settled);
	return true;
}

// What the names in a directory say about it.
struct met {
	struct walk_names below;
	bool head, git, always;
};

static void meet_entry(struct git_walk *walk, int directory, const struct dirent *entry, bool again,
		       struct met *met)
{
	const char *name = entry->d_name;
	size_t length = walk->length;
	met->head = met->head || strcasecmp(name, "HEAD") == 0;
	met->git = met->git || component_is_git(name); // the file system says whether it is one
	if (!go_to(walk, length, name)) {
		walk->lost = true;
		return;
	}
	if (walk->depth > 0 && walk->keeps && walk->keeps(walk->path) &&
	    !keep_file(walk, directory, entry))
		met->always = true;
	if (walk->entry && !again)
		walk->entry(walk, directory, entry);
	go_back(walk, length);
	if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) && !str_equal(name, ".git"))
		walk_names_add(&met->below, name);
}

// The entries of one directory; false when it cannot be read. `again`: on the way to where the look
// before was cut.
static bool read_entries(struct git_walk *walk, int directory, struct met *met, bool again)
{
	static char buffer[32768]; // nobody goes down while it is in use
	size_t length = walk->length;
	ssize_t got = 0;
	while (!walk->cut && (got = getdents64(directory, buffer, sizeof(buffer))) > 0)
		for (ssize_t at = 0; at < got && !is_over(walk);) {
			const struct dirent *entry = (const void *)(buffer + at);
			if (!str_equal(entry->d_name, ".") && !str_equal(entry->d_name, ".."))
				meet_entry(walk, directory, entry, again, met);
			at += entry->d_reclen;
		}
	if (met->git && !again && walk->depth > 0 && go_to(walk, length, ".git"))
		walk->repository(walk, directory, ".git");
	go_back(walk, length);
	if (met->head && !again && walk->depth > 0 && git_directory(directory) != GIT_NONE)
		walk->repository(walk, directory, ".");
	met->always = met->always || (walk->depth > 0 && (met->git || met->head));
	return got == 0;
}

static const char *rest_of(const char *place, const char *name)
{
	size_t length = strlen(name);
	return place[length] == '/' ? place + length + 1 : NULL;
}

// How a name stands to the first component of a place.
static int order_of(const char *name, const char *place)
{
	size_t length = strcspn(place, "/");
	int order = strncmp(name, place, length);
	return order ? order : name[length] != '\0';
}

// Where a walk begins again, and where it ends: places below a directory, or NULL.
struct walk_part {
	const char *from, *until;
};

static void visit(struct git_walk *walk, int directory, const char *name, bool known,
		  const struct walk_part *part);
static void skim(struct git_walk *walk, const struct dirs_row *row);

// The row of a directory among those below one that is known; they have the order of the walk.
static bool find_known(struct git_walk *walk, const char *name, struct dirs_row *ret_row)
{
	size_t at = walk->at;
	for (; dirs_next(walk->known->text, walk->known->length, &at, ret_row); walk->at = at) {
		bool other = ret_row->depth > walk->depth || ret_row->file;
		int order = other ? -1 : strcmp(ret_row->name, name);
		if (ret_row->depth < walk->depth || (order > 0 && ret_row->depth == walk->depth))
			return false;
		if (order == 0) {
			walk->at = at;
			return true;
		}
	}
	return false;
}

static void note_place(struct git_walk *walk)
{
	if (walk->cut && walk->place[0] == '\0' && walk->length > walk->root)
		memcpy(walk->place, walk->path + walk->root + 1, walk->length - walk->root);
}

static bool in_share(const struct git_walk *walk)
{
	return !walk->share || share_has(walk->share, walk->path + walk->root + 1);
}

// A directory outside the share that has its old ctime, which no box can set back, existed before
// and has the same names in it. One that a box moved has a new ctime: all below it is read.
static bool is_left_out(struct git_walk *walk, const struct stat *status, bool shared)
{
	int64_t changed = status->st_ctim.tv_sec * (int64_t)NANOSECONDS + status->st_ctim.tv_nsec;
	if (walk->came == 0 && changed >= walk->since)
		walk->came = walk->depth;
	walk->owed = walk->owed || (!shared && S_ISDIR(status->st_mode));
	if (shared || walk->came > 0)
		return false;
	return true;
}

static bool open_below(struct git_walk *walk, int directory, const char *name, bool known,
		       const struct walk_part *part);

// Down to walk->path: `name` in `directory`, of which `row` is what is known, or NULL. False when
// it could not be read.
static bool enter(struct git_walk *walk, int directory, const char *name,
		  const struct dirs_row *row, const struct walk_part *part)
{
	struct stat status;
	struct dirs *fresh = walk->fresh;
	bool there =
		(row || walk->share) && fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
	if (row && !row->always && there && dirs_is_same(row, &status, walk->since) &&
	    !share_misses(walk->share, walk->path + walk->root + 1)) {
		skim(walk, row);
		return true;
	}
	// Another directory than the one of the row is new in this place.
	bool old = row && there && row->inode == status.st_ino && row->device == status.st_dev;
	bool shared = row || in_share(walk);
	if (walk->share && !old && there && is_left_out(walk, &status, shared))
		return true;
	walk->fresh = shared ? fresh : NULL;
	bool seen = open_below(walk, directory, name, row != NULL, part);
	walk->fresh = fresh;
	walk->came = walk->came == walk->depth ? 0 : walk->came;
	return seen;
}

static bool open_below(struct git_walk *walk, int directory, const char *name, bool known,
		       const struct walk_part *part)
{
	autoclose int below =
		sys_openat2(directory, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC,
			    RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
	if (below < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		walk->lost = true;
	if (below >= 0)
		visit(walk, below, path_name(name), known, part);
	return below >= 0 || errno == ENOTDIR || errno == ELOOP || errno == ENOENT;
}

// False when the directory above is to be read again by the next look.
static bool go_down(struct git_walk *walk, int directory, const char *name, bool known,
		    const struct walk_part *part)
{
	size_t length = walk->length;
	struct dirs_row row;
	if (!go_to(walk, length, name)) {
		walk->lost = true;
		return false;
	}
	bool seen = !walk->passes || !walk->passes(walk);
	walk->depth++;
	known = known && find_known(walk, name, &row);
	seen = seen && enter(walk, directory, name, known ? &row : NULL, part);
	walk->depth--;
	go_back(walk, length);
	return seen;
}

// The next row right below one that is known, whatever is left of the row before.
static bool next_known(struct git_walk *walk, struct dirs_row *ret_row)
{
	size_t at = walk->at;
	for (; dirs_next(walk->known->text, walk->known->length, &at, ret_row) &&
	       ret_row->depth >= walk->depth;
	     walk->at = at)
		if (ret_row->depth == walk->depth) {
			walk->at = at;
			return true;
		}
	return false;
}

// A file of a directory that is as it was, at walk->path; `length`: of the directory's.
static bool look_again(struct git_walk *walk, size_t length, const struct dirs_row *row)
{
	char above[PATH_MAX];
	struct stat status;
	struct dirent entry = { .d_type = DT_REG };
	const char *path = walk->path + walk->root + 1;
	if (is_over(walk) || fstatat(walk->top, path, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (walk->fresh)
		dirs_add(walk->fresh, &status, walk->depth, row->name, walk->settled);
	if (dirs_is_same(row, &status, walk->since) || !walk->entry)
		return S_ISREG(status.st_mode);
	str_put(above, sizeof(above), "%.*s", (int)(length - walk->root - 1), path);
	autoclose int directory = sys_openat2(walk->top, above, O_PATH | O_DIRECTORY | O_CLOEXEC,
					      RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
	if (directory < 0)
		return false;
	memcpy(entry.d_name, row->name, strlen(row->name) + 1);
	walk->depth--;
	walk->entry(walk, directory, &entry);
	walk->depth++;
	return S_ISREG(status.st_mode);
}

// Of a directory that is as it was: those below it, by their paths from the root.
static void skim(struct git_walk *walk, const struct dirs_row *row)
{
	static const struct walk_part all = { 0 };
	size_t length = walk->length, own = walk->fresh ? walk->fresh->length : 0;
	struct dirs_row below;
	bool whole = true;
	if (walk->fresh)
		own = dirs_copy(walk->fresh, row);
	walk->directories++;
	walk->depth++;
	is_over(walk);
	note_place(walk);
	while (!walk->cut && next_known(walk, &below)) {
		bool seen = go_to(walk, length, below.name);
		walk->lost = walk->lost || !seen;
		if (seen && below.file)
			seen = look_again(walk, length, &below);
		else
			seen = seen && (!walk->passes || !walk->passes(walk)) &&
			       enter(walk, walk->top, walk->path + walk->root + 1, &below, &all);
		whole = whole && seen;
		go_back(walk, length);
	}
	walk->depth--;
	if (walk->fresh && (walk->cut || !whole))
		dirs_set_unread(walk->fresh, own);
}

static void visit_below(struct git_walk *walk, int directory, const struct walk_names *names,
			bool known, const struct walk_part *part, bool *whole)
{
	const char **sorted = walk_names_sort(names);
	for (unsigned i = 0; i < names->count && !walk->cut; i++) {
		const char *name = sorted[i], *from = part->from, *until = part->until;
		int after = from ? order_of(name, from) : 1,
		    before = until ? order_of(name, until) : -1;
		if (before > 0 || (before == 0 && !rest_of(until, name)))
			break;
		struct walk_part rest = { .from = after == 0 ? rest_of(from, name) : NULL,
					  .until = before == 0 ? rest_of(until, name) : NULL };
		if (after >= 0 && !go_down(walk, directory, name, known, &rest))
			*whole = false;
	}
	free(sorted);
}

// What lies before part->from was looked at, and from part->until on.
static void visit(struct git_walk *walk, int directory, const char *name, bool known,
		  const struct walk_part *part)
{
	struct met met = { 0 };
	struct stat status;
	size_t own = 0;
	if (walk->fresh && fstat(directory, &status) == 0)
		own = dirs_add(walk->fresh, &status, walk->depth, name, walk->settled);
	if (own > 0 && walk->share && share_is_centre(walk->share, walk->path + walk->root + 1))
		dirs_set_centre(walk->fresh, own);
	bool whole = read_entries(walk, directory, &met, part->from != NULL);
	walk->directories += part->from == NULL;
	note_place(walk);
	bool stays = walk->depth == (walk->levels ? walk->levels : DEPTH_MAX);
	walk->deeper = walk->deeper || (stays && met.below.count > 0 && walk->levels);
	walk->lost = walk->lost || (stays && met.below.count > 0 && !walk->levels);
	if (!walk->cut && !stays && met.below.count > 0)
		visit_below(walk, directory, &met.below, known, part, &whole);
	if (own > 0 && met.always)
		dirs_set_always(walk->fresh, own);
	if (own > 0 && (walk->cut || walk->lost || !whole))
		dirs_set_unread(walk->fresh, own);
	free(met.below.text);
}

static bool begin(struct git_walk *walk, const char *root)
{
	walk->length = walk->root = strlen(root);
	if (walk->length >= sizeof(walk->path))
		return false;
	memcpy(walk->path, root, walk->length + 1);
	walk->place[0] = '\0';
	walk->begin = processor_now();
	walk->directories = 0;
	walk->top = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return walk->top >= 0;
}

long walk_tree(struct git_walk *walk, const char *root, const char *place)
{
	struct walk_part first = { .from = place[0] ? place : NULL }, second = { .until = place };
	struct dirs_row row;
	struct stat status;
	if (!begin(walk, root))
		return 0;
	autoclose int top = walk->top;
	walk->at = walk->known ? walk->known->begin : 0;
	bool known = walk->known && !place[0] &&
		     dirs_next(walk->known->text, walk->known->length, &walk->at, &row);
	if (known && fstat(top, &status) == 0 && dirs_is_same(&row, &status, walk->since) &&
	    !share_misses(walk->share, ""))
		skim(walk, &row);
	else
		visit(walk, top, "", known, &first);
	walk->round = !walk->cut && place[0];
	if (walk->round && lseek(top, 0, SEEK_SET) == 0)
		visit(walk, top, "", false, &second);
	return processor_now() - walk->begin;
}
