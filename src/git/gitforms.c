// Owns the decision which keys a box may add to git's configuration, and with which values.
#include "git/git.h"

#include <string.h>

#include "base/base.h"
#include "git/gitconfig.h"

static bool has_word(const char *words, const char *value)
{
	return value[0] && !strchr(value, ' ') && str_has_word(words, value, strlen(value));
}

static bool is_boolean(const char *value)
{
	return !value[0] || has_word("true false yes no on off 1 0", value);
}

static bool is_ref(const char *value)
{
	return value[0] != '-' && value[0] != '/' && !strpbrk(value, " ~^:?*[\\") &&
	       !strstr(value, "..");
}

static bool is_worktree(const char *value, unsigned depth)
{
	unsigned ups = 0;
	for (; str_starts(value, "../"); value += 3)
		ups++;
	return depth > 0 && ups == depth && value[0] && value[0] != '/' && value[0] != '.' &&
	       !strstr(value, "/.");
}

static bool is_fetch(struct arena *arena, const char *remote, const char *value)
{
	const char *from = value + (value[0] == '+');
	int length = (int)strcspn(from, ":");
	const char *wanted = "";
	if (str_starts(from, "refs/heads/") && length > 11)
		wanted = arena_text(arena, "%.*s:refs/remotes/%s/%.*s", length, from, remote,
				    length - 11, from + 11);
	else if (str_starts(from, "refs/tags/"))
		wanted = arena_text(arena, "%.*s:%.*s", length, from, length, from);
	return str_equal(from, wanted) && !strpbrk(from, " ~^?[\\") && !strstr(from, "..");
}

static bool is_request(const char *value, const char *front, const char *back)
{
	size_t digits = str_starts(value, front) ? strspn(value + strlen(front), "0123456789") : 0;
	return digits > 0 && str_equal(value + strlen(front) + digits, back);
}

static bool is_merged(const char *value)
{
	return (str_starts(value, "refs/heads/") && is_ref(value)) ||
	       is_request(value, "refs/pull/", "/head") ||
	       is_request(value, "refs/merge-requests/", "/head");
}

static bool is_there(const struct gitform_look *look, const char *section)
{
	const struct gitconfig *sides[] = { look->before, look->now };
	size_t length = strlen(section);
	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++)
		for (unsigned j = 0; j < sides[i]->count; j++) {
			const char *name = sides[i]->entries[j].name;
			if (strncmp(name, section, length) == 0 && name[length] == '.' &&
			    !strchr(name + length + 1, '.'))
				return true;
		}
	return list_has(&look->how.elsewhere, section);
}

static bool is_new_branch(const struct gitform_look *look, const char *branch)
{
	return branch[0] && !list_has(&look->how.old, branch) &&
	       !is_there(look, arena_text(look->arena, "branch.%s", branch));
}

// Whether no setting names the remote. "origin" must also be the first remote: git prefers that
// name.
static bool is_new_remote(const struct gitform_look *look, const char *remote)
{
	const struct gitconfig *sides[] = { look->before, look->now };
	bool first = str_equal(remote, "origin");
	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++)
		for (unsigned j = 0; j < sides[i]->count; j++) {
			const struct gitconfig_entry *entry = &sides[i]->entries[j];
			if (str_equal(entry->value, remote) ||
			    (first && str_starts(entry->name, "remote.")))
				return false;
		}
	return gitway_is_name(remote) &&
	       !is_there(look, arena_text(look->arena, "remote.%s", remote));
}

// Git goes to the remote without a branch's setting, and to no other before.
static bool is_only_way(const struct gitform_look *look, const char *remote)
{
	return !gitway_default(look->arena, look->before)[0] &&
	       str_equal(remote, gitway_default(look->arena, look->after));
}

// Git takes the name of a remote without an address for a path. A box can make a branch of the
// user's anew: a new remote is for branches of new repositories.
static bool is_tracked(const struct gitform_look *look, const char *branch, const char *value)
{
	bool any = look->how.made || look->how.host;
	if (!gitway_is_name(value))
		return str_equal(value, ".") ||
		       (any && is_new_branch(look, branch) && gitway_is_far(value));
	return gitway_url(look->arena, look->now, value) ||
	       ((any || is_only_way(look, value)) &&
		gitform_allows(look, arena_text(look->arena, "remote.%s.url", value)));
}

static bool is_partial(const struct gitform_look *look, const char *name, const char *value)
{
	bool own = str_starts(name, "remote.");
	const char *remote = own ? gitway_middle(look->arena, name) : value,
		   *address = gitway_url(look->arena, look->after, remote);
	return address && gitway_is_far(address) &&
	       (!own || is_boolean(value) || is_ref(value) || str_starts(value, "blob:") ||
		str_starts(value, "tree:") || str_starts(value, "sparse:oid="));
}

static bool has_form(const struct gitform_look *look, const struct gitkey *key, const char *name,
		     const char *value)
{
	struct arena *arena = look->arena;
	if (!str_printable(value))
		return false;
	switch (key->form) {
	case GITKEY_NONE:
		return false;
	case GITKEY_TEXT:
		return true;
	case GITKEY_BOOLEAN:
		return is_boolean(value);
	case GITKEY_WORDS:
		return has_word(key->words, value);
	case GITKEY_NAME:
		return is_ref(value);
	case GITKEY_WORKTREE:
		return is_worktree(value, look->how.depth);
	case GITKEY_PARTIAL:
		return is_partial(look, name, value);
	case GITKEY_ADDRESS:
		return gitway_may_lead(name, value, look->how.made || look->how.host) ||
		       (look->how.host && str_starts(value, "../") && !strstr(value, "::"));
	case GITKEY_FETCH:
		return is_fetch(arena, gitway_middle(arena, name), value);
	case GITKEY_TRACKED:
		return is_tracked(look, gitway_middle(arena, name), value);
	case GITKEY_MERGED:
		return is_merged(value);
	}
	return false;
}

// Whether the value is what `push -u` sets: a branch of the same name, at git's default remote.
static bool is_upstream(const struct gitform_look *look, const char *name, const char *branch)
{
	static const char *const parts[] = { "remote", "pushremote", "merge" };
	const struct gitconfig_entry *entry = gitconfig_next(look->after, name, NULL);
	const char *same = arena_text(look->arena, "refs/heads/%s", branch);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *part = arena_text(look->arena, "branch.%s.%s", branch, parts[i]);
		if (gitconfig_value(look->before, part) || gitconfig_value(look->now, part))
			return false;
	}
	if (gitconfig_next(look->after, name, entry) ||
	    list_has(&look->how.elsewhere, arena_text(look->arena, "branch.%s", branch)))
		return false;
	if (str_ends(name, ".merge"))
		return str_equal(entry->value, same);
	const char *otherwise = gitway_default(look->arena, look->before);
	if (!otherwise[0])
		otherwise = gitway_default(look->arena, look->after);
	return str_ends(name, ".remote") &&
	       (str_equal(entry->value, otherwise) ||
		(look->how.host && gitway_url(look->arena, look->before, entry->value)));
}

static bool is_addition(const struct gitform_look *look, const struct gitkey *key, const char *name)
{
	const char *middle = gitway_middle(look->arena, name);
	if (gitconfig_value(look->before, name) || gitconfig_value(look->now, name) ||
	    (key->made && !look->how.made) || (look->how.private && key->why != GITKEY_READ))
		return false;
	if (str_starts(name, "branch."))
		return is_new_branch(look, middle) || is_upstream(look, name, middle) ||
		       (key->why == GITKEY_OTHER && list_has(&look->how.gone, middle) &&
			!is_there(look, arena_text(look->arena, "branch.%s", middle)));
	if (str_starts(name, "remote."))
		return is_new_remote(look, middle) &&
		       (str_ends(name, ".url") ||
			gitform_allows(look, arena_text(look->arena, "remote.%s.url", middle)));
	return !middle[0] || !is_there(look, arena_text(look->arena, "submodule.%s", middle));
}

// A removed branch's settings may go, but not a remote other than git's default: git would push a
// new branch of that name elsewhere. The host's own git may remove more.
static bool is_gone(const struct gitform_look *look, const struct gitkey *key, const char *name)
{
	const char *middle = gitway_middle(look->arena, name);
	const char *remote =
		gitconfig_value(look->before, arena_text(look->arena, "branch.%s.remote", middle));
	bool section = middle[0];
	size_t length = (size_t)(strrchr(name, '.') - name) + 1;
	for (unsigned i = 0; section && i < look->after->count; i++)
		section = strncmp(look->after->entries[i].name, name, length) != 0;
	if (look->how.host)
		return section || !key || key->why == GITKEY_OTHER;
	return section && str_starts(name, "branch.") && list_has(&look->how.gone, middle) &&
	       gitconfig_same(look->before, look->now, name) &&
	       !gitconfig_value(look->before,
				arena_text(look->arena, "branch.%s.pushremote", middle)) &&
	       (!remote || str_equal(remote, gitway_default(look->arena, look->before)));
}

bool gitform_allows(const struct gitform_look *look, const char *name)
{
	const struct gitkey *key = gitkey_find(name);
	const struct gitconfig_entry *entry = gitconfig_next(look->after, name, NULL);
	bool daily = look->how.host && gitkey_is_daily(name);
	if (!str_printable(name))
		return false;
	if (!entry)
		return is_gone(look, key, name);
	if (!daily && (!key || !is_addition(look, key, name)))
		return false;
	while (entry &&
	       (daily ? str_printable(entry->value) : has_form(look, key, name, entry->value)))
		entry = gitconfig_next(look->after, name, entry);
	return !entry;
}
