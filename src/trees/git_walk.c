// Owns the order of a search in a tree: tracked directories, new entries in them, then the rest.
#include "trees/trees.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/gitindex.h"
#include "git/git.h"
#include "names/names.h"
#include "text/words.h"

enum {
	ENTRIES_LEAST = 512,
	DIRECTORIES_LEAST = 32,
	INSTALLED_LEAST = 4,
	CLOCK_EACH = 64,
	DEPTH_MAX = 240,
	NANOSECONDS = 1000000000
};
enum { REST_BYTES = 64 << 20, FRESH_BYTES = 128 << 20, FRESH_MAX = 1 << 18 };

// How new a directory's ctime is, which a box cannot set back.
enum news { OLD, SINCE, IN_RUN };

enum rank { STOOD, CAME, INSTALLED, FRESH };

struct walk_row {
	const char *path;
	enum news all, came, news;
	unsigned directory;
	nlink_t links;
	bool unread;
	enum rank rank;
};

struct walk_tracked {
	unsigned char all, came;
	bool seen, changed; // set by the second thread; `seen`: it is a directory
	unsigned children, links;
};

// The second thread reads the same directories from the end.
struct second {
	const struct git_walk *walk;
	atomic_uint first, last; // next row of each thread
	pthread_t thread;
	bool on;
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

static void lose(struct git_walk *walk, size_t length)
{
	walk->path[length] = '\0';
	size_t common = walk->lost ? path_common(walk->lost, walk->path) : length;
	if (!walk->lost || common < strlen(walk->lost))
		walk->lost = arena_copy(walk->arena, walk->path, common);
}

static bool go_to(struct git_walk *walk, size_t length, const char *name)
{
	size_t bytes = strlen(name);
	if (length + bytes + 1 >= sizeof(walk->path)) {
		lose(walk, length);
		return false;
	}
	walk->path[length] = bytes > 0 ? '/' : '\0';
	memcpy(walk->path + length + 1, name, bytes + (bytes > 0));
	walk->length = length + bytes + (bytes > 0);
	return true;
}

static enum news news_of(const struct git_walk *walk, const struct stat *status)
{
	int64_t changed = times_from(&status->st_ctim);
	return changed >= walk->start ? IN_RUN : changed >= walk->since ? SINCE : OLD;
}

static bool is_made(const struct git_walk *walk)
{
	struct sys_statx status;
	return sys_statx(walk->top, inside(walk), SYS_STATX_BIRTH, &status) == 0 &&
	       (status.mask & SYS_STATX_BIRTH) &&
	       status.birth_seconds * (int64_t)NANOSECONDS + status.birth_nanoseconds >=
		       walk->start;
}

static void add_row(struct git_walk *walk, const struct walk_row *row)
{
	walk->rows = arena_grow(walk->arena, walk->rows, walk->row_count, &walk->row_room,
				sizeof(*walk->rows));
	walk->rows[walk->row_count] = *row;
	walk->rows[walk->row_count++].unread = true;
}

static void add_rest(struct git_walk *walk, enum news all, enum news came, enum rank above)
{
	if (walk->rest > 0)
		walk->rest_bytes += sizeof(struct walk_row) + strlen(inside(walk));
	walk->unseen = walk->unseen || walk->rest_bytes > REST_BYTES;
	if (walk->rest == 0 || walk->rest_bytes > REST_BYTES)
		return;
	enum rank rank = above;
	if (trusted_is_installed(inside(walk)))
		rank = INSTALLED;
	else if (rank == STOOD && came == IN_RUN && is_made(walk))
		rank = CAME;
	const struct walk_row row = {
		.path = arena_copy(walk->arena, inside(walk), strlen(inside(walk))),
		.all = all,
		.came = came,
		.directory = SHARE_NONE,
		.rank = rank,
	};
	add_row(walk, &row);
}

static void enter(struct git_walk *walk, enum news all, enum news came);

static void go_down(struct git_walk *walk, const struct walk_row *row)
{
	unsigned at = walk->share ? share_find(walk->share, inside(walk)) : SHARE_NONE;
	if (at != SHARE_NONE) {
		walk->tracked[at].all = (unsigned char)row->all;
		walk->tracked[at].came = (unsigned char)row->news;
	} else if (walk->others) {
		add_rest(walk, row->all, row->news, row->rank);
	} else if (walk->depth >= DEPTH_MAX) {
		lose(walk, walk->length);
	} else if (!walk->passes || !walk->passes(walk)) {
		walk->depth++;
		enter(walk, row->all, row->news);
		walk->depth--;
	}
}

static void visit(struct git_walk *walk, int directory, const struct walk_row *row)
{
	const size_t length = walk->length;
	const bool moved = row->all == IN_RUN;
	bool looks = walk->entry && (!walk->probes || walk->others) && !row->unread;
	bool head = false, git = false;
	entries_each (entry, directory) {
		if (is_over(walk))
			break;
		head = head || strcasecmp(entry->name, "HEAD") == 0;
		git = git || component_is_git(entry->name);
		walk->moved = moved;
		if (!go_to(walk, length, entry->name))
			continue;
		if (looks)
			walk->entry(walk, directory, entry->name, entry->type);
		if ((entry->type == DT_DIR || entry->type == DT_UNKNOWN) &&
		    !str_equal(entry->name, ".git"))
			go_down(walk, row);
	}
	walk->moved = moved;
	bool meets = walk->repository && walk->depth > 0 && !row->unread && !walk->cut;
	if (git && meets && go_to(walk, length, ".git"))
		walk->repository(walk, directory, ".git");
	go_to(walk, length, "");
	if (head && meets && git_directory(directory) != GIT_NONE)
		walk->repository(walk, directory, ".");
}

static void open_and_visit(struct git_walk *walk, const struct walk_row *row)
{
	const char *path = inside(walk);
	autoclose int fd = sys_openat2(walk->top, path[0] ? path : ".",
				       O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		lose(walk, walk->length);
	if (fd >= 0 && !walk->cut)
		visit(walk, fd, row);
}

// Finds how new a directory's names are: an old ctime proves that none changed. A changed directory
// in a changed one may have been moved there: all below it is read.
static bool look_at(struct git_walk *walk, struct walk_row *row)
{
	struct stat status;
	if (fstatat(walk->top, row->path[0] ? row->path : ".", &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISDIR(status.st_mode))
		return false;
	row->news = news_of(walk, &status);
	row->links = status.st_nlink;
	row->came = row->news < row->came ? row->news : row->came;
	row->all = row->all < row->came ? row->came : row->all;
	walk->cut = walk->cut || (walk->probes && row->news != OLD);
	return true;
}

static void enter(struct git_walk *walk, enum news all, enum news came)
{
	struct walk_row row = {
		.path = inside(walk), .all = all, .came = came, .news = IN_RUN, .rank = FRESH
	};
	if (all != IN_RUN && !look_at(walk, &row))
		return;
	if (row.all == OLD && row.news == OLD) {
		add_rest(walk, all, came, STOOD);
	} else if (walk->share && walk->row_count < FRESH_MAX && walk->fresh_bytes < FRESH_BYTES) {
		walk->fresh_bytes += strlen(row.path);
		row.path = arena_copy(walk->arena, row.path, strlen(row.path));
		add_row(walk, &row);
	} else {
		open_and_visit(walk, &row);
	}
}

static bool go_to_row(struct git_walk *walk, const struct walk_row *row)
{
	if (!go_to(walk, walk->root, row->path))
		return false;
	walk->depth = row->path[0] != '\0';
	for (const char *at = row->path; *at; at++)
		walk->depth += *at == '/';
	return walk->depth == 0 || !walk->passes || !walk->passes(walk);
}

// True if some subdirectories may be untracked: st_nlink is 2 + their count, or always 2 (CIFS).
static bool has_others(const struct git_walk *walk, const struct walk_row *row)
{
	return !walk->counts || row->links != 2 + walk->tracked[row->directory].children;
}

// The second thread: opens the top again, as threads contend for a descriptor's reference count.
static void *look_from_end(void *argument)
{
	struct second *second = argument;
	const struct git_walk *walk = second->walk;
	autoclose int top = openat(walk->top, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = walk->share->count - 1; top >= 0 && i > atomic_load(&second->first);
	     i--) {
		struct walk_tracked *directory = &walk->tracked[i];
		struct stat status;
		directory->seen = fstatat(top, walk->share->tracked[i].path, &status,
					  AT_SYMLINK_NOFOLLOW) == 0 &&
				  S_ISDIR(status.st_mode);
		directory->changed = directory->seen && news_of(walk, &status) != OLD;
		directory->links = directory->seen ? (unsigned)status.st_nlink : 0;
		atomic_store(&second->last, i);
	}
	return NULL;
}

static bool look_again(struct git_walk *walk, struct walk_row *row)
{
	const struct walk_tracked *directory = &walk->tracked[row->directory];
	row->links = directory->links;
	walk->cut = walk->cut || directory->changed;
	return directory->seen;
}

static void second_begin(struct second *second, const struct git_walk *walk)
{
	enum { ENOUGH = 1000 };
	atomic_init(&second->last, walk->share->count);
	second->walk = walk;
	second->on = walk->probes && walk->share->count > ENOUGH &&
		     pthread_create(&second->thread, NULL, look_from_end, second) == 0;
}

static void second_end(struct second *second)
{
	atomic_store(&second->first, ~0U);
	if (second->on)
		pthread_join(second->thread, NULL);
}

static void walk_share(struct git_walk *walk)
{
	const struct share *share = walk->share;
	struct second second = { .on = false };
	second_begin(&second, walk);
	for (unsigned i = 0; i < share->count && !walk->cut; i++) {
		const struct tracked *directory = &share->tracked[i];
		atomic_store(&second.first, i);
		struct walk_row row = { .path = directory->path,
					.all = walk->tracked[i].all,
					.came = walk->tracked[i].came,
					.directory = i };
		if (i >= atomic_load(&second.last) ? !look_again(walk, &row) : !look_at(walk, &row))
			continue;
		walk->counts = i == 0 ? row.links > 2 : walk->counts;
		if (directory->above != SHARE_NONE)
			walk->tracked[directory->above].children++;
		if (row.all != OLD || row.news != OLD || i == 0 ||
		    str_equal(row.path, share->directory)) {
			if (go_to_row(walk, &row))
				open_and_visit(walk, &row);
		} else if (walk->rest > 0 && (row.links > 2 || !walk->counts)) {
			add_row(walk, &row);
		}
	}
	second_end(&second);
}

static void walk_fresh(struct git_walk *walk)
{
	for (unsigned i = 0; i < walk->row_count && !walk->cut; i++) {
		struct walk_row row = walk->rows[i];
		row.unread = false;
		if (row.rank == FRESH && go_to_row(walk, &row))
			open_and_visit(walk, &row);
	}
}

static void walk_rest(struct git_walk *walk)
{
	const int64_t begin = processor_now();
	bool over = false;
	walk->entries = 0;
	walk->others = true;
	for (enum rank rank = STOOD; rank <= INSTALLED; rank++) {
		const int64_t most = rank == INSTALLED ? walk->rest_installed : walk->rest;
		const unsigned least = rank == INSTALLED ? INSTALLED_LEAST : DIRECTORIES_LEAST;
		for (unsigned i = 0; i < walk->row_count && !walk->cut && !over; i++) {
			struct walk_row row = walk->rows[i];
			bool shared = row.directory != SHARE_NONE;
			if (!row.unread || row.rank > rank || (shared && !has_others(walk, &row)) ||
			    !go_to_row(walk, &row))
				continue;
			walk->rows[i].unread = false;
			row.unread = shared;
			if (shared || look_at(walk, &row))
				open_and_visit(walk, &row);
			over = ++walk->entries % least == 0 && processor_now() - begin > most;
			walk->unseen = walk->unseen || (over && rank != INSTALLED);
		}
	}
}

static void look_at_kept(struct git_walk *walk, const struct gitindex_kept *kept)
{
	char above[PATH_MAX], part[PATH_MAX];
	struct stat status, parent;
	if (!memchr(kept->path, '/', kept->length) ||
	    fstatat(walk->top, kept->path, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    news_of(walk, &status) == OLD || is_over(walk))
		return;
	walk->cut = walk->cut || walk->probes;
	if (walk->probes || !str_put(part, sizeof(part), "%.*s", (int)kept->length, kept->path) ||
	    !go_to(walk, walk->root, part))
		return;
	const char *name = path_name(part);
	str_put(above, sizeof(above), "%.*s", (int)(name - part), part);
	autoclose int fd = sys_openat2(walk->top, above, O_PATH | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
	walk->depth = 1;
	if (fd >= 0 && fstat(fd, &parent) == 0 && news_of(walk, &parent) == OLD)
		walk->entry(walk, fd, name, DT_UNKNOWN);
}

void walk_tree(struct git_walk *walk, const char *root)
{
	const struct share *share = walk->share;
	walk->root = 0;
	if (!go_to(walk, strlen(root), "") || !str_put(walk->path, sizeof(walk->path), "%s", root))
		return;
	walk->root = walk->length;
	walk->begin = processor_now();
	autoclose int top = walk->top = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top < 0)
		return;
	if (!share) {
		struct walk_row row = { .path = "", .all = walk->start > 0 ? SINCE : IN_RUN };
		if (look_at(walk, &row))
			open_and_visit(walk, &row);
		return;
	}
	walk->tracked = arena_take(walk->arena, (share->count + 1) * sizeof(*walk->tracked));
	walk_share(walk);
	walk_fresh(walk);
	for (unsigned i = 0; walk->entry && i < share->kept_count; i++)
		look_at_kept(walk, &share->kept[i]);
	if (walk->rest > 0)
		walk_rest(walk);
}
