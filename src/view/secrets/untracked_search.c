// Owns the search for files of secrets: three levels of the project, and the command's directory.
#include "view/secrets/hide.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "view/paths/wishes.h"

enum { LEVELS = 3, DIRECTORIES_MAX = 4096, ASKED_MAX = 4096, NAME_BYTES = 256 };

struct candidate {
	const char *name; // below the project
	unsigned levels;
	bool shut; // a directory that cannot be listed
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
	int project; // open
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

// The top, the command's directory, which may lie deeper, and what is below these, level by level.
static void search_all(struct untracked_search *search)
{
	const struct plan *plan = search->wishes->plan;
	size_t length = strlen(plan->project);
	const char *current = plan->current;
	unsigned next = 0;
	note(search, &search->directories, (struct candidate){ .name = "" });
	if (current && path_within(current, plan->project) && current[length] &&
	    levels_of(current + length + 1) > LEVELS)
		note(search, &search->directories,
		     (struct candidate){ .name = current + length + 1 });
	for (; next < search->directories.count && next < DIRECTORIES_MAX; next++)
		read_directory(search, next);
	search->files->unread += search->directories.count - next;
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
	for (unsigned i = 0; i < names->count && i < ASKED_MAX; i++)
		TRY(resolve(&search, &names->rows[i]));
	if (names->count > ASKED_MAX)
		files->visible = names->count - ASKED_MAX;
	return 0;
}
