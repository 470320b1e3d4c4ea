// Owns the forms that values of git's keys must have.
#include "git/gitforms.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "git/gitconfig.h"
#include "git/gitkeys.h"
#include "git/gitway.h"

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

bool gitform_is_new_branch(const struct gitform_look *look, const char *branch)
{
	for (unsigned i = 0; i < look->branch_count; i++)
		if (str_equal(look->branches[i], branch))
			return false;
	return !gitway_part(look->before, "branch.", branch, ".remote", 0) &&
	       !gitway_part(look->before, "branch.", branch, ".pushremote", 0) &&
	       !gitway_part(look->before, "branch.", branch, ".merge", 0);
}

static bool is_request(const char *value, const char *front, const char *back)
{
	size_t digits = str_starts(value, front) ? strspn(value + strlen(front), "0123456789") : 0;
	return digits > 0 && str_equal(value + strlen(front) + digits, back);
}

// The branch with the same name, or the ref of before; of a new branch any, and the refs of gh.
static bool is_merged(const struct gitform_look *look, const char *branch, const char *value)
{
	static const char heads[] = "refs/heads/";
	bool fresh = gitform_is_new_branch(look, branch);
	if (fresh && (is_request(value, "refs/pull/", "/head") ||
		      is_request(value, "refs/merge-requests/", "/head")))
		return true;
	return str_starts(value, heads) && is_ref(value) &&
	       (fresh || str_equal(value + strlen(heads), branch) ||
		!gitway_part(look->before, "branch.", branch, ".merge", 0));
}

static bool is_tracked(const struct gitform_look *look, const char *branch, const char *value)
{
	if (gitway_is_name(value))
		return gitway_part(look->after, "remote.", value, ".url", 0) != NULL;
	return branch[0] && gitform_is_new_branch(look, branch) && gitway_is_far(value);
}

static bool is_partial(const struct gitform_look *look, const char *name, const char *value)
{
	bool own = str_starts(name, "remote.");
	const char *remote = own ? gitway_middle(look->arena, name) : value,
		   *address = gitway_part(look->after, "remote.", remote, ".url", 0);
	return look->made && address && gitway_is_far(address) &&
	       (!own || is_boolean(value) || is_ref(value) || str_starts(value, "blob:") ||
		str_starts(value, "tree:") || str_starts(value, "sparse:oid="));
}

static bool is_resolved(const struct gitform_look *look, const char *remote, const char *value)
{
	const struct gitconfig *before = look->before;
	for (unsigned i = 0; i < before->count; i++) {
		const char *name = before->entries[i].name;
		if (str_starts(name, "remote.") && str_ends(name, ".gh-resolved") &&
		    !gitway_same(before, gitway_middle(look->arena, name), look->after, remote,
				 false))
			return false;
	}
	return str_equal(value, "base");
}

static bool has_form(const struct gitform_look *look, const struct gitkey *key, const char *name,
		     const char *value)
{
	const char *middle = gitway_middle(look->arena, name);
	if (!str_printable(value))
		return false;
	switch (key->form) {
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
		return is_worktree(value, look->depth);
	case GITKEY_BARE:
		return look->made ? is_boolean(value) : str_equal(value, "false");
	case GITKEY_MADE:
		return look->made && has_word(key->words, value);
	case GITKEY_PARTIAL:
		return is_partial(look, name, value);
	case GITKEY_ADDRESS:
		return gitway_may_lead(look->arena, look->before, name, value, look->made);
	case GITKEY_FETCH:
		return is_fetch(look->arena, middle, value);
	case GITKEY_RESOLVED:
		return is_resolved(look, middle, value);
	case GITKEY_TRACKED:
		return str_equal(value, ".") || is_tracked(look, middle, value);
	case GITKEY_PUSHED: // the user's own configuration may say where else
		return (look->made || gitconfig_value(look->before, name) ||
			(middle[0] && gitform_is_new_branch(look, middle))) &&
		       is_tracked(look, middle, value);
	case GITKEY_MERGED:
		return is_merged(look, middle, value);
	}
	return false;
}

bool gitform_has(const struct gitform_look *look, const struct gitkey *key, const char *name)
{
	const struct gitconfig *after = look->after;
	bool none = true;
	if (!key || !str_printable(name) ||
	    (look->private && key->why >= GITKEY_PUSH && key->why <= GITKEY_CONNECT))
		return false;
	for (unsigned i = 0; i < after->count; i++) {
		if (!str_equal(after->entries[i].name, name))
			continue;
		none = false;
		if (!gitconfig_has(look->before, name, after->entries[i].value) &&
		    !has_form(look, key, name, after->entries[i].value))
			return false;
	}
	return !none || (key->form != GITKEY_MADE && key->form != GITKEY_PARTIAL);
}
