// Owns the list of such files.
#include "session/compare/changes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/recognise.h"
#include "names/trusted.h"
#include "session/store/store.h"

enum { REPOSITORIES_MAX = 1024 };

static const struct origin nowhere = { 0 };

struct mention_search {
	struct store *store;
	struct mentioned *mentioned;
	const char *root;
	struct mentions mentions; // in the root
	unsigned repositories;
};

// By its own name, and by what that leads to.
static void find(struct mentions *mentions, const char *path, bool programs)
{
	struct mention_search *search = mentions->owner;
	struct arena *arena = search->store->arena;
	struct list *list = programs ? &search->mentioned->programs : &search->mentioned->files;
	if (!path_within(path, search->root) || str_equal(path, search->root))
		return;
	list_add(list, arena, path, nowhere);
	char *real = realpath(path, NULL);
	if (real && !str_equal(real, path) && path_within(real, search->root))
		list_add(list, arena, arena_copy(arena, real, strlen(real)), nowhere);
	free(real);
}

static void read_files(struct mention_search *search, const char *base, const char *path)
{
	search->mentions.files = 0;
	mentions_settings(&search->mentions, base, path);
}

static void read_texts(struct mention_search *search, const struct gitnamed *named,
		       const char *base)
{
	for (const struct gitnamed_text *one = named->first; one; one = one->next)
		mentions_git(&search->mentions, base, one->text, one->length);
	list_each (item, &named->hooks)
		read_files(search, base, item->text);
}

// A repository at `base`; `git` is its directory, or what its .git leads to.
static void read_repository(struct mention_search *search, const char *base, const char *git)
{
	struct arena *arena = search->store->arena;
	struct gitnamed named = { 0 };
	gitnamed_file(arena, search->store->home, path_below(arena, git, "config"), base, &named);
	gitnamed_file(arena, search->store->home, path_below(arena, git, "config.worktree"), base,
		      &named);
	read_texts(search, &named, base);
	read_files(search, base, path_below(arena, git, "hooks"));
}

static void read_setting(struct mention_search *search, const char *name)
{
	read_files(search, search->root, path_below(search->store->arena, search->root, name));
}

// The protected names of the table: those at the top by its listing.
static void read_settings(struct mention_search *search)
{
	autoclose int fd = open(search->root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	entries_each (entry, fd)
		if (!str_equal(entry->name, ".git") && trusted_is_protected(entry->name))
			read_setting(search, entry->name);
	trusted_each (row, TRUSTED_PROTECT)
		if (!row->pattern && strchr(trusted_name(row), '/') &&
		    !str_starts(trusted_name(row), ".git/"))
			read_setting(search, trusted_name(row));
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
	read_repository(search, base, git);
	if (S_ISREG(status.st_mode))
		read_repository(search, base, path_below(arena, search->root, ".git"));
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

void mentioned_find(struct store *store, const struct session *session,
		    const struct changes *changes, struct mentioned *ret_mentioned)
{
	struct mentioned mentioned = { 0 };
	for (unsigned root = 0; root < session->root_count; root++) {
		const char *path = session->roots[root].path;
		struct mention_search search = { store, &mentioned, path, { 0 }, 0 };
		struct gitnamed global = { 0 };
		const char *last = "";
		if (session->roots[root].own || session->roots[root].system)
			continue;
		search.mentions = (struct mentions){
			.root = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			.path = path,
			.arena = store->arena,
			.found = find,
			.owner = &search,
		};
		gitnamed_global(store->arena, store->home, store->config, &global);
		read_texts(&search, &global, search.root);
		read_settings(&search);
		read_at(&search, search.root);
		for (unsigned i = 0; i < changes->count; i++) {
			if (changes->list[i].root != root)
				continue;
			read_around(&search, changes->list[i].path, last);
			last = changes->list[i].path;
		}
		fd_close(&search.mentions.root);
	}
	*ret_mentioned = mentioned;
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
