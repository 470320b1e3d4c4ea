// Owns which changes an apply withholds: to listed profiles, and to files that git's configuration
// or the home names.
#include "session/compare/changes.h"

#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "git/git.h"
#include "names/names.h"

extern char **environ;

const char *withheld_repository(const char *root)
{
	const char *git = strstr(root, "/.git");
	return git && (git[5] == '\0' || git[5] == '/') ? git + 1 : NULL;
}

static void add_path(const struct withheld *withheld, struct list *to, const char *path)
{
	const struct session *session = &withheld->held->session;
	bool meets = false;
	session_roots_each (i, session) {
		const char *place = session->roots[i].path;
		meets = meets || path_within(path, place) || path_within(place, path);
	}
	if (meets)
		list_add(to, withheld->arena, path, (struct origin){ 0 });
}

static void add_profiles(struct withheld *withheld, const char *given)
{
	for (size_t length; *given; given += length + (given[length] == '\n')) {
		length = strcspn(given, "\n");
		add_path(withheld, &withheld->around, arena_copy(withheld->arena, given, length));
	}
}

static void add_homes(struct withheld *withheld, const struct list *homes)
{
	list_each (item, homes)
		if (item->from.line != HOMES_PROGRAM)
			add_path(withheld, &withheld->around, item->text);
}

static void add_named(struct withheld *withheld, const struct gitnamed *named)
{
	list_each (item, &named->hooks)
		add_path(withheld, &withheld->named, item->text);
	list_each (item, &named->files)
		add_path(withheld, &withheld->named, item->text);
}

static int name_hooks(const struct held *held, unsigned index, struct gitnamed *named)
{
	const struct store *store = held->store;
	const struct session *session = &held->session;
	const char *root = session->roots[index].path;
	bool own = withheld_repository(root) != NULL;
	TRY(gitnamed_repository(store->arena, store->home,
				own ? root : path_below(store->arena, root, ".git"),
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
	list_each (item, &led)
		add_path(withheld, &withheld->around, item->text);
}

// Adds files that the configuration of a repository below the top names.
static void add_nested(struct withheld *withheld, const char *directory)
{
	struct gitnamed named = { .count = 0 };
	const char *git = path_below(withheld->arena, directory, ".git");
	(void)ATTEMPT(gitnamed_repository(withheld->arena, withheld->held->store->home,
					  access(git, F_OK) == 0 ? git : directory, directory,
					  &named));
	add_named(withheld, &named);
	add_led(withheld, directory);
}

void withheld_repositories(struct withheld *withheld, unsigned root, const struct seen *seen)
{
	for (unsigned i = 0; i < seen->count; i++) {
		const struct seen_directory *saw = &seen->list[i];
		if (seen_has(saw, ".git") || (seen_has(saw, "HEAD") && seen_has(saw, "refs")))
			add_nested(withheld,
				   path_join(withheld->arena,
					     withheld->held->session.roots[root].path, saw->path));
	}
}

static void look_around(struct withheld *withheld, const char *place, const char *whole)
{
	const char *looked = withheld->looked;
	for (const char *slash = strchr(whole + strlen(place) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		const char *directory = arena_copy(withheld->arena, whole, (size_t)(slash - whole));
		if ((!looked || !path_within(looked, directory)) &&
		    access(path_below(withheld->arena, directory, ".git"), F_OK) == 0)
			add_nested(withheld, directory);
	}
	withheld->looked = path_parent(withheld->arena, whole);
}

int withheld_begin(const struct held *held, struct withheld *ret_withheld)
{
	const struct store *store = held->store;
	const struct session *session = &held->session;
	struct withheld withheld = { .arena = store->arena, .held = held };
	const char *given = given_read(store->arena, store->state);
	if (!given)
		return -1;
	struct gitnamed named = { .count = 0 };
	struct list found = { NULL, NULL };
	struct homes homes = { .home = store->home, .environment = environ };
	homes_name(store->arena, &homes);
	homes_follow(store->arena, &homes, &found);
	TRY(gitnamed_global(store->arena, store->home, store->config, &named));
	session_roots_each (i, session)
		TRY(name_hooks(held, i, &named));
	withheld.everywhere = named.everywhere;
	add_profiles(&withheld, given);
	add_named(&withheld, &named);
	add_homes(&withheld, &homes.names);
	add_homes(&withheld, &found);
	session_roots_each (i, session)
		add_led(&withheld, session->roots[i].path);
	*ret_withheld = withheld;
	return apart_end();
}

bool withheld_has(struct withheld *withheld, unsigned root, const char *path)
{
	const char *place = withheld->held->session.roots[root].path;
	const char *whole = path_below(withheld->arena, place, path);
	look_around(withheld, place, whole);
	list_each (item, &withheld->named)
		if (path_within(whole, item->text))
			return true;
	list_each (item, &withheld->around)
		if (path_within(whole, item->text) && !path_within(place, item->text))
			return true;
	return false;
}
