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
#include "names/names.h"
#include "session/store/store.h"
#include "text/words.h"

enum { CHANGES_MAX = 4000000, DEPTH_MAX = 256, PATH_BYTES_MAX = 3800 };

struct compare_walk {
	const struct held *held;
	struct changes *changes;
	unsigned root;
	const char *repository; // replaces the first `skipped` bytes of a path
	size_t skipped;
	struct withheld names;
	struct seen seen;
	int depth;
	bool covered, guarded, inside, made;
	bool inside_removed;
	unsigned removed; // index of the uppermost removed directory
	bool lost;
	enum same same;
	uint64_t parent;
	const struct seen_directory *above;
};

static const char *walk_whole(struct compare_walk *walk, const char *path)
{
	return walk->repository ? path_below(walk->held->store->arena, walk->repository,
					     path + walk->skipped)
				: path;
}

static void walk_repository(struct compare_walk *walk, const char *path)
{
	walk->repository = ".git";
	walk->skipped = path[0] ? strlen(path) + 1 : 0;
}

static bool is_withheld(struct compare_walk *walk, const char *path)
{
	return withheld_has(&walk->names, walk->root, path) || trusted_is_protected(path) ||
	       trusted_is_protected(walk_whole(walk, path)) ||
	       (walk->made && repository_is_part(path));
}

static struct change *walk_add(struct compare_walk *walk, enum change_kind kind, const char *path)
{
	struct changes *changes = walk->changes;
	changes->list = arena_grow(walk->held->store->arena, changes->list, changes->count,
				   &changes->size, sizeof(*changes->list));
	struct change *change = &changes->list[changes->count++];
	*change = (struct change){ .kind = kind,
				   .root = walk->root,
				   .path = path,
				   .layer = -1,
				   .covered = walk->covered,
				   .parent = walk->parent };
	change->git = repository_in(walk_whole(walk, path)) != NULL;
	change->trace = kind != CHANGE_REMOVED && repository_is_trace(walk_whole(walk, path));
	change->inside = walk->inside;
	change->guarded = walk->guarded || is_withheld(walk, path);
	if (kind != CHANGE_MODE && component_is_git(path_name(path)))
		change->guarded = true;
	if ((kind == CHANGE_REMOVED || kind == CHANGE_TYPE) &&
	    repository_loses(walk_whole(walk, path)))
		change->guarded = true;
	return change;
}

static const char *walk_below(struct compare_walk *walk, const char *path, const char *name)
{
	return path[0] ? arena_text(walk->held->store->arena, "%s/%s", path, name) : name;
}

static const struct known_file *known_at(const struct compare_walk *walk, const char *path)
{
	return known_find(walk->changes->known, walk->root, path);
}

static bool walk_is_too_far(const struct compare_walk *walk, const char *path)
{
	return walk->depth >= DEPTH_MAX || strlen(path) > PATH_BYTES_MAX;
}

static void walk_enter(struct compare_walk *walk, const char *path, int host)
{
	struct stat status;
	enum same same =
		host < 0 ? SAME_YES
			 : same_directory(walk->changes, &walk->seen, walk->root, path, host);
	walk->depth++;
	walk->same = same > walk->same ? same : walk->same;
	walk->above = seen_find(&walk->seen, path);
	walk->parent = host >= 0 && fstat(host, &status) == 0 ? status.st_ino : 0;
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
	enum repository kind = repository_kind(&inner, entry->name, fd);
	if (kind == REPOSITORY_NEW && !repository_is_elsewhere(walk_whole(walk, path)))
		kind = REPOSITORY_NONE;
	bool repository = kind == REPOSITORY_NEW;
	walk->guarded = walk->guarded || repository || is_withheld(walk, path);
	struct change *own =
		walk->changes->count > 0 ? &walk->changes->list[walk->changes->count - 1] : NULL;
	if (own && own->path == path) {
		own->guarded = own->guarded || repository;
		walk->inside = own->guarded;
		walk->lost = !both && own->conflict;
	}
	if (kind != REPOSITORY_NONE)
		walk_repository(walk, path);
	walk_enter(walk, path, fd);
	if (own && own->path == path && own->kind == CHANGE_MODE && walk->same != SAME_YES)
		own->conflict = true;
	walk->covered = walk->covered || !both;
	int result = walk_directory(walk, path, &inner, fd);
	merged_close(&inner);
	*walk = above;
	return result;
}

// Sets `conflict` if the host removed the entry or replaced its directory, and `marked` by
// overlayfs's origin mark.
static void compare_added(struct compare_walk *walk, struct change *change,
			  const struct known_file *known, const struct merged *merged,
			  const struct entry *entry)
{
	mode_t mode = entry->status.st_mode;
	bool marked = (S_ISREG(mode) || S_ISDIR(mode)) && merged_was_host(merged, entry);
	bool lost = known ? known->inode != KNOWN_REMOVED
			  : walk->above && seen_has(walk->above, path_name(change->path));
	change->conflict = lost || (marked && S_ISDIR(mode)) || walk->lost ||
			   (!walk->covered && walk->same == SAME_OTHER);
	change->marked = marked && S_ISREG(mode) && !walk->covered;
}

static bool host_set_mode(const struct compare_walk *walk, const struct seen_directory *saw,
			  const struct known_file *known, const struct stat *is,
			  const struct stat *was, bool *ret_conflict)
{
	bool older = !same_is_later(&was->st_ctim, &walk->changes->base);
	*ret_conflict = walk->same != SAME_YES ||
			(!known && !older && (!saw || saw->mode != (was->st_mode & 07777)));
	return !known && saw && saw->mode == (is->st_mode & 07777);
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
	if (!sides_are_same(layer, host, entry->name, is, was))
		return CHANGE_EDITED;
	mode_t group = S_ISDIR(is->st_mode) ? was->st_mode & S_ISGID : 0;
	*ret_same =
		S_ISLNK(is->st_mode) || ((is->st_mode | group) & 07777) == (was->st_mode & 07777);
	return CHANGE_MODE;
}

// For equal bytes: whether an apply would add a right. *ret_same: it would not change the mode.
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
	const struct known_file *known = known_at(walk, path);
	const struct seen_directory *saw = seen_find(&walk->seen, path);
	bool same, conflict = false;
	enum change_kind kind = kind_of(merged->fds[entry->from], host, entry, was, &same);
	struct change index = { .kind = kind };
	if (kind != CHANGE_MODE)
		repository_index(&index, merged, entry, host);
	if (kind == CHANGE_EDITED && index.was_sum && index.sum == index.was_sum)
		return;
	bool directory = kind == CHANGE_MODE && S_ISDIR(is->st_mode);
	if (kind == CHANGE_MODE && !(directory && saw) && same_is_applied(known, is, was))
		return;
	if (same || (directory && host_set_mode(walk, saw, known, is, was, &conflict)))
		return;
	bool touched =
		was && !S_ISDIR(was->st_mode) && !same_file(known, &walk->changes->base, was);
	if (touched && index.was_sum)
		touched = !same_entries(walk->changes->known, known, walk->above, path,
					index.was_sum);
	if (touched && kind == CHANGE_MODE)
		touched = adds_rights(is, was, &same);
	if (same)
		return;
	struct change *change = walk_add(walk, kind, path);
	change->is = *is;
	change->refused = index.refused;
	change->index = index.index;
	change->text = index.text;
	change->length = index.length;
	change->waits = S_ISFIFO(is->st_mode) && (trusted_is_opened(entry->name) ||
						  trusted_is_reported(walk_whole(walk, path)));
	change->guarded |= index.guarded || change->waits;
	change->layer = (int)merged->layers[entry->from];
	change->guarded |= repository_breaks(merged->fds[entry->from], entry->name,
					     walk_whole(walk, path), is);
	if (!was) {
		compare_added(walk, change, known, merged, entry);
		return;
	}
	change->was = *was;
	change->conflict = directory ? conflict : walk->same != SAME_YES || touched;
}

static int note_removed(struct compare_walk *walk, const char *path, const char *name, int host,
			const struct stat *was);

// Adds removals of all host entries but `entries`, which the session has. If `path` is too deep,
// marks the topmost removed directory as far.
static int walk_removed(struct compare_walk *walk, const char *path, const struct entry *entries,
			int count, int host)
{
	char **names;
	struct stat status;
	int at = 0, all = names_in(walk->held->store->arena, host, &names);
	TRY(all);
	if (walk_is_too_far(walk, path)) {
		walk->changes->list[walk->removed].far = true;
		return 0;
	}
	for (int i = 0; i < all; i++) {
		while (at < count && strcmp(entries[at].name, names[i]) < 0)
			at++;
		if (at < count && str_equal(entries[at].name, names[i]))
			continue;
		if (fstatat(host, names[i], &status, AT_SYMLINK_NOFOLLOW) == 0)
			TRY(note_removed(walk, walk_below(walk, path, names[i]), names[i], host,
					 &status));
		else if (errno != ENOENT)
			return fail(errno, "read a removed file");
	}
	return 0;
}

static int note_removed_inside(struct compare_walk *walk, const char *path, const char *name,
			       int host)
{
	unsigned own = walk->changes->count - 1;
	autoclose int fd = fd_directory(host, name);
	if (fd < 0)
		return fail(errno, "read the removed directory '%s'", str_shown(path));
	struct compare_walk above = *walk;
	walk->removed = walk->inside_removed ? walk->removed : own;
	walk_enter(walk, path, fd);
	walk->covered = walk->inside_removed = true;
	walk->changes->list[own].conflict = walk->same != SAME_YES;
	int result = walk_removed(walk, path, NULL, 0, fd);
	*walk = above;
	return result;
}

static int note_removed(struct compare_walk *walk, const char *path, const char *name, int host,
			const struct stat *was)
{
	struct change *change = walk_add(walk, CHANGE_REMOVED, path);
	change->was = *was;
	if (S_ISDIR(was->st_mode))
		return note_removed_inside(walk, path, name, host);
	change->conflict = walk->same != SAME_YES ||
			   !same_file(known_at(walk, path), &walk->changes->base, was);
	return 0;
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
		return was ? note_removed(walk, path, entry->name, host, was) : 0;
	}
	compare(walk, path, merged, entry, host, was);
	if (was && S_ISDIR(was->st_mode) && !S_ISDIR(entry->status.st_mode))
		return note_removed_inside(walk, path, entry->name, host);
	return S_ISDIR(entry->status.st_mode) ? walk_inner(walk, path, merged, entry, host, was)
					      : 0;
}

static int walk_directory(struct compare_walk *walk, const char *path, const struct merged *merged,
			  int host)
{
	struct entry *entries;
	if (walk_is_too_far(walk, path)) {
		walk->changes->too_far = walk->changes->too_far ? walk->changes->too_far : path;
		return 0;
	}
	int count = merged_list(walk->held->store->arena, merged, &entries);
	TRY(count);
	if (walk->changes->count > CHANGES_MAX)
		return fail(0, "more than %d changes", CHANGES_MAX);
	for (int i = 0; i < count; i++)
		TRY(walk_entry(walk, walk_below(walk, path, entries[i].name), merged, &entries[i],
			       host));
	// An opaque directory hides the host's entries: those that the session did not make again
	// are removals.
	return merged->opaque && host >= 0 ? walk_removed(walk, path, entries, count, host) : 0;
}

static int walk_root(struct compare_walk *walk, enum project project)
{
	const struct held *held = walk->held;
	struct merged merged;
	struct stat status;
	walk->repository = withheld_repository(walk->held->session.roots[walk->root].path);
	walk->skipped = 0;
	autoclose int host = sides_host_root(&held->session, walk->root);
	TRY(host);
	TRY(seen_read(held, walk->root, &walk->seen));
	withheld_repositories(&walk->names, walk->root, &walk->seen);
	int same = same_root(held, walk->root, host, &walk->seen);
	if (same < 0 && !err_tolerated(project == PROJECT_ANY))
		return -1;
	walk->depth = 0;
	walk->same = same < 0 ? SAME_OTHER : SAME_YES;
	walk->above = seen_find(&walk->seen, "");
	walk->parent = fstat(host, &status) == 0 ? status.st_ino : 0;
	walk->changes->roots[walk->root] = walk->parent;
	TRY(merged_open(held, held->session.top, CHAIN_MAX, walk->root, &merged));
	enum repository kind =
		walk->repository ? REPOSITORY_NONE : repository_kind(&merged, "", host);
	walk->made = kind == REPOSITORY_NEW;
	if (kind != REPOSITORY_NONE)
		walk_repository(walk, "");
	int result = walk_directory(walk, "", &merged, host);
	merged_close(&merged);
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

int changes_find(const struct held *held, enum project project, struct changes *ret_changes)
{
	struct changes changes = { .base = held->session.base };
	struct compare_walk walk = { .held = held, .changes = &changes };
	TRY(known_read(held, &changes.known));
	TRY(withheld_begin(held, &walk.names));
	session_roots_each (i, &held->session) {
		walk.root = i;
		TRY(walk_root(&walk, project));
	}
	renames_find(held, &changes);
	guard_removed(&changes);
	repository_leave(&changes);
	*ret_changes = changes;
	return 0;
}
