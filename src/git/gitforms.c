// Owns the decision which keys of git's configuration a box may change, and to which values.
#include "git/recognise.h"

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

static bool has_any(const struct gitform_look *look, const char *branch, const char *part)
{
	const char *name = arena_text(look->arena, "branch.%s.%s", branch, part);
	return gitconfig_value(look->before, name) || gitconfig_value(look->now, name);
}

bool gitform_is_new_branch(const struct gitform_look *look, const char *branch)
{
	for (unsigned i = 0; i < look->how.branch_count; i++)
		if (str_equal(look->how.branches[i], branch))
			return false;
	return branch[0] && !has_any(look, branch, "remote") &&
	       !has_any(look, branch, "pushremote") && !has_any(look, branch, "merge");
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

// A name without an address would be a path.
static bool is_tracked(const struct gitform_look *look, const char *branch, const char *value)
{
	if (!gitway_is_name(value))
		return str_equal(value, ".") ||
		       (gitform_is_new_branch(look, branch) && gitway_is_far(value));
	return gitway_url(look->arena, look->now, value) ||
	       gitform_allows(look, arena_text(look->arena, "remote.%s.url", value));
}

static bool is_partial(const struct gitform_look *look, const char *name, const char *value)
{
	bool own = str_starts(name, "remote.");
	const char *remote = own ? gitway_middle(look->arena, name) : value,
		   *address = gitway_url(look->arena, look->after, remote);
	return look->how.made && address && gitway_is_far(address) &&
	       (!own || is_boolean(value) || is_ref(value) || str_starts(value, "blob:") ||
		str_starts(value, "tree:") || str_starts(value, "sparse:oid="));
}

static bool has_form(const struct gitform_look *look, const struct gitkey *key, const char *name,
		     const char *value)
{
	const char *middle = gitway_middle(look->arena, name);
	if (!str_printable(value))
		return false;
	switch (key->form) {
	case GITKEY_NONE:
		return false;
	case GITKEY_TEXT:
		return true;
	case GITKEY_BOOLEAN:
	case GITKEY_PROBED:
		return is_boolean(value);
	case GITKEY_NUMBER:
		return value[0] && !value[strspn(value, "0123456789")];
	case GITKEY_WORDS:
		return has_word(key->words, value);
	case GITKEY_NAME:
		return is_ref(value);
	case GITKEY_WORKTREE:
		return is_worktree(value, look->how.depth);
	case GITKEY_BARE:
		return look->how.made ? is_boolean(value) : str_equal(value, "false");
	case GITKEY_MADE:
		return look->how.made && has_word(key->words, value);
	case GITKEY_PARTIAL:
		return is_partial(look, name, value);
	case GITKEY_ADDRESS:
		return gitway_may_lead(name, value, look->how.made || look->how.host) ||
		       (look->how.host && str_starts(value, "../") && !strstr(value, "::"));
	case GITKEY_FETCH:
		return is_fetch(look->arena, middle, value);
	case GITKEY_TRACKED:
		return is_tracked(look, middle, value);
	case GITKEY_MERGED:
		return is_merged(value);
	}
	return false;
}

// Nothing that was there names it, and git does not prefer it to the only one.
static bool is_new_remote(const struct gitform_look *look, const char *remote)
{
	const struct gitconfig *sides[] = { look->before, look->now };
	const char *own = arena_text(look->arena, "remote.%s.", remote);
	bool first = str_equal(remote, "origin");
	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++)
		for (unsigned j = 0; j < sides[i]->count; j++) {
			const struct gitconfig_entry *entry = &sides[i]->entries[j];
			if (str_equal(entry->value, remote) || str_starts(entry->name, own) ||
			    (first && str_starts(entry->name, "remote.")))
				return false;
		}
	return gitway_is_name(remote);
}

// Of a branch that was there: what git does without it as well.
static bool says_nothing(const struct gitform_look *look, const char *name, const char *branch)
{
	const struct gitconfig_entry *was = gitconfig_next(look->before, name, NULL),
				     *is = gitconfig_next(look->after, name, NULL),
				     *entry = is ? is : was;
	if ((was && is) || gitconfig_next(is ? look->after : look->before, name, entry))
		return false;
	if (str_ends(name, ".merge"))
		return !is ||
		       str_equal(is->value, arena_text(look->arena, "refs/heads/%s", branch));
	const char *otherwise = gitway_default(look->arena, look->before);
	if (!otherwise[0]) // where there was none, a new one
		otherwise = gitway_default(look->arena, look->after);
	return str_ends(name, ".remote") && str_equal(entry->value, otherwise);
}

// As `push -u` sets it: by a remote that was there, to a branch of the same name.
static bool is_upstream(const struct gitform_look *look, const char *name, const char *branch)
{
	const struct gitconfig_entry *entry = gitconfig_next(look->after, name, NULL);
	const char *same = arena_text(look->arena, "refs/heads/%s", branch);
	if (!look->how.host || !entry || has_any(look, branch, "remote") ||
	    has_any(look, branch, "pushremote") || has_any(look, branch, "merge"))
		return false;
	if (str_ends(name, ".remote"))
		return gitway_url(look->arena, look->before, entry->value) != NULL;
	return str_ends(name, ".merge") && str_equal(entry->value, same);
}

// A value for what had none, which leads nothing elsewhere that was there.
static bool is_addition(const struct gitform_look *look, const char *name)
{
	const char *middle = gitway_middle(look->arena, name);
	if (str_starts(name, "branch.") && !gitform_is_new_branch(look, middle))
		return gitconfig_same(look->before, look->now, name) &&
		       (says_nothing(look, name, middle) || is_upstream(look, name, middle));
	if (str_starts(name, "remote.") &&
	    (!is_new_remote(look, middle) ||
	     (!str_ends(name, ".url") &&
	      !gitform_allows(look, arena_text(look->arena, "remote.%s.url", middle)))))
		return false;
	return gitconfig_value(look->after, name) && !gitconfig_value(look->before, name) &&
	       !gitconfig_value(look->now, name);
}

// The host's own git: keys that went with their section, that lead nowhere, and that run nothing.
static bool host_allows(const struct gitform_look *look, const struct gitkey *key, const char *name)
{
	const char *middle = gitway_middle(look->arena, name);
	bool leads = key && key->why >= GITKEY_PUSH && key->why < GITKEY_AUTHOR;
	if (gitconfig_value(look->after, name))
		return key && key->why >= GITKEY_AUTHOR;
	size_t length = (size_t)(strrchr(name, '.') - name) + 1;
	for (unsigned i = 0; leads && middle[0] && i < look->after->count; i++)
		if (strncmp(look->after->entries[i].name, name, length) == 0)
			return false;
	return !leads || middle[0];
}

bool gitform_allows(const struct gitform_look *look, const char *name)
{
	const struct gitkey *key = gitkey_find(name);
	const struct gitconfig_entry *entry = gitconfig_next(look->after, name, NULL);
	if (look->how.host && host_allows(look, key, name))
		return true;
	if (!key || !key->form || !str_printable(name) ||
	    (look->how.private && key->why >= GITKEY_PUSH && key->why <= GITKEY_CONNECT) ||
	    (key->why >= GITKEY_PUSH && !is_addition(look, name)))
		return false;
	while (entry && has_form(look, key, name, entry->value))
		entry = gitconfig_next(look->after, name, entry);
	return !entry;
}
