// Owns the decision, by names, by sbx's list of profiles and by what git's configuration names.
#include "session/compare/changes.h"

#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "git/recognise.h"
#include "names/trusted.h"

extern char **environ;

const char *withheld_repository(const char *root)
{
	const char *git = strstr(root, "/.git");
	return git && (git[5] == '\0' || git[5] == '/') ? git + 1 : NULL;
}

static void add_path(struct withheld *withheld, unsigned root, const char *place, const char *path)
{
	struct withheld_root *of = &withheld->roots[root];
	if (path_within(place, path))
		of->whole = true;
	else if (path_within(path, place))
		pathset_add(&of->paths, withheld->arena, path + strlen(place) + (place[1] != '\0'));
}

static void add_profiles(struct withheld *withheld, unsigned root, const char *place,
			 const char *given)
{
	for (size_t length; *given; given += length + (given[length] == '\n')) {
		length = strcspn(given, "\n");
		const char *path = arena_copy(withheld->arena, given, length);
		if (!path_within(place, path))
			add_path(withheld, root, place, path);
	}
}

// A project in such a directory is what the user works on.
static void add_homes(struct withheld *withheld, unsigned root, const char *place,
		      const struct list *homes)
{
	list_each (item, homes)
		if (item->from.line != HOMES_PROGRAM && !path_within(place, item->text))
			add_path(withheld, root, place, item->text);
}

static void add_named(struct withheld *withheld, unsigned root, const char *place,
		      const struct gitnamed *named)
{
	list_each (item, &named->hooks)
		add_path(withheld, root, place, item->text);
	list_each (item, &named->files)
		add_path(withheld, root, place, item->text);
}

static int name_hooks(const struct store *store, const struct session *session, unsigned index,
		      struct gitnamed *named)
{
	const char *root = session->roots[index].path;
	bool own = withheld_repository(root) != NULL;
	TRY(gitnamed_file(store->arena, store->home,
			  path_below(store->arena, root, own ? "config" : ".git/config"),
			  own ? session->project : root, named));
	list_each (value, &named->everywhere)
		list_add(&named->hooks, store->arena, path_join(store->arena, root, value->text),
			 value->from);
	return 0;
}

static void add_led(struct withheld *withheld, const char *directory)
{
	struct list led = { NULL, NULL };
	homes_led(withheld->arena, path_below(withheld->arena, directory, ".git/hooks"), &led);
	trusted_each (row, TRUSTED_WALL)
		if (!row->pattern)
			homes_led(withheld->arena,
				  path_below(withheld->arena, directory, trusted_name(row)), &led);
	list_each (value, &withheld->everywhere)
		list_add(&led, withheld->arena, path_join(withheld->arena, directory, value->text),
			 value->from);
	for (unsigned i = 0; i < ROOTS_MAX; i++) {
		const char *place = withheld->roots[i].place;
		list_each (item, &led)
			if (place && !path_within(place, item->text))
				add_path(withheld, i, place, item->text);
		pathset_order(&withheld->roots[i].paths);
	}
}

// What a repository below the top says itself.
static void add_nested(struct withheld *withheld, const char *directory)
{
	struct gitnamed named = { .count = 0 };
	const char *config = path_below(withheld->arena, directory, ".git/config");
	(void)ATTEMPT(gitnamed_file(withheld->arena, withheld->home, config, directory, &named));
	for (unsigned i = 0; i < ROOTS_MAX; i++)
		if (withheld->roots[i].place)
			add_named(withheld, i, withheld->roots[i].place, &named);
	add_led(withheld, directory);
}

static void look_around(struct withheld *withheld, unsigned root, const char *path)
{
	const char *place = withheld->roots[root].place, *looked = withheld->looked;
	const char *whole = path_below(withheld->arena, place, path);
	const char *parent = path_parent(withheld->arena, whole);
	for (const char *slash = strchr(whole + strlen(place) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		const char *directory = arena_copy(withheld->arena, whole, (size_t)(slash - whole));
		if ((!looked || !path_within(looked, directory)) &&
		    access(path_below(withheld->arena, directory, ".git"), F_OK) == 0)
			add_nested(withheld, directory);
	}
	withheld->looked = parent;
}

static bool is_compared(const struct session *session, unsigned root)
{
	return !session->roots[root].own && !session->roots[root].system;
}

int withheld_begin(const struct store *store, const struct session *session,
		   struct withheld *ret_withheld)
{
	struct withheld withheld = { .arena = store->arena, .home = store->home };
	const char *given = given_read(store->arena, store->state);
	if (!given)
		return -1;
	struct gitnamed named = { .count = 0 };
	struct list found = { NULL, NULL };
	struct homes homes = { .home = store->home, .environment = environ };
	homes_name(store->arena, &homes);
	homes_follow(store->arena, &homes, &found);
	list_each (item, &homes.names)
		list_add(&found, store->arena, item->text, item->from);
	TRY(gitnamed_global(store->arena, store->home, store->config, &named));
	for (unsigned i = 0; i < session->root_count; i++)
		if (is_compared(session, i))
			TRY(name_hooks(store, session, i, &named));
	withheld.everywhere = named.everywhere;
	for (unsigned i = 0; i < session->root_count; i++) {
		const char *place = session->roots[i].path;
		if (!is_compared(session, i))
			continue;
		withheld.roots[i].repository = withheld_repository(place);
		withheld.roots[i].place = place;
		add_profiles(&withheld, i, place, given);
		add_named(&withheld, i, place, &named);
		add_homes(&withheld, i, place, &found);
	}
	for (unsigned i = 0; i < session->root_count; i++)
		if (withheld.roots[i].place)
			add_led(&withheld, withheld.roots[i].place);
	*ret_withheld = withheld;
	return apart_end();
}

bool withheld_has(struct withheld *withheld, unsigned root, const char *path)
{
	if (withheld->roots[root].place)
		look_around(withheld, root, path);
	const struct withheld_root *of = &withheld->roots[root];
	if (of->whole || pathset_has(&of->paths, path))
		return true;
	return trusted_is_protected(
		of->repository ? arena_text(withheld->arena, "%s/%s", of->repository, path) : path);
}
