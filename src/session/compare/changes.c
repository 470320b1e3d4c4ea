// Owns the comparison of a session with the host.
#include "session/compare/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "names/trusted.h"
#include "session/store/store.h"

enum { CHANGES_MAX = 4000000 };

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
		return is->st_size == was->st_size && copy_is_same(layer, name, host, name);
	return S_ISLNK(is->st_mode) ? same_link(layer, host, name) : true;
}

static int walk_directory(struct compare_walk *walk, const char *path, const struct merged *merged,
			  int host);

static int walk_inner(struct compare_walk *walk, const char *path, const struct merged *merged,
		      const struct entry *entry, int host, const struct stat *was)
{
	struct merged inner;
	struct compare_walk above = *walk;
	bool both = was && S_ISDIR(was->st_mode);
	autoclose int fd = both ? fd_directory(host, entry->name) : -1;
	if (both && fd < 0)
		return fail(errno, "read '%s'", str_shown(path));
	TRY(merged_below(merged, entry->name, &inner));
	const char *whole = walk_whole(walk, path);
	bool repository =
		repository_is_elsewhere(whole) && repository_is_new(&inner, entry->name, fd);
	walk->guarded = walk->guarded || repository || withheld_has(&walk->names, walk->root, path);
	struct change *own =
		walk->changes->count > 0 ? &walk->changes->list[walk->changes->count - 1] : NULL;
	if (own && own->path == path) {
		own->guarded = own->guarded || repository;
		walk->inside = own->guarded;
		walk->lost = !both && own->conflict;
	}
	walk_enter(walk, path, fd);
	if (own && own->path == path && own->kind == CHANGE_MODE && walk->same != SAME_YES)
		own->conflict = true;
	walk->covered = walk->covered || !both;
	int result = walk_directory(walk, path, &inner, fd);
	merged_close(&inner);
	*walk = above;
	return result;
}

// By the origin mark in the oldest layer that has it: later layers copied it from there.
static bool was_copied_up(const struct merged *merged, const struct entry *entry)
{
	struct stat status;
	unsigned oldest = entry->from;
	for (unsigned i = entry->from + 1; i < merged->count; i++) {
		if (fstatat(merged->fds[i], entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if ((status.st_mode & S_IFMT) != (entry->status.st_mode & S_IFMT))
			return false;
		oldest = i;
	}
	autoclose int fd = openat(merged->fds[oldest], entry->name,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && fgetxattr(fd, ORIGIN_XATTR, NULL, 0) >= 0;
}

// A marked directory was the host's. A file carries the mark along when it moves: see
// renames_find().
static void compare_added(struct compare_walk *walk, struct change *change,
			  const struct merged *merged, const struct entry *entry)
{
	mode_t mode = entry->status.st_mode;
	bool marked = (S_ISREG(mode) || S_ISDIR(mode)) && was_copied_up(merged, entry);
	bool lost = same_is_lost(walk->changes, &walk->seen, walk->above, walk->root, change->path);
	change->conflict = lost || (marked && S_ISDIR(mode)) || walk->lost ||
			   (!walk->covered && walk->same == SAME_OTHER);
	change->marked = marked && S_ISREG(mode) && !walk->covered;
}

static bool host_set_mode(const struct compare_walk *walk, const char *path, const struct stat *is,
			  const struct stat *was, bool *ret_conflict)
{
	const struct seen_directory *saw = seen_find(&walk->seen, path);
	const struct known_file *known = known_find(walk->changes->known, walk->root, path);
	bool older = !same_is_later(&was->st_ctim, &walk->changes->base);
	*ret_conflict = walk->same != SAME_YES ||
			(!known && !older && (!saw || saw->mode != (was->st_mode & 07777)));
	return !known && saw && saw->mode == (is->st_mode & 07777);
}

static bool host_has(int host, const char *name, const struct change *index)
{
	const char *text;
	size_t length;
	struct arena *arena = arena_new_of(index->length + 4096);
	bool has = file_read(host, name, 0, index->length, arena, &text, &length) == 1 &&
		   length == index->length && memcmp(text, index->text, length) == 0;
	arena_free(arena);
	return has;
}

static enum change_kind kind_of(int layer, int host, const struct entry *entry,
				const struct stat *was, bool *ret_same)
{
	const struct stat *is = &entry->status;
	*ret_same = false;
	if (!was)
		return CHANGE_ADDED;
	if ((is->st_mode & S_IFMT) != (was->st_mode & S_IFMT))
		return CHANGE_TYPE;
	if (!same_content(layer, host, entry->name, is, was))
		return CHANGE_EDITED;
	mode_t group = S_ISDIR(is->st_mode) ? was->st_mode & S_ISGID : 0;
	*ret_same =
		S_ISLNK(is->st_mode) || ((is->st_mode | group) & 07777) == (was->st_mode & 07777);
	return CHANGE_MODE;
}

// Equal bytes: an apply would only add a right, or change nothing.
static bool adds_rights(const struct stat *is, const struct stat *was, bool *ret_same)
{
	mode_t mask = umask(0);
	umask(mask);
	mode_t mode = is->st_mode & 0777 & ~(mask & 077 & ~was->st_mode);
	*ret_same = mode == (was->st_mode & 0777);
	return (mode & ~was->st_mode) != 0;
}

static void compare(struct compare_walk *walk, const char *path, const struct merged *merged,
		    const struct entry *entry, int host, const struct stat *was)
{
	const struct stat *is = &entry->status;
	bool same, conflict = false;
	enum change_kind kind = kind_of(merged->fds[entry->from], host, entry, was, &same);
	struct change index = { .kind = kind };
	if (kind != CHANGE_MODE)
		repository_index(&index, merged, entry, host);
	if (kind == CHANGE_EDITED && index.text && host_has(host, entry->name, &index))
		return;
	bool directory = kind == CHANGE_MODE && S_ISDIR(is->st_mode);
	if (kind == CHANGE_MODE && !(directory && seen_find(&walk->seen, path)) &&
	    same_is_applied(walk->changes, walk->root, path, is, was))
		return;
	if (same || (directory && host_set_mode(walk, path, is, was, &conflict)))
		return;
	bool touched =
		was && !S_ISDIR(was->st_mode) && !same_file(walk->changes, walk->root, path, was);
	if (touched && kind == CHANGE_MODE)
		touched = adds_rights(is, was, &same);
	if (same)
		return;
	struct change *change = walk_add(walk, kind, path);
	change->is = *is;
	change->refused = index.refused;
	change->text = index.text;
	change->length = index.length;
	change->waits = S_ISFIFO(is->st_mode) && (trusted_is_opened(entry->name) ||
						  trusted_is_reported(walk_whole(walk, path)));
	change->guarded |= index.guarded || change->waits;
	change->layer = (int)merged->layers[entry->from];
	change->guarded |= repository_breaks(merged->fds[entry->from], entry->name,
					     walk_whole(walk, path), is);
	if (!was) {
		compare_added(walk, change, merged, entry);
		return;
	}
	change->was = *was;
	change->conflict = directory ? conflict : walk->same != SAME_YES || touched;
}

static int walk_entry(struct compare_walk *walk, const char *path, const struct merged *merged,
		      const struct entry *entry, int host)
{
	struct stat status;
	const struct stat *was = NULL;
	if (host >= 0 && fstatat(host, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		was = &status;
	if (is_whiteout(&entry->status)) {
		walk->changes->whiteouts++;
		return was ? removed_note(walk, path, entry->name, host, was) : 0;
	}
	compare(walk, path, merged, entry, host, was);
	if (was && S_ISDIR(was->st_mode) && !S_ISDIR(entry->status.st_mode))
		return removed_note_inside(walk, path, entry->name, host);
	return S_ISDIR(entry->status.st_mode) ? walk_inner(walk, path, merged, entry, host, was)
					      : 0;
}

// Opaque: removes the host's entries that the session has not made again.
static int walk_hidden(struct compare_walk *walk, const char *path, const struct entry *entries,
		       int count, int host)
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
		TRY(removed_note(walk, walk_below(walk, path, names[i]), names[i], host, &status));
	}
	return 0;
}

static int walk_directory(struct compare_walk *walk, const char *path, const struct merged *merged,
			  int host)
{
	struct entry *entries;
	if (walk_is_too_far(walk, path)) {
		walk->changes->too_far = walk->changes->too_far ? walk->changes->too_far : path;
		return 0;
	}
	int count = merged_list(walk->store->arena, merged, &entries);
	TRY(count);
	if (walk->changes->count > CHANGES_MAX)
		return fail(0, "more than %d changes", CHANGES_MAX);
	for (int i = 0; i < count; i++)
		TRY(walk_entry(walk, walk_below(walk, path, entries[i].name), merged, &entries[i],
			       host));
	return merged->opaque && host >= 0 ? walk_hidden(walk, path, entries, count, host) : 0;
}

static int walk_root(struct compare_walk *walk, const struct held *held, enum project project)
{
	struct merged merged;
	struct stat status;
	const struct root *root = &walk->session->roots[walk->root];
	walk->repository = withheld_repository(root->path);
	autoclose int host = sys_openat2(AT_FDCWD, root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
					 RESOLVE_NO_SYMLINKS);
	if (host < 0)
		return fail(errno, "'%s'", root->path);
	seen_read(walk->store, held, walk->root, &walk->seen);
	if (project == PROJECT_SAME)
		TRY(same_root(held, walk->root, host, &walk->seen));
	walk->depth = 0;
	walk->same =
		ATTEMPT(same_root(held, walk->root, host, &walk->seen)) < 0 ? SAME_OTHER : SAME_YES;
	walk->above = seen_find(&walk->seen, "");
	walk->parent = fstat(host, &status) == 0 ? status.st_ino : 0;
	walk->changes->roots[walk->root] = walk->parent;
	TRY(merged_open(walk->store, walk->session, walk->session->top, CHAIN_MAX, walk->root,
			&merged));
	unsigned first = walk->changes->count;
	bool made = !walk->repository && repository_is_new(&merged, "", host);
	int result = walk_directory(walk, "", &merged, host);
	merged_close(&merged);
	for (unsigned i = first; made && i < walk->changes->count; i++)
		repository_guard(&walk->changes->list[i]);
	return result;
}

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

bool changes_has_inside(const struct changes *changes, unsigned index)
{
	const struct change *change = &changes->list[index];
	return index + 1 < changes->count && change[1].root == change->root &&
	       path_within(change[1].path, change->path);
}

int changes_find(struct store *store, const struct held *held, enum project project,
		 struct changes *ret_changes)
{
	struct changes changes = { .base = held->session.base };
	struct compare_walk walk = { .store = store,
				     .session = &held->session,
				     .changes = &changes };
	TRY(known_read(store, held, &changes.known));
	TRY(withheld_begin(store, &held->session, &walk.names));
	for (walk.root = 0; walk.root < held->session.root_count; walk.root++)
		if (!held->session.roots[walk.root].own && !held->session.roots[walk.root].system)
			TRY(walk_root(&walk, held, project));
	renames_find(store, held, &changes);
	guard_removed(&changes);
	*ret_changes = changes;
	return 0;
}
