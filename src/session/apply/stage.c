// Owns the places of an apply's stage, its journal, and the rights of each staged copy: the limit
// of modes, and groups and ACLs as the host gives them.
#include "session/apply/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "session/compare/changes.h"
#include "session/store/rights.h"
#include "session/store/store.h"

#define STAGE_NAME ".sbx-apply-"
enum {
	DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
};

// --- hard links ---------------------------------------------------------------------------------

static int compare_links(const void *left, const void *right)
{
	const struct change *a = ((const struct staged_link *)left)->change,
			    *b = ((const struct staged_link *)right)->change;
	if (a->is.st_ino != b->is.st_ino)
		return a->is.st_ino < b->is.st_ino ? -1 : 1;
	return a->layer != b->layer ? a->layer - b->layer : (int)a->root - (int)b->root;
}

bool stage_is_linked(const struct change *change)
{
	return S_ISREG(change->is.st_mode) && change->is.st_nlink > 1 && !change->text;
}

struct stage_links stage_links_of(struct applying *applying)
{
	const struct changes *changes = &applying->changes;
	struct stage_links links = {
		arena_take(applying->store->arena, (changes->count + 1) * sizeof(*links.list)), 0
	};
	size_t all = 0;
	for (unsigned i = 0; i < changes->count; i++)
		if (applying->selected[i] && stage_is_linked(&changes->list[i]))
			links.list[all++].change = &changes->list[i];
	qsort(links.list, all, sizeof(*links.list), compare_links);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || compare_links(&links.list[i], &links.list[links.count - 1]) != 0)
			links.list[links.count++] = links.list[i];
	return links;
}

struct staged_link *stage_link_of(const struct stage_links *links, const struct change *change)
{
	const struct staged_link wanted = { change, NULL };
	return bsearch(&wanted, links->list, links->count, sizeof(wanted), compare_links);
}

bool parent_is(const struct parent *parent, unsigned root, const char *path)
{
	return parent->path && parent->root == root &&
	       parent->length == (size_t)(path_name(path) - path) &&
	       memcmp(parent->path, path, parent->length) == 0;
}

void parent_set(struct parent *parent, unsigned root, const char *path)
{
	if (parent->path)
		fd_close(&parent->fd);
	*parent = (struct parent){ -1, root, path, (size_t)(path_name(path) - path), 0, -1 };
}

int parent_host(struct parent *parent, const struct applying *applying, unsigned root,
		const char *path)
{
	const char *name;
	if (!parent_is(parent, root, path)) {
		parent_set(parent, root, path);
		parent->fd = sides_host_below(applying->hosts[root], path, &name);
		parent->gives = rights_given(parent->fd);
	}
	return parent->fd;
}

int journal_write(const struct applying *applying)
{
	struct out out = { 0 };
	journal_format(&applying->journal, &out);
	int result = owned_write(applying->held->directory, "journal", out.text, out.used);
	out_free(&out);
	return result;
}

int journal_sync(const struct applying *applying)
{
	int directory = applying->held->directory;
	autoclose int fd = openat(directory, "journal", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 || fsync(fd) < 0 || fsync(directory) < 0
		       ? fail(errno, "write the journal to the disk")
		       : 0;
}

// One call for all files: a thousand times as fast as one for each.
int stage_sync(const struct applying *applying)
{
	for (unsigned i = 0; i < ROOTS_MAX; i++)
		if (applying->stages[i] >= 0 && syncfs(applying->stages[i]) < 0)
			return fail(errno, "write the stage to the disk");
	return 0;
}

// A rename leads from one to the other.
static bool same_mount(const char *left, const char *right)
{
	struct sys_statx a, b;
	struct stat one, other;
	return sys_statx(AT_FDCWD, left, SYS_STATX_MOUNT_ID, &a) == 0 &&
	       sys_statx(AT_FDCWD, right, SYS_STATX_MOUNT_ID, &b) == 0 &&
	       a.mount_id == b.mount_id && stat(left, &one) == 0 && stat(right, &other) == 0 &&
	       one.st_dev == other.st_dev;
}

static int open_host(struct applying *applying, unsigned root)
{
	struct stat status;
	struct journal_root *noted = &applying->journal.roots[root];
	int fd = sides_host_root(&applying->held->session, root);
	TRY(applying->hosts[root] = fd);
	if (fstat(fd, &status) < 0)
		return fail(errno, "'%s'", applying->held->session.roots[root].path);
	struct birth born = seen_birth(fd);
	noted->inode = status.st_ino & INT64_MAX;
	noted->born_seconds = born.seconds & INT64_MAX;
	noted->born_nanoseconds = born.nanoseconds;
	return 0;
}

// In the caller's own directory around the root: a box of the project reaches nothing there.
static bool takes_stage(struct store *store, const char *path)
{
	struct stat status;
	const char *above = path_parent(store->arena, path);
	return above[1] && stat(above, &status) == 0 && status.st_uid == geteuid() &&
	       !(status.st_mode & 022) && (status.st_mode & 0300) == 0300 &&
	       same_mount(above, path);
}

static const char *place_for(struct applying *applying, unsigned root)
{
	struct store *store = applying->store;
	const char *path = applying->held->session.roots[root].path, *name = applying->held->name;
	if (same_mount(store->sessions_path, path))
		return arena_text(store->arena, "%s/%s/stage-%u", store->sessions_path, name, root);
	return arena_text(store->arena, "%s/" STAGE_NAME "%s-%u",
			  takes_stage(store, path) ? path_parent(store->arena, path) : path, name,
			  root);
}

int stage_places(struct applying *applying)
{
	const struct session *session = &applying->held->session;
	for (unsigned i = 0; i < applying->changes.count; i++) {
		unsigned root = applying->changes.list[i].root;
		const char *path = session->roots[root].path;
		struct journal_root *noted = &applying->journal.roots[root];
		if (!applying->selected[i] || noted->stage)
			continue;
		TRY(open_host(applying, root));
		if (noted->inode != (applying->changes.roots[root] & INT64_MAX))
			return fail(0, "'%s' was changed on the host meanwhile", str_shown(path));
		noted->stage = place_for(applying, root);
	}
	return 0;
}

bool stage_is_own(const struct applying *applying, unsigned root)
{
	return !str_starts(path_name(applying->journal.roots[root].stage), STAGE_NAME);
}

// The directory that holds a root's stage: the session's own, the root, or that around it.
static int above_stage(struct applying *applying, unsigned root)
{
	const char *path = applying->journal.roots[root].stage;
	int host = applying->hosts[root], *above = &applying->above[root];
	if (stage_is_own(applying, root))
		return applying->held->directory;
	if (path_within(path, applying->held->session.roots[root].path))
		return host;
	if (*above < 0)
		*above = openat(host, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *above;
}

static int open_stage(struct applying *applying, unsigned root)
{
	struct stat status;
	const char *path = applying->journal.roots[root].stage;
	autoclose int fd = openat(above_stage(applying, root), path_name(path), DIRECTORY_FLAGS);
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "'%s'", path);
	if (status.st_uid != geteuid() || (status.st_mode & 077))
		return fail(0, "'%s' is not ours", path);
	applying->stages[root] = take(&fd);
	return 0;
}

int stage_make(struct applying *applying)
{
	struct stat status;
	for (unsigned i = 0; i < ROOTS_MAX; i++) {
		struct journal_root *noted = &applying->journal.roots[i];
		if (!noted->stage)
			continue;
		if (mkdirat(above_stage(applying, i), path_name(noted->stage), 0700) < 0)
			return fail(errno, "make '%s'", noted->stage);
		TRY(open_stage(applying, i));
		if (fstat(applying->stages[i], &status) < 0)
			return fail(errno, "'%s'", noted->stage);
		TRY(rights_drop_given(applying->stages[i]));
		noted->stage_inode = status.st_ino & INT64_MAX;
	}
	return 0;
}

// Of a journal whose phase says that the stage holds what the host had: it must be there.
static int reopen_stage(struct applying *applying, unsigned root)
{
	struct stat status;
	const struct journal_root *noted = &applying->journal.roots[root];
	bool needed =
		applying->journal.phase == PHASE_COMMIT || applying->journal.phase == PHASE_BACK;
	if (!needed) {
		(void)ATTEMPT(open_stage(applying, root));
		return 0;
	}
	TRY(open_stage(applying, root));
	return fstat(applying->stages[root], &status) == 0 &&
			       (status.st_ino & INT64_MAX) == noted->stage_inode
		       ? 0
		       : fail(0, "'%s' is another directory by now", noted->stage);
}

int stage_reopen(struct applying *applying)
{
	for (unsigned i = 0; i < ROOTS_MAX; i++) {
		struct journal_root noted = applying->journal.roots[i];
		if (!noted.stage)
			continue;
		TRY(open_host(applying, i));
		struct journal_root *now = &applying->journal.roots[i];
		bool same = noted.inode == now->inode && noted.born_seconds == now->born_seconds &&
			    noted.born_nanoseconds == now->born_nanoseconds;
		*now = noted;
		if (!same)
			return fail(0, "'%s' is not the directory that it began in",
				    str_shown(applying->held->session.roots[i].path));
		TRY(reopen_stage(applying, i));
	}
	return 0;
}

int stage_remove(struct applying *applying)
{
	for (unsigned i = 0; i < ROOTS_MAX; i++) {
		const char *path = applying->journal.roots[i].stage;
		fd_close(&applying->stages[i]);
		if (path)
			TRY(owned_remove_tree(above_stage(applying, i), path_name(path)));
	}
	return 0;
}

// --- rights --------------------------------------------------------------------------------------

int apply_rights(const struct applying *applying, const struct change *change, int to,
		 const char *name)
{
	const struct store *store = applying->store;
	int parent = applying->parent.fd;
	bool replaces = S_ISREG(change->was.st_mode) && S_ISREG(change->is.st_mode);
	if (S_ISLNK(change->is.st_mode) || (!replaces && !applying->parent.gives))
		return 0;
	autoclose int host = replaces ? openat(parent, path_name(change->path), FILE_FLAGS) : -1;
	if (host >= 0 && !rights_differ(to, name, host))
		return 0;
	autoclose int made = openat(to, name, FILE_FLAGS);
	if (made < 0 || (replaces && host < 0))
		return fail(errno, "the rights of '%s'", str_shown(change->path));
	return replaces ? rights_keep(store, made, host, change->is.st_mode)
			: rights_inherit(store, made, parent);
}

int apply_rights_copy(const struct applying *applying, int from, const char *source, int to,
		      const char *name)
{
	autoclose int is = openat(from, source, FILE_FLAGS), made = openat(to, name, FILE_FLAGS);
	if (is < 0 || made < 0)
		return fail(errno, "the rights of '%s'", str_shown(source));
	return rights_copy(applying->store, made, is);
}

void narrow_mode(struct applying *applying, struct change *change)
{
	struct narrowed *narrowed = &applying->narrowed;
	mode_t *mode = &change->is.st_mode, was = change->was.st_mode;
	narrowed->set += S_ISREG(*mode) && (*mode & (S_ISUID | S_ISGID));
	*mode &= S_ISREG(*mode) ? ~(mode_t)(S_ISUID | S_ISGID) : ~(mode_t)0;
	bool same = ((*mode ^ was) & S_IFMT) == 0;
	mode_t more = *mode & narrowed->umask & 077 & ~(same ? was : 0);
	bool given = !same && applying->parent.gives == RIGHTS_ACL;
	if (!more || given || S_ISLNK(*mode) || change->kind == CHANGE_REMOVED)
		return;
	if (narrowed->count++ == 0) {
		narrowed->first = change;
		narrowed->mode = *mode;
	}
	*mode &= ~more;
}

void narrow_tell(const struct applying *applying, const char *first, struct out *notes)
{
	const struct narrowed *narrowed = &applying->narrowed;
	out_text(notes, "sbx: %s has mode %o and not %o, as your umask is %03o", first,
		 narrowed->first->is.st_mode & 07777, narrowed->mode & 07777, narrowed->umask);
	if (narrowed->count > 1)
		out_text(notes, "; the same of %u more", narrowed->count - 1);
	const char *word = quote_fix(applying->store->arena, first);
	if (word)
		out_text(notes, "; to change it: chmod %o %s", narrowed->mode & 07777, word);
	out_text(notes, "\n");
}
