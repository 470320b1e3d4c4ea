// Owns the list of such files.
#include "session/compare/changes.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/entries.h"
#include "base/arena.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "git/gitnamed.h"
#include "names/includes.h"
#include "names/mentions.h"
#include "names/naming.h"
#include "names/naming_find.h"
#include "session/store/store.h"

enum { HOOKS_MAX = 64, NAMES_MAX = 1024, REPOSITORIES_MAX = 1024, FOUND_MAX = 8192 };

static const struct origin nowhere = { 0 };

struct mention_search {
	struct store *store;
	struct mentioned *mentioned;
	const char *root, *base; // relative names begin at `base`
	int top;                 // of the root, open
	unsigned names, repositories, found;
	struct includes includes;
};

// By its own name, and by what that leads to.
static void add(struct mention_search *search, const char *path, enum mention kind)
{
	struct arena *arena = search->store->arena;
	struct list *list =
		kind == MENTION_PROGRAMS ? &search->mentioned->programs : &search->mentioned->files;
	if (!path_within(path, search->root) || str_equal(path, search->root) ||
	    search->names++ >= NAMES_MAX)
		return;
	list_add(list, arena, path, nowhere);
	char *real = realpath(path, NULL);
	if (real && !str_equal(real, path) && path_within(real, search->root))
		list_add(list, arena, arena_copy(arena, real, strlen(real)), nowhere);
	free(real);
}

static void find(struct mentions *mentions, const char *name, enum mention kind)
{
	struct mention_search *search = mentions->owner;
	if (strlen(name) >= PATH_MAX || search->found++ >= FOUND_MAX)
		return;
	const char *path = mentions_path(search->store->arena, search->root, search->base, name);
	if (path)
		add(search, path, kind);
}

static void read_file(struct mention_search *search, int directory, const char *name,
		      const struct naming_row *settings)
{
	static char text[NAMING_BYTES_MAX];
	size_t length, size = naming_bytes(settings);
	struct mentions mentions = { .found = find, .owner = search };
	if (file_read_into(directory, name, FILE_PART, text, size, &length) > 0)
		naming_read(&mentions, settings, text, length);
}

static void read_hooks(struct mention_search *search, const char *path)
{
	static const struct naming_row script = { "", NAMING_TEXT, NULL };
	unsigned count = 0;
	autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entries_each (entry, fd)
		if (entry->type == DT_REG && !str_ends(entry->name, ".sample") &&
		    count++ < HOOKS_MAX)
			read_file(search, fd, entry->name, &script);
}

static void read_texts(struct mention_search *search, const struct gitnamed *named)
{
	struct mentions mentions = { .found = find, .owner = search };
	for (const struct gitnamed_text *one = named->first; one; one = one->next)
		mentions_git(&mentions, search->store->arena, one->text, one->length);
	list_each (item, &named->hooks)
		read_hooks(search, item->text);
}

// A repository at `base`; `git` is its directory, or what its .git leads to.
static void read_repository(struct mention_search *search, const char *git)
{
	struct arena *arena = search->store->arena;
	struct gitnamed named = { 0 };
	gitnamed_file(arena, search->store->home, path_below(arena, git, "config"), search->base,
		      &named);
	gitnamed_file(arena, search->store->home, path_below(arena, git, "config.worktree"),
		      search->base, &named);
	read_texts(search, &named);
	read_hooks(search, path_below(arena, git, "hooks"));
}

static void find_included(struct includes *includes, const char *path)
{
	add(includes->owner, path, MENTION_FILE);
}

// Below the root.
static void read_row(void *owner, const char *name, const struct naming_row *settings)
{
	struct mention_search *search = owner;
	if (naming_includes(settings))
		includes_read(&search->includes, name, settings);
	else
		read_file(search, search->top, name, settings);
}

static void read_settings(struct mention_search *search)
{
	autoclose int fd = open(search->root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	search->top = fd;
	search->includes = (struct includes){ .root = fd,
					      .path = search->root,
					      .arena = search->store->arena,
					      .found = find_included,
					      .owner = search };
	for (unsigned i = 0; fd >= 0 && i < naming_count; i++)
		naming_find(fd, &naming_rows[i], read_row, search);
	read_hooks(search, path_below(search->store->arena, search->root, ".husky"));
}

// A file .git is one of a worktree or a submodule: the settings of the repository around it hold
// there, too.
static void read_at(struct mention_search *search, const char *base)
{
	struct stat status;
	struct arena *arena = search->store->arena;
	const char *git = path_below(arena, base, ".git");
	if (lstat(git, &status) < 0 || search->repositories++ >= REPOSITORIES_MAX)
		return;
	search->base = base;
	read_repository(search, git);
	if (S_ISREG(status.st_mode))
		read_repository(search, path_below(arena, search->root, ".git"));
}

// Changes are sorted: each directory of one that the last has not is met for the first time.
static void read_around(struct mention_search *search, const char *path, const char *last)
{
	struct arena *arena = search->store->arena;
	for (const char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
		size_t length = (size_t)(end - path);
		if (strncmp(path, last, length) != 0 || last[length] != '/')
			read_at(search,
				arena_text(arena, "%s/%.*s", search->root, (int)length, path));
	}
}

static void find_run(struct scripts *scripts, const char *path)
{
	add(scripts->owner, path, MENTION_RUN);
}

// What is found comes to the end of the list, and is read in its turn.
static void read_scripts(struct mention_search *search)
{
	autoclose int fd = open(search->root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct scripts scripts = { .root = fd,
				   .path = search->root,
				   .arena = search->store->arena,
				   .found = find_run,
				   .owner = search };
	list_each (item, &search->mentioned->files)
		if (fd < 0 || !scripts_read(&scripts, item->text))
			break;
}

void mentioned_find(struct store *store, const struct session *session,
		    const struct changes *changes, struct mentioned *ret_mentioned)
{
	struct mentioned mentioned = { 0 };
	for (unsigned root = 0; root < session->root_count; root++) {
		struct mention_search search = { .store = store,
						 .mentioned = &mentioned,
						 .root = session->roots[root].path };
		struct gitnamed global = { 0 };
		const char *last = "";
		if (session->roots[root].own || session->roots[root].system)
			continue;
		search.base = search.root;
		gitnamed_global(store->arena, store->home, store->config, &global);
		read_texts(&search, &global);
		read_settings(&search);
		read_at(&search, search.root);
		for (unsigned i = 0; i < changes->count; i++) {
			if (changes->list[i].root != root)
				continue;
			read_around(&search, changes->list[i].path, last);
			last = changes->list[i].path;
		}
		read_scripts(&search);
	}
	*ret_mentioned = mentioned;
}

void mentioned_add(struct store *store, const char *root, const char *path,
		   struct mentioned *mentioned)
{
	struct mention_search search = { .store = store, .mentioned = mentioned, .root = root };
	read_at(&search, path_below(store->arena, root, path));
	read_scripts(&search);
}

bool mentioned_has(const struct store *store, const struct mentioned *mentioned, const char *root,
		   const char *path)
{
	if (!mentioned->files.first && !mentioned->programs.first)
		return false;
	const char *whole = path_below(store->arena, root, path);
	// Where git's configuration has commands, these choose among them in each directory.
	bool attributes = str_equal(path_name(path), ".gitattributes");
	list_each (item, &mentioned->files)
		if (path_within(item->text, whole) ||
		    (attributes && str_equal(path_name(item->text), ".gitattributes")))
			return true;
	list_each (item, &mentioned->programs)
		if (path_within(item->text, whole) || path_within(whole, item->text))
			return true;
	return false;
}
