// Owns the search for files of secrets: what the list has, and what came since.
#include "view/secrets/hide.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "trees/git_list.h"
#include "view/paths/wishes.h"

// A first search finds the end of the project, or the command is not run. Later ones read this many
// directories that could not be listed before.
enum { FIRST_MAX = 1 << 15, DIRECTORIES_MAX = 1000 };
enum { SHUT_MAX = 512, LATE_OWN = 64, ASKED_MAX = 512 };
enum { NANOSECONDS = 1000000000, TICK_NANOSECONDS = 20000000 };

struct candidate {
	const char *name; // below the project
	enum untracked_rank rank;
	int64_t changed;
	unsigned levels;
};

struct untracked_search {
	struct untracked *files;
	struct wishes *wishes;
	struct arena *arena;
	const char *patterns; // of the profile
	struct listed known;  // the list, empty in a first search
	struct listed fresh;  // what a first search found
	const char **queue;   // directories below the project
	unsigned queued, queue_room, searched;
	struct candidate *candidates;
	unsigned count, room;
	const char **shut; // directories that are hidden as a whole
	unsigned shut_count, shut_room;
	bool first, cut;
};

static int64_t changed_of(const struct stat *status)
{
	return (int64_t)status->st_ctim.tv_sec * NANOSECONDS + status->st_ctim.tv_nsec;
}

static const struct item *wanted(const struct wishes *wishes, const char *name)
{
	list_each (item, &wishes->plan->profile->hide_untracked)
		if (secret_name(item->text, name))
			return item;
	return NULL;
}

static const char *path_of(struct untracked_search *search, const char *name)
{
	const char *project = search->wishes->plan->project;
	return name[0] ? path_below(search->arena, project, name) : project;
}

static void note(struct untracked_search *search, const char *name, enum untracked_rank rank,
		 int64_t changed)
{
	struct candidate candidate = { .name = name, .rank = rank, .changed = changed };
	for (const char *at = name; *at; at++)
		candidate.levels += *at == '/';
	search->candidates = arena_grow(search->arena, search->candidates, search->count,
					&search->room, sizeof(*search->candidates));
	search->candidates[search->count++] = candidate;
}

// A name that the search found, which is not in the list.
static void note_new(struct untracked_search *search, int directory, const char *name,
		     const char *entry)
{
	struct stat status;
	if (listed_find(&search->known, name) ||
	    fstatat(directory, entry, &status, AT_SYMLINK_NOFOLLOW) < 0 || S_ISDIR(status.st_mode))
		return;
	listed_add(&search->fresh, name, &status, (enum listed_kind)SECRET_OWN);
	note(search, name, search->first ? UNTRACKED_OWN : UNTRACKED_LATE, changed_of(&status));
}

static bool is_hidden(const struct wishes *wishes, const char *path)
{
	for (unsigned i = 0; i < wishes->hidden_count; i++)
		if (str_equal(wishes->hidden[i].path, path))
			return true;
	return false;
}

static void queue(struct untracked_search *search, const char *name)
{
	search->cut =
		search->cut || search->queued == (search->first ? FIRST_MAX : DIRECTORIES_MAX);
	if (search->cut || (name[0] && is_hidden(search->wishes, path_of(search, name))))
		return;
	search->queue = arena_grow(search->arena, search->queue, search->queued,
				   &search->queue_room, sizeof(*search->queue));
	search->queue[search->queued++] = name;
}

// One that cannot be listed could be opened by the box, which may be its owner: it is hidden whole.
static int hide_shut(struct untracked_search *search, const char *name)
{
	struct wishes *wishes = search->wishes;
	struct resolved directory;
	struct stat status;
	const char *path = path_of(search, name);
	for (unsigned i = 0; i < search->shut_count; i++)
		if (str_equal(search->shut[i], name))
			return 0;
	if (lstat(path, &status) < 0 || !S_ISDIR(status.st_mode) ||
	    status.st_uid != wishes->plan->uid ||
	    ATTEMPT(resolve_path(wishes->resolver, path, &directory)) != 1)
		return 0;
	search->cut = search->cut || (search->first && search->shut_count == SHUT_MAX);
	if (search->cut)
		return 0;
	search->shut = arena_grow(search->arena, search->shut, search->shut_count,
				  &search->shut_room, sizeof(*search->shut));
	search->shut[search->shut_count++] = name;
	if (search->first)
		listed_add(&search->fresh, name, &status, (enum listed_kind)SECRET_SHUT);
	const struct item *item = wishes->plan->profile->hide_untracked.first;
	struct mount mask = { .kind = MOUNT_MASK, .access = ACCESS_NOTHING, .from = item->from };
	mask.target = directory.path;
	mask.identity = directory.identity;
	list_add(&wishes->plan->warnings, wishes->arena,
		 arena_text(wishes->arena,
			    "'%s' cannot be searched for '%s' and is hidden as a whole (its mode "
			    "is %04o)",
			    str_shown(path), item->text, (unsigned)status.st_mode & 07777),
		 item->from);
	return wishes_add(wishes, &mask, false);
}

static void search_entry(struct untracked_search *search, int directory, const char *above,
			 const struct sys_entry *entry)
{
	bool wants = wanted(search->wishes, entry->name) != NULL;
	bool descends = entry->type == DT_DIR || entry->type == DT_UNKNOWN;
	if (str_equal(entry->name, ".") || str_equal(entry->name, "..") || (!wants && !descends))
		return;
	const char *name = above[0] ? path_below(search->arena, above, entry->name)
				    : arena_copy(search->arena, entry->name, strlen(entry->name));
	if (wants && entry->type != DT_DIR)
		note_new(search, directory, name, entry->name);
	if (descends && secret_place(name))
		queue(search, name);
}

static int search_all(struct untracked_search *search)
{
	while (search->searched < search->queued) {
		const char *above = search->queue[search->searched++];
		autoclose int fd = open(path_of(search, above),
					O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 && errno == EACCES)
			TRY(hide_shut(search, above));
		entries_each (entry, fd)
			search_entry(search, fd, above, entry);
	}
	return 0;
}

static int search_first(struct untracked_search *search, const char *file)
{
	struct wishes *wishes = search->wishes;
	const struct item *first = wishes->plan->profile->hide_untracked.first;
	search->first = true;
	queue(search, "");
	TRY(search_all(search));
	if (search->cut) {
		const char *last = search->queue[search->queued - 1];
		last = arena_copy(wishes->arena, last, strcspn(last, "/"));
		return fail(0,
			    "the search for '%s' did not come to its end (more than %d "
			    "directories, or %d that cannot be listed); hide one that the command "
			    "does not need: --hide ./%s",
			    first->text, FIRST_MAX, SHUT_MAX, str_shown(last));
	}
	secret_list_write(file, &(struct secret_news){ .root = wishes->plan->project,
						       .patterns = search->patterns,
						       .met = &search->fresh,
						       .since = INT64_MAX,
						       .make = true });
	return 0;
}

static void note_late(struct git_walk *walk, int directory, const struct dirent *entry)
{
	struct untracked_search *search = walk->owner;
	const char *name = walk->path + walk->root + 1;
	if (entry->d_type != DT_DIR && wanted(search->wishes, entry->d_name))
		note_new(search, directory, arena_copy(search->arena, name, strlen(name)),
			 entry->d_name);
}

// What a first search passes over, and git tracks nothing in; not right below the top, the
// command's directory and those with tracked files.
static bool is_passed(struct git_walk *walk)
{
	const struct share *share = walk->share;
	const char *name = walk->path + walk->root + 1;
	size_t length = strlen(name), above = (size_t)(path_name(name) - name);
	unsigned below = share_first(share, name, length, '/');
	bool near = above == 0 || share_is_centre(share, name, above - 1);
	return !near && !secret_place(name) && !share_is_centre(share, name, length) &&
	       !(below < share->count && strncmp(share->centres[below], name, length) == 0 &&
		 share->centres[below][length] == '/');
}

static const char *directory_of(const struct plan *plan)
{
	size_t length = strlen(plan->project);
	const char *current = plan->current;
	return current && path_within(current, plan->project) && current[length]
		       ? current + length + 1
		       : "";
}

// What the host has made since the search before, by the time of the list: in the top, the
// command's directory and those with tracked files that changed, and in new directories there.
static int search_late(struct untracked_search *search, const char *file)
{
	const struct plan *plan = search->wishes->plan;
	struct stat status;
	struct share share = { 0 };
	const struct share none = { 0 };
	struct timespec now = times_of(times_now() - TICK_NANOSECONDS);
	const struct timespec times[] = { now, now };
	if (plan->index && stat(plan->index, &status) == 0) {
		const struct file_state state = file_state(&status);
		share_read(search->arena, plan->index, &state, &share);
	}
	share_add(search->arena, &share, &none, directory_of(plan));
	struct git_walk *walk = arena_take(search->arena, sizeof(*walk));
	*walk = (struct git_walk){
		.entry = note_late, .passes = is_passed, .owner = search, .share = &share
	};
	if (stat(file, &status) == 0 && status.st_mtim.tv_sec <= now.tv_sec)
		walk->since = status.st_mtim.tv_sec * (int64_t)NANOSECONDS + status.st_mtim.tv_nsec;
	walk_tree(walk, plan->project);
	utimensat(AT_FDCWD, file, times, AT_SYMLINK_NOFOLLOW);
	return 0;
}

// Those of the list. A made file that was changed since its box ended may hold a secret now.
static int note_known(struct untracked_search *search, int root)
{
	struct stat status;
	for (unsigned i = 0; i < search->known.count; i++) {
		const struct listed_row *row = &search->known.rows[i];
		if (row->kind == (enum listed_kind)SECRET_SHUT) {
			queue(search, row->path);
			continue;
		}
		enum untracked_rank rank = UNTRACKED_OWN;
		int64_t changed = 0;
		if (row->kind == (enum listed_kind)SECRET_MADE) {
			search->wishes->plan->boxes_made = true;
			if (fstatat(root, row->path, &status, AT_SYMLINK_NOFOLLOW) < 0)
				continue;
			changed = changed_of(&status);
			rank = changed == row->changed && status.st_ino == row->inode
				       ? UNTRACKED_MADE
				       : UNTRACKED_LATE;
		}
		if (wanted(search->wishes, path_name(row->path)))
			note(search, row->path, rank, changed);
	}
	return search_all(search);
}

// The user's own first. Of the others those that changed last, and of what boxes made the nearest.
static int compare(const void *left, const void *right)
{
	const struct candidate *one = left, *two = right;
	if (one->rank != two->rank)
		return one->rank < two->rank ? -1 : 1;
	if (one->rank == UNTRACKED_LATE && one->changed != two->changed)
		return one->changed > two->changed ? -1 : 1;
	if (one->levels != two->levels)
		return one->levels < two->levels ? -1 : 1;
	size_t length = strlen(one->name), other = strlen(two->name);
	return length != other ? (length < other ? -1 : 1) : strcmp(one->name, two->name);
}

// A directory on the way that keeps its owner out.
static int hide_way(struct untracked_search *search, const char *name)
{
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		const char *above = arena_copy(search->arena, name, (size_t)(slash - name));
		if (faccessat(AT_FDCWD, path_of(search, above), X_OK, AT_EACCESS) < 0 &&
		    errno == EACCES)
			return hide_shut(search, above);
	}
	return 0;
}

static int resolve(struct untracked_search *search, const struct candidate *candidate)
{
	struct wishes *wishes = search->wishes;
	const char *project = wishes->plan->project;
	const char *path = path_below(wishes->arena, project, candidate->name);
	const struct item *item = wanted(wishes, path_name(candidate->name));
	struct resolved file;
	int found = ATTEMPT(resolve_path(wishes->resolver, path, &file));
	if (found < 0)
		return candidate->rank == UNTRACKED_MADE ? 0 : hide_way(search, candidate->name);
	if (found == 0 || file.identity.type == S_IFDIR || !path_within(file.path, project) ||
	    path_within(file.path, path_below(search->arena, project, ".git")) ||
	    is_hidden(wishes, file.path))
		return 0;
	struct untracked *files = search->files;
	bool led = file.link_count > 0 && candidate->rank != UNTRACKED_MADE;
	files->list = arena_grow(search->arena, files->list, files->count, &files->room,
				 sizeof(*files->list));
	files->list[files->count++] =
		(struct untracked_file){ .path = file.path,
					 .name = file.path + strlen(project) + 1,
					 .link = led ? path : NULL,
					 .item = item,
					 .identity = file.identity,
					 .rank = candidate->rank };
	return 0;
}

static int search_project(struct untracked_search *search)
{
	struct plan *plan = search->wishes->plan;
	const char *file = path_kept(search->arena, plan->state, "hidden", plan->project);
	TRY(listed_read(search->arena, file, plan->project, &search->known));
	search->fresh.arena = search->arena;
	bool known =
		search->known.place[0] &&
		str_equal(search->known.place,
			  secret_patterns(search->arena, search->known.place, search->patterns));
	autoclose int root = open(plan->project, O_PATH | O_DIRECTORY | O_CLOEXEC);
	TRY(note_known(search, root));
	TRY(known ? search_late(search, file) : search_first(search, file));
	// So many at once are those of a box that lives.
	for (unsigned i = 0; search->fresh.count > LATE_OWN && i < search->fresh.count; i++)
		search->fresh.rows[i].kind = (enum listed_kind)SECRET_MADE;
	if (known && search->fresh.count > 0)
		secret_list_write(file, &(struct secret_news){ .root = plan->project,
							       .patterns = "",
							       .met = &search->fresh,
							       .since = INT64_MAX });
	if (search->count > 0)
		qsort(search->candidates, search->count, sizeof(*search->candidates), compare);
	for (unsigned i = 0, ranks[UNTRACKED_MADE + 1] = { 0 }; i < search->count; i++) {
		const struct candidate *one = &search->candidates[i];
		bool again = i > 0 && str_equal(one[-1].name, one->name);
		if (!again && (one->rank == UNTRACKED_OWN || ranks[one->rank]++ < ASKED_MAX))
			TRY(resolve(search, one));
	}
	return 0;
}

int untracked_search(struct untracked *files)
{
	struct plan *plan = files->wishes->plan;
	struct untracked_search search = {
		.files = files, .wishes = files->wishes, .arena = files->arena, .patterns = ""
	};
	list_each (item, &plan->profile->hide_untracked)
		search.patterns = secret_patterns(search.arena, search.patterns, item->text);
	return search_project(&search);
}
