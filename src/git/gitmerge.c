// Owns the list of git's harmless keys and the merge by it. A key that is not listed is withheld:
// git has more than sixty by which a repository makes the host run a program.
#include "git/gitconfig.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"

enum form {
	ANYTHING, // used as text or a number only
	PROBED,   // by `git init`, which sees our link instead of a file: only what had no value
	PLAIN,    // a name: no ':', no leading '-'
	ADDRESS,  // where git connects: https, http, ssh, git, file, a path, or host:path
	REFSPEC,  // no leading '-'
	UPDATE,   // submodule.*.update: "!command" runs
	WORKTREE, // back up to the project and down: where a submodule is checked out
};

struct harmless {
	const char *name; // '*' stands for any second name
	enum form form;
};

static const struct harmless keys[] = {
	{ "user.name", ANYTHING },
	{ "user.email", ANYTHING },
	{ "core.bare", ANYTHING },
	{ "core.filemode", PROBED },
	{ "core.ignorecase", PROBED },
	{ "core.symlinks", PROBED },
	{ "core.precomposeunicode", PROBED },
	{ "core.logallrefupdates", ANYTHING },
	{ "core.repositoryformatversion", ANYTHING },
	{ "lfs.repositoryformatversion", ANYTHING },
	{ "core.autocrlf", ANYTHING },
	{ "core.eol", ANYTHING },
	{ "core.safecrlf", ANYTHING },
	{ "core.quotepath", ANYTHING },
	{ "core.worktree", WORKTREE },
	{ "core.sparsecheckout", ANYTHING },
	{ "core.sparsecheckoutcone", ANYTHING },
	{ "index.sparse", ANYTHING },
	{ "extensions.worktreeconfig", ANYTHING },
	{ "extensions.objectformat", ANYTHING },
	{ "extensions.partialclone", PLAIN },
	{ "branch.*.remote", ADDRESS },
	{ "branch.*.pushremote", ADDRESS },
	{ "branch.*.merge", REFSPEC },
	{ "branch.*.rebase", ANYTHING },
	{ "branch.*.description", ANYTHING },
	{ "branch.*.gh-merge-base", REFSPEC },
	{ "branch.*.vscode-merge-base", REFSPEC },
	{ "branch.autosetupmerge", ANYTHING },
	{ "branch.autosetuprebase", ANYTHING },
	{ "remote.*.url", ADDRESS },
	{ "remote.*.pushurl", ADDRESS },
	{ "remote.*.fetch", REFSPEC },
	{ "remote.*.push", REFSPEC },
	{ "remote.*.tagopt", PLAIN },
	{ "remote.*.prune", ANYTHING },
	{ "remote.*.promisor", ANYTHING },
	{ "remote.*.partialclonefilter", PLAIN },
	{ "remote.*.gh-resolved", ANYTHING },
	{ "remote.pushdefault", ADDRESS },
	{ "submodule.*.url", ADDRESS },
	{ "submodule.*.active", ANYTHING },
	{ "submodule.*.branch", REFSPEC },
	{ "submodule.*.update", UPDATE },
	{ "submodule.active", ANYTHING },
	{ "submodule.recurse", ANYTHING },
	{ "pull.rebase", ANYTHING },
	{ "pull.ff", ANYTHING },
	{ "push.default", ANYTHING },
	{ "push.autosetupremote", ANYTHING },
	{ "rebase.autosquash", ANYTHING },
	{ "rebase.autostash", ANYTHING },
	{ "merge.conflictstyle", ANYTHING },
	{ "merge.ff", ANYTHING },
	{ "fetch.prune", ANYTHING },
	{ "gc.auto", ANYTHING },
	{ "maintenance.auto", ANYTHING },
	{ "maintenance.strategy", ANYTHING },
	{ "rerere.enabled", ANYTHING },
};

// "a::b" names a helper program, as does an unknown scheme; a leading '-' is an option.
static bool is_address(const char *value)
{
	static const char *const schemes[] = { "https", "http", "ssh", "git", "file", "git+ssh" };
	const char *mark = strstr(value, "://");
	size_t length = mark ? (size_t)(mark - value) : 0;
	if (value[0] == '-' || strstr(value, "::"))
		return false;
	if (!mark)
		return true;
	if (mark[3] == '-')
		return false;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (strlen(schemes[i]) == length && strncmp(schemes[i], value, length) == 0)
			return true;
	return false;
}

static bool is_worktree(const char *value, unsigned depth)
{
	unsigned ups = 0;
	for (; str_starts(value, "../"); value += 3)
		ups++;
	return depth > 0 && ups == depth && value[0] && value[0] != '/' && value[0] != '.' &&
	       !strstr(value, "/.");
}

static bool has_form(enum form form, const char *value, unsigned depth)
{
	if (!str_printable(value))
		return false;
	switch (form) {
	case ANYTHING:
	case PROBED:
		return true;
	case PLAIN:
		return value[0] != '-' && !strstr(value, "::");
	case ADDRESS:
		return is_address(value);
	case REFSPEC:
		return value[0] != '-';
	case UPDATE:
		return value[0] != '!' && value[0] != '-';
	case WORKTREE:
		return is_worktree(value, depth);
	}
	return false;
}

// "remote.*.url": one '*' only, for all between the first dot and the last.
static bool is_called(const char *name, const char *pattern)
{
	const char *star = strchr(pattern, '*');
	if (!star)
		return str_equal(name, pattern);
	size_t front = (size_t)(star - pattern), back = strlen(star + 1), length = strlen(name);
	return length > front + back && strncmp(name, pattern, front) == 0 &&
	       str_equal(name + length - back, star + 1);
}

static const struct harmless *find(const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (is_called(name, keys[i].name))
			return &keys[i];
	return NULL;
}

static bool is_harmless(const char *name, const struct gitconfig *after, unsigned depth)
{
	const struct harmless *found = find(name);
	if (!found || !str_printable(name))
		return false;
	for (unsigned i = 0; i < after->count; i++)
		if (str_equal(after->entries[i].name, name) &&
		    !has_form(found->form, after->entries[i].value, depth))
			return false;
	return true;
}

static const struct gitconfig_entry *next_of(const struct gitconfig *config, const char *name,
					     const struct gitconfig_entry *after)
{
	const struct gitconfig_entry *entry = after ? after + 1 : config->entries;
	for (; entry < config->entries + config->count; entry++)
		if (str_equal(entry->name, name))
			return entry;
	return NULL;
}

static bool same_values(const struct gitconfig *left, const struct gitconfig *right,
			const char *name)
{
	const struct gitconfig_entry *a = next_of(left, name, NULL),
				     *b = next_of(right, name, NULL);
	while (a && b && str_equal(a->value, b->value)) {
		a = next_of(left, name, a);
		b = next_of(right, name, b);
	}
	return !a && !b;
}

struct merge_change {
	const char *name;
	size_t section; // length of the section's name in `name`
	bool written;
};

struct config_merger {
	const struct gitconfig *before, *after, *now;
	struct merge_change *changes;
	unsigned count, depth;
	struct gitconfig_merged *out;
};

static bool known(const struct config_merger *merger, const char *name)
{
	for (unsigned i = 0; i < merger->count; i++)
		if (str_equal(merger->changes[i].name, name))
			return true;
	for (unsigned i = 0; i < merger->out->withheld_count; i++)
		if (str_equal(merger->out->withheld[i], name))
			return true;
	return false;
}

static void find_changes(struct config_merger *merger, const struct gitconfig *side)
{
	for (unsigned i = 0; i < side->count; i++) {
		const char *name = side->entries[i].name;
		if (known(merger, name) || same_values(merger->before, merger->after, name))
			continue;
		const struct harmless *row = find(name);
		if (row && row->form == PROBED && gitconfig_value(merger->before, name))
			continue;
		if (!is_harmless(name, merger->after, merger->depth)) {
			merger->out->withheld[merger->out->withheld_count++] = name;
			continue;
		}
		if (row && row->form == ADDRESS && gitconfig_value(merger->after, name) &&
		    (gitconfig_value(merger->before, name) || str_ends(name, ".pushurl")))
			merger->out->addresses[merger->out->address_count++] = name;
		size_t section = (size_t)(strrchr(name, '.') - name);
		merger->changes[merger->count++] = (struct merge_change){ name, section, false };
	}
}

static void put(struct gitconfig_merged *out, const char *text, size_t length)
{
	memcpy(out->text + out->length, text, length);
	out->length += length;
}

static void put_quoted(struct gitconfig_merged *out, const char *text, size_t length)
{
	put(out, "\"", 1);
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"' || text[i] == '\\')
			put(out, "\\", 1);
		put(out, text + i, 1);
	}
	put(out, "\"", 1);
}

// As git writes it: in quotes only where it must be.
static void put_value(struct gitconfig_merged *out, const char *text, size_t length)
{
	bool blank = length > 0 && (text[0] == ' ' || text[length - 1] == ' ');
	if (blank || strpbrk(text, "\"\\#;"))
		put_quoted(out, text, length);
	else
		put(out, text, length);
}

static void put_header(struct gitconfig_merged *out, const char *name, size_t length)
{
	const char *dot = memchr(name, '.', length);
	size_t first = dot ? (size_t)(dot - name) : length;
	put(out, "[", 1);
	put(out, name, first);
	if (dot) {
		put(out, " ", 1);
		put_quoted(out, dot + 1, length - first - 1);
	}
	put(out, "]\n", 2);
}

static void put_values(struct config_merger *merger, struct merge_change *change)
{
	struct gitconfig_merged *out = merger->out;
	const char *key = change->name + change->section + 1;
	const struct gitconfig_entry *entry = next_of(merger->after, change->name, NULL);
	for (; entry; entry = next_of(merger->after, change->name, entry)) {
		if (out->length > 0 && out->text[out->length - 1] != '\n')
			put(out, "\n", 1);
		put(out, "\t", 1);
		put(out, key, strlen(key));
		put(out, " = ", 3);
		put_value(out, entry->value, strlen(entry->value));
		put(out, "\n", 1);
	}
	change->written = true;
}

static bool belongs(const struct merge_change *change, const char *section, size_t length)
{
	return change->section == length && strncmp(change->name, section, length) == 0;
}

static bool is_changed(const struct config_merger *merger, const char *name)
{
	for (unsigned i = 0; i < merger->count; i++)
		if (str_equal(merger->changes[i].name, name))
			return true;
	return false;
}

static bool is_last_of_its_name(const struct gitconfig *config, unsigned section)
{
	for (unsigned i = section + 1; i < config->section_count; i++)
		if (str_equal(config->sections[i].name, config->sections[section].name))
			return false;
	return true;
}

// A section of the current text without what changed, then its new values. One that holds nothing
// any more loses its header as well.
static void put_section(struct config_merger *merger, unsigned index)
{
	const struct gitconfig *now = merger->now;
	const struct gitconfig_section *section = &now->sections[index];
	size_t at = section->start, begin = merger->out->length;
	unsigned kept = 0, dropped = 0;
	for (unsigned i = 0; i < now->count; i++) {
		const struct gitconfig_entry *entry = &now->entries[i];
		if (entry->section != index)
			continue;
		if (!is_changed(merger, entry->name)) {
			kept++;
			continue;
		}
		dropped++;
		put(merger->out, now->text + at, entry->start - at);
		// its own indentation goes too
		while (merger->out->length > begin &&
		       (merger->out->text[merger->out->length - 1] == '\t' ||
			merger->out->text[merger->out->length - 1] == ' '))
			merger->out->length--;
		at = entry->end;
	}
	put(merger->out, now->text + at, section->end - at);
	size_t before = merger->out->length;
	if (is_last_of_its_name(now, index))
		for (unsigned i = 0; i < merger->count; i++)
			if (belongs(&merger->changes[i], section->name, strlen(section->name)))
				put_values(merger, &merger->changes[i]);
	if (dropped && !kept && merger->out->length == before &&
	    !memchr(merger->out->text + begin, '#', before - begin) &&
	    !memchr(merger->out->text + begin, ';', before - begin))
		merger->out->length = begin;
}

static void put_new_sections(struct config_merger *merger)
{
	for (unsigned i = 0; i < merger->count; i++) {
		const struct merge_change *first = &merger->changes[i];
		if (first->written || !next_of(merger->after, first->name, NULL))
			continue;
		if (merger->out->length > 0 && merger->out->text[merger->out->length - 1] != '\n')
			put(merger->out, "\n", 1);
		put_header(merger->out, first->name, first->section);
		for (unsigned j = i; j < merger->count; j++)
			if (!merger->changes[j].written &&
			    belongs(&merger->changes[j], first->name, first->section))
				put_values(merger, &merger->changes[j]);
	}
}

int gitconfig_merge(struct arena *arena, const struct gitconfig *before,
		    const struct gitconfig *after, const struct gitconfig *now, unsigned depth,
		    struct gitconfig_merged *ret_merged)
{
	struct gitconfig_merged out = { 0 };
	struct config_merger merger = { before, after, now, .depth = depth, .out = &out };
	unsigned names = before->count + after->count + 1;
	out.withheld = arena_take(arena, names * sizeof(*out.withheld));
	out.addresses = arena_take(arena, names * sizeof(*out.addresses));
	merger.changes = arena_take(arena, names * sizeof(*merger.changes));
	// Each value may be quoted to twice its length, with its section's name before it.
	out.text = arena_take(arena, now->length + 4 * after->length + (size_t)names * 300 + 1);
	find_changes(&merger, after);
	find_changes(&merger, before);
	put(&out, now->text, now->section_count ? now->sections[0].start : now->length);
	for (unsigned i = 0; i < now->section_count; i++)
		put_section(&merger, i);
	put_new_sections(&merger);
	out.text[out.length] = '\0';
	out.taken = merger.count;
	*ret_merged = out;
	return 0;
}
