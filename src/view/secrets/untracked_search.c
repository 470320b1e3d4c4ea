// Owns the search for files of secrets: three levels of the project, and where there are more
// directories than are read, in an order that no box can choose.
#include "view/secrets/hide.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "trees/git_list.h"
#include "view/paths/wishes.h"

// As many as have room with as many links as are followed.
enum { UNORDERED_MAX = UNTRACKED_MAX / 41 };
enum { LEVELS = 3, DIRECTORIES_MAX = 4096, ASKED_MAX = 4096, NAME_BYTES = 256 };

struct candidate {
	const char *name; // below the project
	unsigned levels;
	bool read;    // or about to be
	bool shut;    // a directory that cannot be listed
	unsigned age; // among all of its level, the oldest first
	int64_t key;  // by which they are sorted
};

struct candidates {
	struct candidate *rows;
	unsigned count, room;
};

struct untracked_search {
	struct untracked *files;
	struct wishes *wishes;
	struct arena *arena;
	struct candidates directories, names;
	int project;        // open
	struct share share; // of the project, where the order matters
};

// Some file systems fold case: .ENV is one of them everywhere.
static const struct item *wanted(const struct wishes *wishes, const char *name)
{
	char lower[NAME_BYTES];
	size_t length = strlen(name);
	for (size_t i = 0; i <= length && length < sizeof(lower); i++)
		lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
	list_each (item, &wishes->plan->profile->hide_untracked)
		if (length < sizeof(lower) && str_match(lower, item->text))
			return item;
	return NULL;
}

static const char *path_of(const struct untracked_search *search, const char *name)
{
	const char *project = search->wishes->plan->project;
	return name[0] ? path_below(search->arena, project, name) : project;
}

static unsigned levels_of(const char *name)
{
	unsigned levels = name[0] != '\0';
	for (; *name; name++)
		levels += *name == '/';
	return levels;
}

// Nobody's own files are in these, but right in one at the top.
static bool is_passed_over(const char *name)
{
	static const char *const names[] = { "node_modules", "vendor", "target", "__pycache__" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_equal(names[i], name))
			return true;
	return name[0] == '.';
}

static bool is_hidden(const struct wishes *wishes, const char *path)
{
	for (unsigned i = 0; i < wishes->hidden_count; i++)
		if (str_equal(wishes->hidden[i].path, path))
			return true;
	return false;
}

// A box sets all times but that of birth.
static int64_t born_at(int project, const char *name)
{
	struct statx status;
	if (statx(project, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_CTIME, &status) < 0)
		return INT64_MAX;
	const struct statx_timestamp *time =
		status.stx_mask & STATX_BTIME ? &status.stx_btime : &status.stx_ctime;
	return time->tv_sec * (int64_t)1000000000 + time->tv_nsec;
}

static void note(struct untracked_search *search, struct candidates *list, struct candidate row)
{
	row.levels = levels_of(row.name);
	list->rows = arena_grow(search->arena, list->rows, list->count, &list->room,
				sizeof(*list->rows));
	list->rows[list->count++] = row;
}

static void search_entry(struct untracked_search *search, const char *above, unsigned levels,
			 const struct sys_entry *entry)
{
	bool wants = entry->type != DT_DIR && wanted(search->wishes, entry->name);
	bool descends = (entry->type == DT_DIR || entry->type == DT_UNKNOWN) && levels < LEVELS &&
			!is_passed_over(levels == 0 ? "" : entry->name) &&
			(levels != 1 || !is_passed_over(above)) && !str_equal(entry->name, ".") &&
			!str_equal(entry->name, "..") && !str_equal(entry->name, ".git");
	if (!wants && !descends)
		return;
	const char *name = above[0] ? path_below(search->arena, above, entry->name)
				    : arena_copy(search->arena, entry->name, strlen(entry->name));
	if (wants)
		note(search, &search->names, (struct candidate){ .name = name });
	if (descends && (search->wishes->hidden_count == 0 ||
			 !is_hidden(search->wishes, path_of(search, name))))
		note(search, &search->directories, (struct candidate){ .name = name });
}

// One that cannot be listed could be opened by the box, which may be its owner.
static void read_directory(struct untracked_search *search, unsigned row)
{
	const struct candidate directory = search->directories.rows[row];
	struct stat status;
	const char *name = directory.name[0] ? directory.name : ".";
	search->directories.rows[row].read = true;
	autoclose int fd =
		openat(search->project, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	search->files->unread += fd < 0 && !directory.name[0];
	if (fd < 0 && errno == EACCES && directory.name[0] &&
	    fstatat(search->project, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    status.st_uid == search->wishes->plan->uid)
		note(search, &search->names,
		     (struct candidate){ .name = directory.name, .shut = true });
	entries_each (entry, fd)
		search_entry(search, directory.name, directory.levels, entry);
}

static int compare(const void *left, const void *right)
{
	const struct candidate *one = left, *two = right;
	return one->key < two->key ? -1 : one->key > two->key;
}

static bool is_tracked(const struct share *share, const char *name, size_t length)
{
	unsigned below = share_first(share, name, length, '/');
	return length == 0 || share_is_centre(share, name, length) ||
	       (below < share->count && strncmp(share->centres[below], name, length) == 0 &&
		share->centres[below][length] == '/');
}

static void read_index(struct untracked_search *search)
{
	const char *index = search->wishes->plan->index;
	struct stat status;
	if (search->share.count > 0 || !index || stat(index, &status) < 0)
		return;
	const struct file_state state = file_state(&status);
	share_read(search->arena, index, &state, &search->share);
}

// By turns one that git tracks and the oldest one: a box can write git's index, and what it makes
// is young.
static void arrange(struct untracked_search *search, struct candidate *rows, unsigned count,
		    bool files)
{
	read_index(search);
	for (unsigned i = 0; i < count; i++)
		rows[i].key = born_at(search->project, rows[i].name);
	qsort(rows, count, sizeof(*rows), compare);
	for (unsigned i = 0; i < count; i++) {
		const char *name = rows[i].name;
		size_t length = files ? (size_t)(path_name(name) - name) : strlen(name);
		bool tracked = is_tracked(&search->share, name, length - (files && length > 0));
		rows[i].age = i;
		rows[i].key = tracked ? i : (int64_t)count + i;
	}
	qsort(rows, count, sizeof(*rows), compare);
	for (unsigned i = 0; i < count; i++)
		rows[i].key = i <= rows[i].age ? 2LL * i : 2LL * rows[i].age + 1;
	qsort(rows, count, sizeof(*rows), compare);
}

// The top, and the command's directory, which may lie deeper.
static void begin(struct untracked_search *search)
{
	const struct plan *plan = search->wishes->plan;
	size_t length = strlen(plan->project);
	const char *current = plan->current;
	note(search, &search->directories, (struct candidate){ .name = "" });
	if (current && path_within(current, plan->project) && current[length] &&
	    levels_of(current + length + 1) > LEVELS)
		note(search, &search->directories,
		     (struct candidate){ .name = current + length + 1 });
}

// Each level has a share of the bound; the rest of the bound is for the others.
static void search_all(struct untracked_search *search)
{
	struct candidates *list = &search->directories;
	unsigned read = 0, next = 0;
	begin(search);
	for (unsigned level = 0; level <= LEVELS; level++) {
		unsigned end = list->count, most = (DIRECTORIES_MAX - read) / (LEVELS + 1 - level);
		if (end - next > most)
			arrange(search, list->rows + next, end - next, false);
		for (; next < end && most > 0; most--, read++)
			read_directory(search, next++);
		next = end;
	}
	for (next = 0; next < list->count; next++)
		if (!list->rows[next].read && read++ < DIRECTORIES_MAX)
			read_directory(search, next);
		else
			search->files->unread += !list->rows[next].read;
}

static int resolve(struct untracked_search *search, const struct candidate *met)
{
	struct untracked *files = search->files;
	struct wishes *wishes = search->wishes;
	const char *project = wishes->plan->project;
	const char *path = path_below(wishes->arena, project, met->name);
	const struct item *item = met->shut ? NULL : wanted(wishes, path_name(met->name));
	struct resolved file;
	int found = ATTEMPT(resolve_path(wishes->resolver, path, &file));
	if (found < 0 && !met->shut) // its directory keeps its owner out
		return strchr(met->name, '/')
			       ? resolve(search,
					 &(struct candidate){ path_parent(search->arena, met->name),
							      .shut = true })
			       : 0;
	if (found <= 0 || (file.identity.type == S_IFDIR) != met->shut ||
	    !path_within(file.path, project) ||
	    path_within(file.path, path_below(search->arena, project, ".git")) ||
	    is_hidden(wishes, file.path))
		return 0;
	for (unsigned i = 0; met->shut && i < files->count; i++)
		if (str_equal(files->list[i].path, file.path))
			return 0;
	files->list = arena_grow(search->arena, files->list, files->count, &files->room,
				 sizeof(*files->list));
	files->list[files->count++] =
		(struct untracked_file){ .path = file.path,
					 .name = file.path + strlen(project) + 1,
					 .link = file.link_count > 0 ? path : NULL,
					 .item = item ? item
						      : wishes->plan->profile->hide_untracked.first,
					 .identity = file.identity,
					 .links = file.link_count,
					 .shut = met->shut };
	return 0;
}

int untracked_search(struct untracked *files)
{
	struct untracked_search search = { .files = files,
					   .wishes = files->wishes,
					   .arena = files->arena };
	struct candidates *names = &search.names;
	autoclose int project =
		open(files->wishes->plan->project, O_PATH | O_DIRECTORY | O_CLOEXEC);
	search.project = project;
	search_all(&search);
	if (names->count > UNORDERED_MAX)
		arrange(&search, names->rows, names->count, true);
	for (unsigned i = 0; i < names->count && i < ASKED_MAX; i++)
		TRY(resolve(&search, &names->rows[i]));
	if (names->count > ASKED_MAX)
		files->visible = names->count - ASKED_MAX;
	return 0;
}
