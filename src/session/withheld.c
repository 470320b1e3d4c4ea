// Owns the decision, by names, by sbx's list of profiles and by what git's configuration names.
#include "session/withheld.h"

#include <string.h>

#include "base/arena.h"
#include "base/given.h"
#include "base/homes.h"
#include "base/path.h"
#include "base/str.h"
#include "base/trusted.h"
#include "session/store.h"

extern char **environ;

const char *withheld_repository(const char *root)
{
	const char *git = strstr(root, "/.git");
	return git && (git[5] == '\0' || git[5] == '/') ? git + 1 : NULL;
}

int withheld_begin(const struct store *store, const struct session *session,
		   struct withheld *ret_withheld)
{
	struct withheld withheld = { .arena = store->arena,
				     .profiles = given_read(store->arena, store->state) };
	struct gitnamed *named = &withheld.named;
	if (!withheld.profiles)
		return -1;
	struct homes homes = { store->home, environ, store->state, NULL, NULL };
	homes_follow(store->arena, &homes, &withheld.homes);
	homes_name(store->arena, &homes, &withheld.homes);
	gitnamed_global(store->arena, store->home, store->config, named);
	for (unsigned i = 0; i < session->root_count; i++) {
		const char *root = session->roots[i].path;
		if (session->roots[i].own || session->roots[i].system)
			continue;
		bool own = withheld_repository(root) != NULL;
		gitnamed_file(store->arena, store->home,
			      path_below(store->arena, root, own ? "config" : ".git/config"),
			      own ? session->project : root, named);
		list_each (value, &named->everywhere)
			list_add(&named->hooks, store->arena,
				 path_join(store->arena, root, value->text), value->from);
	}
	*ret_withheld = withheld;
	return 0;
}

static bool lies_in(const struct list *list, const char *path)
{
	list_each (item, list)
		if (path_within(path, item->text))
			return true;
	return false;
}

bool withheld_has(const struct withheld *withheld, const char *root, const char *path)
{
	const char *repository = withheld_repository(root),
		   *whole = path_below(withheld->arena, root, path);
	if (withheld->profiles[0] && given_has(withheld->profiles, whole))
		return true;
	if (lies_in(&withheld->named.hooks, whole) || lies_in(&withheld->named.files, whole))
		return true;
	list_each (item, &withheld->homes)
		if (item->from.line != HOMES_PROGRAM && !path_within(root, item->text) &&
		    path_within(whole, item->text))
			return true;
	return trusted_is_protected(
		repository ? arena_text(withheld->arena, "%s/%s", repository, path) : path);
}
