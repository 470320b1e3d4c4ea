// Owns the comparison of a session with the host.
#include "session/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/place.h"
#include "base/str.h"
#include "base/sys.h"
#include "base/trusted.h"
#include "session/copy.h"
#include "session/history.h"
#include "session/withheld.h"
#include "session/journal.h"
#include "session/merged.h"
#include "session/renames.h"
#include "session/repository.h"

enum { DEPTH_MOST = 256, CHANGES_MOST = 4000000 };

struct walk {
	struct store *store;
	const struct session *session;
	struct changes *changes;
	unsigned root;
	const char *repository; // of a root that is git's: its place from ".git" on
	struct withheld names;
	int depth;
	bool covered, guarded, inside; // of the directory above
};

static bool is_protected(const struct walk *walk, const char *path)
{
	return withheld_has(&walk->names, walk->session->roots[walk->root].path, path);
}

static struct change *add(struct walk *walk, enum change_kind kind, const char *path)
{
	struct changes *changes = walk->changes;
	if (changes->count == changes->size) {
		unsigned size = changes->size ? changes->size * 2 : 256;
		struct change *list = arena_take(walk->store->arena, size * sizeof(*list));
		if (changes->count > 0)
			memcpy(list, changes->list, changes->count * sizeof(*list));
		changes->list = list;
		changes->size = size;
	}
	struct change *change = &changes->list[changes->count++];
	*change = (struct change){ .kind = kind,
				   .root = walk->root,
				   .path = path,
				   .layer = -1,
				   .covered = walk->covered };
	change->inside = walk->inside;
	change->guarded = walk->guarded || is_protected(walk, path);
	// A repository that goes, or a file that points at another one.
	if (kind != CHANGE_MODE && trusted_is_git(path_name(path)))
		change->guarded = true;
	if ((kind == CHANGE_REMOVED || kind == CHANGE_TYPE) && repository_loses(path))
		change->guarded = true;
	return change;
}

static bool is_later(const struct timespec *time, const struct timespec *than)
{
	return time->tv_sec > than->tv_sec ||
	       (time->tv_sec == than->tv_sec && time->tv_nsec > than->tv_nsec);
}

// Changed by somebody since the session was made, and not by an apply of its own.
static bool host_changed(const struct walk *walk, const char *path, const struct stat *status)
{
	return is_later(&status->st_ctim, &walk->changes->base) &&
	       !known_has(walk->changes->known, walk->root, path, status->st_ino, &status->st_ctim);
}

static const char *below(struct walk *walk, const char *path, const char *name)
{
	return path[0] ? arena_text(walk->store->arena, "%s/%s", path, name) : name;
}

static bool same_file(int left, const char *left_name, int right, const char *right_name)
{
	autoclose int a = openat(left, left_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	autoclose int b = openat(right, right_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return a >= 0 && b >= 0 && copy_is_same(a, b);
}

static bool same_link(int left, int right, const char *name)
{
	char a[PATH_MAX], b[PATH_MAX];
	ssize_t length = readlinkat(left, name, a, sizeof(a)),
		other = readlinkat(right, name, b, sizeof(b));
	return length >= 0 && length == other && memcmp(a, b, (size_t)length) == 0;
}

static bool same_content(int layer, int host, const char *name, const struct stat *is,
			 const struct stat *was)
{
	if (S_ISREG(is->st_mode))
		return is->st_size == was->st_size && same_file(layer, name, host, name);
	return S_ISLNK(is->st_mode) ? same_link(layer, host, name) : true;
}

static int walk_directory(struct walk *walk, const char *path, const struct merged *merged,
			  int host);

// All that lies in a directory of the host that the session has removed.
static int walk_removed(struct walk *walk, const char *path, int host)
{
	char **names;
	struct stat status;
	int count = names_in(walk->store->arena, host, &names);
	TRY(count);
	if (++walk->depth > DEPTH_MOST)
		return fail(ELOOP, "more than %d directories deep", DEPTH_MOST);
	for (int i = 0; i < count; i++) {
		if (fstatat(host, names[i], &status, AT_SYMLINK_NOFOLLOW) < 0)
			return fail(errno, "look at a removed file");
		const char *whole = below(walk, path, names[i]);
		struct change *change = add(walk, CHANGE_REMOVED, whole);
		change->was = status;
		change->conflict = !S_ISDIR(status.st_mode) && host_changed(walk, whole, &status);
		if (!S_ISDIR(status.st_mode))
			continue;
		autoclose int fd =
			openat(host, names[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return fail(errno, "look at a removed directory");
		TRY(walk_removed(walk, whole, fd));
	}
	walk->depth--;
	return 0;
}

// What goes with a directory of the host that the session has removed or replaced.
static int note_inside(struct walk *walk, const char *path, const char *name, int host)
{
	bool covered = walk->covered;
	autoclose int fd = openat(host, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "look at a removed directory");
	walk->covered = true;
	TRY(walk_removed(walk, path, fd));
	walk->covered = covered;
	return 0;
}

static int note_removed(struct walk *walk, const char *path, const char *name, int host,
			const struct stat *was)
{
	struct change *change = add(walk, CHANGE_REMOVED, path);
	change->was = *was;
	change->conflict = !S_ISDIR(was->st_mode) && host_changed(walk, path, was);
	return S_ISDIR(was->st_mode) ? note_inside(walk, path, name, host) : 0;
}

static int walk_below(struct walk *walk, const char *path, const struct merged *merged,
		      const struct entry *entry, int host, const struct stat *was)
{
	struct merged inner;
	struct walk above = *walk;
	bool both = was && S_ISDIR(was->st_mode);
	autoclose int fd =
		both ? openat(host, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
		     : -1;
	if (both && fd < 0)
		return fail(errno, "look at '%s'", str_shown(path));
	if (++walk->depth > DEPTH_MOST)
		return fail(ELOOP, "more than %d directories deep", DEPTH_MOST);
	TRY(merged_below(merged, entry->name, &inner));
	// In .git the repositories of submodules and worktrees are told by their own names.
	bool repository = !walk->repository && !strstr(path, ".git/") &&
			  repository_is_new(&inner, entry->name, fd);
	walk->guarded = walk->guarded || repository || is_protected(walk, path);
	struct change *own =
		walk->changes->count > 0 ? &walk->changes->list[walk->changes->count - 1] : NULL;
	if (own && own->path == path) {
		own->guarded = own->guarded || repository;
		walk->inside = own->guarded;
	}
	walk->covered = walk->covered || !both;
	int result = walk_directory(walk, path, &inner, fd);
	merged_close(&inner);
	walk->depth = above.depth;
	walk->covered = above.covered;
	walk->guarded = above.guarded;
	walk->inside = above.inside;
	return result;
}

// Whether it began as a copy of a file of the host: the mark is of the oldest layer that has it,
// for the later ones copied it from there.
static bool was_copied_up(const struct merged *merged, const struct entry *entry)
{
	struct stat status;
	unsigned oldest = entry->from;
	for (unsigned i = entry->from + 1; i < merged->count; i++) {
		if (fstatat(merged->fds[i], entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (!S_ISREG(status.st_mode))
			return false; // something else stood there before
		oldest = i;
	}
	autoclose int fd = openat(merged->fds[oldest], entry->name,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && fgetxattr(fd, "user.overlay.origin", NULL, 0) >= 0;
}

// What the session has at a name, against what the host has.
static void compare(struct walk *walk, const char *path, const struct merged *merged,
		    const struct entry *entry, int host, const struct stat *was)
{
	const struct stat *is = &entry->status;
	int layer = merged->fds[entry->from];
	struct change *change = NULL;
	if (!was)
		change = add(walk, CHANGE_ADDED, path);
	else if ((is->st_mode & S_IFMT) != (was->st_mode & S_IFMT))
		change = add(walk, CHANGE_TYPE, path);
	else if (!same_content(layer, host, entry->name, is, was))
		change = add(walk, CHANGE_EDITED, path);
	else if (!S_ISLNK(is->st_mode) && (is->st_mode & 07777) != (was->st_mode & 07777))
		change = add(walk, CHANGE_MODE, path);
	if (!change)
		return;
	change->is = *is;
	change->layer = (int)merged->layers[entry->from];
	if (was)
		change->was = *was;
	if (was && !S_ISDIR(was->st_mode))
		change->conflict = host_changed(walk, path, was);
	else if (!was && S_ISREG(is->st_mode))
		// Copied from a file of the host that is gone now; a renamed one leaves a removal
		// behind.
		change->conflict = !walk->covered &&
				   (known_has(walk->changes->known, walk->root, path, 0, NULL) ||
				    was_copied_up(merged, entry));
}

static int walk_entry(struct walk *walk, const char *path, const struct merged *merged,
		      const struct entry *entry, int host)
{
	struct stat status;
	const struct stat *was = NULL;
	if (host >= 0 && fstatat(host, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		was = &status;
	if (is_whiteout(&entry->status))
		return was ? note_removed(walk, path, entry->name, host, was) : 0;
	compare(walk, path, merged, entry, host, was);
	if (was && S_ISDIR(was->st_mode) && !S_ISDIR(entry->status.st_mode))
		return note_inside(walk, path, entry->name, host);
	return S_ISDIR(entry->status.st_mode) ? walk_below(walk, path, merged, entry, host, was)
					      : 0;
}

// Behind an opaque directory the host's entries are gone, unless the session has made them anew.
static int walk_hidden(struct walk *walk, const char *path, const struct entry *entries, int count,
		       int host)
{
	char **names;
	struct stat status;
	int at = 0, all = names_in(walk->store->arena, host, &names);
	TRY(all);
	for (int i = 0; i < all; i++) {
		while (at < count && strcmp(entries[at].name, names[i]) < 0)
			at++;
		if ((at < count && str_equal(entries[at].name, names[i])) ||
		    fstatat(host, names[i], &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		TRY(note_removed(walk, below(walk, path, names[i]), names[i], host, &status));
	}
	return 0;
}

static int walk_directory(struct walk *walk, const char *path, const struct merged *merged,
			  int host)
{
	struct entry *entries;
	int count = merged_list(walk->store->arena, merged, &entries);
	TRY(count);
	if (walk->changes->count > CHANGES_MOST)
		return fail(0, "more than %d changes", CHANGES_MOST);
	for (int i = 0; i < count; i++)
		TRY(walk_entry(walk, below(walk, path, entries[i].name), merged, &entries[i],
			       host));
	return merged->opaque && host >= 0 ? walk_hidden(walk, path, entries, count, host) : 0;
}

static int walk_root(struct walk *walk)
{
	struct merged merged;
	const struct root *root = &walk->session->roots[walk->root];
	walk->repository = withheld_repository(root->path);
	autoclose int host = sys_openat2(AT_FDCWD, root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
					 RESOLVE_NO_SYMLINKS);
	if (host < 0)
		return fail(errno, "'%s'", root->path);
	TRY(merged_open(walk->store, walk->session, walk->session->top, CHAIN_MOST, walk->root,
			&merged));
	unsigned first = walk->changes->count;
	bool made = !walk->repository && repository_is_new(&merged, "", host);
	int result = walk_directory(walk, "", &merged, host);
	merged_close(&merged);
	for (unsigned i = first; made && i < walk->changes->count; i++)
		repository_guard(&walk->changes->list[i]);
	return result;
}

// Whoever removes a directory removes what is guarded in it.
static void guard_removed(struct changes *changes)
{
	struct change *above = NULL;
	for (unsigned i = 0; i < changes->count; i++) {
		struct change *change = &changes->list[i];
		if (!change->covered)
			above = change;
		else if (above && change->guarded && change->kind == CHANGE_REMOVED)
			above->guarded = true;
	}
}

int changes_find(struct store *store, const struct held *held, struct changes *ret_changes)
{
	struct changes changes = { .base = held->session.base };
	struct walk walk = { .store = store, .session = &held->session, .changes = &changes };
	TRY(known_read(store, held, &changes.known));
	TRY(withheld_begin(store, &held->session, &walk.names));
	for (walk.root = 0; walk.root < held->session.root_count; walk.root++)
		if (!held->session.roots[walk.root].own && !held->session.roots[walk.root].system)
			TRY(walk_root(&walk));
	renames_find(store, held, &changes);
	guard_removed(&changes);
	*ret_changes = changes;
	return 0;
}

int changes_parent(const struct store *store, const struct session *session,
		   const struct change *change, const char **ret_name)
{
	char place[PATH_MAX], root[PLACE_MOST];
	const char *name = path_name(change->path);
	place_of_root(root, session->layers[change->layer].id, session->roots[change->root].own,
		      change->root);
	int length = snprintf(place, sizeof(place), "%s/%.*s", root, (int)(name - change->path),
			      change->path);
	if (length >= (int)sizeof(place))
		return fail(ENAMETOOLONG, "a path of a layer");
	*ret_name = name;
	int fd = sys_openat2(store->layers, place, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	return fd < 0 ? fail(errno, "'%s' in a layer", str_shown(place)) : fd;
}

int changes_open(const struct store *store, const struct session *session,
		 const struct change *change)
{
	const char *name;
	autoclose int parent = changes_parent(store, session, change, &name);
	TRY(parent);
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? fail(errno, "'%s' in a layer", str_shown(name)) : fd;
}

int changes_host_parent(const struct session *session, unsigned root, const char *path,
			const char **ret_name)
{
	char place[PATH_MAX];
	const char *name = path_name(path);
	int length = snprintf(place, sizeof(place), "./%.*s", (int)(name - path), path);
	if (length >= (int)sizeof(place))
		return fail(ENAMETOOLONG, "a path of the project");
	autoclose int top = sys_openat2(AT_FDCWD, session->roots[root].path,
					O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (top < 0)
		return fail(errno, "'%s'", session->roots[root].path);
	*ret_name = name;
	int fd = sys_openat2(top, place, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	return fd < 0 ? fail(errno, "the directory of '%s' on the host", str_shown(path)) : fd;
}
