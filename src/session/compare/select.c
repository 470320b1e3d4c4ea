// Owns the choice of changes by the paths that the user names.
#include "session/compare/changes.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "names/names.h"

struct named {
	unsigned root;
	const char *path;
	bool used, guarded, git;
};

static bool covers(const struct named *named, const struct change *change)
{
	return named->root == change->root &&
	       (!named->path[0] || path_within(change->path, named->path));
}

bool changes_has_inside(const struct changes *changes, unsigned index)
{
	const struct change *change = &changes->list[index];
	return index + 1 < changes->count && change[1].root == change->root &&
	       path_within(change[1].path, change->path);
}

const char *change_name(const struct held *held, const struct change *change)
{
	const char *root = held->session.roots[change->root].path;
	return str_equal(root, held->session.project)
		       ? change->path
		       : path_below(held->store->arena, root, change->path);
}

const char *select_path(const struct held *held, const char *word)
{
	char current[PATH_MAX];
	bool inside =
		getcwd(current, sizeof(current)) && path_within(current, held->session.project);
	return path_join(held->store->arena, inside ? current : held->session.project, word);
}

static int find_named(const struct held *held, const struct changes *changes, const char *word,
		      struct named *ret_named)
{
	const struct session *session = &held->session;
	const char *whole = select_path(held, word);
	session_roots_each (i, session) {
		const char *root = session->roots[i].path;
		if (!path_within(whole, root))
			continue;
		const char *path = whole + strlen(root) + (whole[strlen(root)] == '/');
		*ret_named = (struct named){ i, path, false, trusted_is_protected(path),
					     repository_in(whole + 1) != NULL };
		for (unsigned j = 0; j < changes->count; j++)
			if (changes->list[j].root == i && str_equal(changes->list[j].path, path)) {
				ret_named->guarded = changes->list[j].guarded;
				ret_named->git |= changes->list[j].git;
			}
		return 0;
	}
	return fail(0, "'%s' is not in a directory of session '%s'", word, held->name);
}

int select_changes(const struct held *held, struct changes *changes, char *const *words)
{
	unsigned count = 0;
	while (words[count])
		count++;
	struct named *named = arena_take(held->store->arena, (count + 1) * sizeof(*named));
	for (unsigned i = 0; i < count; i++)
		TRY(find_named(held, changes, words[i], &named[i]));
	for (unsigned i = 0; i < changes->count; i++) {
		struct change *change = &changes->list[i];
		change->selected = count == 0 && !change->guarded && !change->far;
		change->asked = count == 0;
		for (unsigned j = 0; j < count; j++) {
			bool here = covers(&named[j], change);
			named[j].used = named[j].used || here;
			change->asked |= here;
			change->named |= here && named[j].git;
			change->selected |=
				here && !change->far && (!change->guarded || named[j].guarded);
		}
	}
	for (unsigned j = 0; j < count; j++)
		if (!named[j].used)
			return fail(0, "session '%s' has changed nothing at '%s'", held->name,
				    words[j]);
	return 0;
}
