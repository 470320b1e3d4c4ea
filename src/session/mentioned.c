// Owns the list of such files.
#include "session/mentioned.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/gitnamed.h"
#include "base/mentions.h"
#include "base/path.h"
#include "base/str.h"
#include "session/changes.h"
#include "session/store.h"

enum { HOOKS_MOST = 64, NAMES_MOST = 1024, REPOSITORIES_MOST = 1024, BYTES_MOST = 1 << 18 };

static const struct origin nowhere = { 0 };

struct search {
	struct store *store;
	struct mentioned *mentioned;
	const char *root, *base; // relative names begin at `base`
	unsigned names, repositories;
};

// By its own name, and by what that leads to.
static void add(struct search *search, const char *path, enum mention kind)
{
	struct arena *arena = search->store->arena;
	struct list *list =
		kind == MENTION_PROGRAMS ? &search->mentioned->programs : &search->mentioned->files;
	if (!path_within(path, search->root) || str_equal(path, search->root) ||
	    search->names++ >= NAMES_MOST)
		return;
	list_add(list, arena, path, nowhere);
	char *real = realpath(path, NULL);
	if (real && !str_equal(real, path) && path_within(real, search->root))
		list_add(list, arena, arena_copy(arena, real, strlen(real)), nowhere);
	free(real);
}

static void find(struct mentions *mentions, const char *name, enum mention kind)
{
	struct search *search = mentions->owner;
	struct arena *arena = search->store->arena;
	bool whole = name[0] == '/' && path_within(name, search->root);
	const char *path =
		whole ? path_clean(arena, name) : mentions_below(arena, search->base, name);
	if (path)
		add(search, path, kind);
}

static void read_file(struct search *search, int directory, const char *name,
		      const struct mentions_settings *settings)
{
	static char text[BYTES_MOST];
	size_t length,
		size = settings->form == MENTIONS_SCRIPTS ? sizeof(text) : MENTIONS_BYTES_MOST;
	struct mentions mentions = { .found = find, .owner = search };
	if (file_read_into(directory, name, FILE_PART, text, size, &length) > 0)
		mentions_read(&mentions, search->store->arena, settings, text, length);
}

static void read_hooks(struct search *search, const char *path)
{
	static const struct mentions_settings script = { "", MENTIONS_TEXT, NULL };
	unsigned count = 0;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *entry = stream ? readdir(stream) : NULL; entry && count < HOOKS_MOST;
	     entry = readdir(stream))
		if (entry->d_type == DT_REG && !str_ends(entry->d_name, ".sample")) {
			read_file(search, fd, entry->d_name, &script);
			count++;
		}
	if (stream)
		closedir(stream);
}

static void read_texts(struct search *search, const struct gitnamed *named)
{
	struct mentions mentions = { .found = find, .owner = search };
	for (const struct gitnamed_text *one = named->first; one; one = one->next)
		mentions_git(&mentions, search->store->arena, one->text, one->length);
	list_each (item, &named->hooks)
		read_hooks(search, item->text);
}

// A repository at `base`; `git` is its directory, or what its .git leads to.
static void read_repository(struct search *search, const char *git)
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

static void read_settings(struct search *search)
{
	autoclose int fd = open(search->root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (unsigned i = 0; fd >= 0 && i < mentions_settings_count; i++)
		read_file(search, fd, mentions_settings[i].name, &mentions_settings[i]);
	read_hooks(search, path_below(search->store->arena, search->root, ".husky"));
}

// A file .git is one of a worktree or a submodule: the settings of the repository around it hold
// there, too.
static void read_at(struct search *search, const char *base)
{
	struct stat status;
	struct arena *arena = search->store->arena;
	const char *git = path_below(arena, base, ".git");
	if (lstat(git, &status) < 0 || search->repositories++ >= REPOSITORIES_MOST)
		return;
	search->base = base;
	read_repository(search, git);
	if (S_ISREG(status.st_mode))
		read_repository(search, path_below(arena, search->root, ".git"));
}

// Changes are sorted: each directory of one that the last has not is met for the first time.
static void read_around(struct search *search, const char *path, const char *last)
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
		struct search search = { .store = store,
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
	}
	*ret_mentioned = mentioned;
}

void mentioned_add(struct store *store, const char *root, const char *path,
		   struct mentioned *mentioned)
{
	struct search search = { .store = store, .mentioned = mentioned, .root = root };
	read_at(&search, path_below(store->arena, root, path));
}

bool mentioned_has(const struct store *store, const struct mentioned *mentioned, const char *root,
		   const char *path)
{
	if (!mentioned->files.first && !mentioned->programs.first)
		return false;
	const char *whole = path_below(store->arena, root, path);
	list_each (item, &mentioned->files)
		if (path_within(item->text, whole))
			return true;
	list_each (item, &mentioned->programs)
		if (path_within(item->text, whole) || path_within(whole, item->text))
			return true;
	return false;
}
