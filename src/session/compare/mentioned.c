// Owns the list of the host's files that hooks, .envrc and git's configuration name.
#include "session/compare/changes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/git.h"
#include "names/names.h"
#include "session/store/store.h"

static void read_texts(struct mentions *mentions, const struct gitnamed *named, const char *top)
{
	for (const struct gitnamed_text *one = named->first; one; one = one->next) {
		mentions->whose = one->whose;
		mentions_git(mentions, top, one->text, one->length);
	}
	mentions->whose = APART_OWN;
	list_each (item, &named->settings)
		mentions_git(mentions, top, item->text, strlen(item->text));
	mentions->whose = APART_OTHERS;
	list_each (item, &named->hooks)
		mentions_hooks(mentions, top, item->text);
}

static int read_repository(struct mentions *mentions, const struct store *store, const char *top)
{
	struct gitnamed named = { 0 };
	const char *git = path_below(mentions->arena, top, ".git");
	if (access(git, F_OK) < 0)
		return 0;
	TRY(gitnamed_repository(mentions->arena, store->home, git, top, &named));
	read_texts(mentions, &named, top);
	mentions_hooks(mentions, top, path_below(mentions->arena, top, ".git/hooks"));
	return 0;
}

static int read_around(struct mentions *mentions, const struct store *store, const char *path,
		       const char *last)
{
	for (const char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
		int length = (int)(end - path);
		if (strncmp(path, last, (size_t)length) != 0 || last[length] != '/')
			TRY(read_repository(mentions, store,
					    arena_text(mentions->arena, "%s/%.*s", mentions->path,
						       length, path)));
	}
	return 0;
}

static void add_real(const struct mentions *mentions, struct list *files)
{
	list_each (item, &mentions->files) {
		char *real = realpath(item->text, NULL);
		list_add(files, mentions->arena, item->text, item->from);
		if (real)
			list_add(files, mentions->arena,
				 arena_copy(mentions->arena, real, strlen(real)), item->from);
		free(real);
	}
}

int mentioned_find(const struct held *held, const struct changes *changes, struct list *ret_files)
{
	const struct session *session = &held->session;
	struct store *store = held->store;
	struct arena *arena = store->arena;
	struct gitnamed global = { 0 };
	TRY(gitnamed_global(arena, store->home, store->config, &global));
	session_roots_each (i, session) {
		const char *top = session->roots[i].path, *last = "";
		autoclose int root = open(top, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		struct mentions mentions = {
			.root = root, .path = top, .home = store->home, .arena = arena
		};
		read_texts(&mentions, &global, top);
		TRY(read_repository(&mentions, store, top));
		mentions_file(&mentions, top, root, ".envrc");
		for (unsigned j = 0; j < changes->count; j++) {
			if (changes->list[j].root != i)
				continue;
			TRY(read_around(&mentions, store, changes->list[j].path, last));
			last = changes->list[j].path;
		}
		add_real(&mentions, ret_files);
	}
	return apart_end();
}
