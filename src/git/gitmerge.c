// Owns the text of git's configuration after a merge, and the report of the merge.
#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "git/gitconfig.h"
#include "git/git.h"

enum { ADDRESSES_SHOWN = 8, ADDRESS_BYTES = 120 };

struct config_merger {
	const struct gitform_look *look;
	const char **taken;
	unsigned count;
	bool hidden;
	struct gitconfig_merged *out;
	struct gitconfig_text text;
};

static bool is_taken(const struct config_merger *merger, const char *name)
{
	for (unsigned i = 0; i < merger->count; i++)
		if (str_equal(merger->taken[i], name))
			return true;
	return false;
}

// Puts a section, without its header if it becomes empty.
static void put_section(struct config_merger *merger, unsigned index)
{
	const struct gitconfig *now = merger->look->now;
	const struct gitconfig_section *section = &now->sections[index];
	struct gitconfig_text *out = &merger->text;
	size_t at = section->start, begin = out->length;
	bool kept = false, dropped = false;
	for (unsigned i = 0; i < now->count; i++) {
		const struct gitconfig_entry *entry = &now->entries[i];
		if (entry->section != index)
			continue;
		if (!is_taken(merger, entry->name)) {
			kept = true;
			continue;
		}
		gitconfig_put(out, now->text + at, entry->start - at);
		while (out->length > begin &&
		       (out->text[out->length - 1] == '\t' || out->text[out->length - 1] == ' '))
			out->length--;
		at = entry->end;
		dropped = true;
	}
	gitconfig_put(out, now->text + at, section->end - at);
	size_t length = out->length - begin;
	if (dropped && !kept && !memchr(out->text + begin, '#', length) &&
	    !memchr(out->text + begin, ';', length))
		out->length = begin;
}

static void put_taken(struct config_merger *merger)
{
	const struct gitconfig *after = merger->look->after;
	const char *section = "";
	for (unsigned i = 0; i < merger->count; i++) {
		const char *name = merger->taken[i];
		const struct gitconfig_entry *entry = gitconfig_next(after, name, NULL);
		if (!entry)
			continue;
		if (!str_equal(section, after->sections[entry->section].name)) {
			section = after->sections[entry->section].name;
			gitconfig_put_header(&merger->text, section);
		}
		for (; entry; entry = gitconfig_next(after, name, entry))
			gitconfig_put_entry(&merger->text, name, entry->value, false);
	}
}

static void withhold(struct config_merger *merger, const char *name)
{
	const struct gitform_look *look = merger->look;
	const struct gitconfig *before = look->before, *after = look->after;
	const struct gitkey *key = gitkey_find(name);
	const struct gitconfig_entry *was = gitconfig_next(before, name, NULL),
				     *is = gitconfig_next(after, name, NULL);
	enum gitkey_why why = gitkey_is_daily(name) ? GITKEY_DAILY : GITKEY_OTHER;
	struct gitconfig_withheld row = { name, NULL, gitkey_whys[key ? key->why : why],
					  "--unset-all " };
	bool all = true, several = is && gitconfig_next(after, name, is);
	if (key && key->form == GITKEY_ADDRESS && is &&
	    !gitway_may_lead(name, is->value, look->how.made))
		row.why = gitkey_whys[GITKEY_NEAR];
	for (const struct gitconfig_entry *old = was; old; old = gitconfig_next(before, name, old))
		all = all && gitconfig_has(after, name, old->value);
	if (!is)
		merger->out->withheld[merger->out->withheld_count++] = row;
	row.option = several && all ? "--add " : "";
	if (!all && (several || gitconfig_next(before, name, was)))
		row.option = "--replace-all ";
	for (; is; is = gitconfig_next(after, name, is)) {
		if (all && gitconfig_has(before, name, is->value))
			continue;
		row.value = is->value;
		merger->out->withheld[merger->out->withheld_count++] = row;
		row.option = "--add ";
	}
}

// Lists new addresses for the report. If the run made the repository, only those of a partial clone
// count: git fetches there unasked. False: the list is full.
static bool tell_addresses(struct config_merger *merger, const char *name)
{
	const struct gitform_look *look = merger->look;
	struct arena *arena = look->arena;
	const struct gitkey *key = gitkey_find(name);
	const struct gitconfig_entry *entry = gitconfig_next(look->after, name, NULL);
	const char *promisor = arena_text(arena, "remote.%s.promisor", gitway_middle(arena, name));
	if (!key || (look->how.made && !gitconfig_value(look->after, promisor)))
		return true;
	for (; entry; entry = gitconfig_next(look->after, name, entry)) {
		if (key->form != GITKEY_ADDRESS &&
		    (key->form != GITKEY_MERGED || str_starts(entry->value, "refs/heads/")))
			continue;
		const char *line =
			arena_text(arena, "%s is new: %s", name, gitway_host(arena, entry->value));
		if (merger->out->address_count == ADDRESSES_SHOWN || strlen(line) > ADDRESS_BYTES)
			return false;
		merger->out->addresses[merger->out->address_count++] = line;
	}
	return true;
}

static void decide(struct config_merger *merger, const struct gitconfig *side)
{
	const struct gitform_look *look = merger->look;
	struct gitconfig_merged *out = merger->out;
	for (unsigned i = 0; i < side->count; i++) {
		const char *name = side->entries[i].name;
		if (gitconfig_next(side, name, NULL) != &side->entries[i] ||
		    (side == look->before && gitconfig_value(look->after, name)) ||
		    gitconfig_same(look->before, look->after, name) ||
		    gitconfig_same(look->after, look->now, name))
			continue;
		const char *middle = gitway_middle(look->arena, name);
		bool branch = middle[0] && str_starts(name, "branch.");
		if (branch)
			out->branches[out->branch_count++] = middle;
		if (gitform_allows(look, name)) {
			merger->taken[merger->count++] = name;
			merger->hidden = !tell_addresses(merger, name) || merger->hidden;
		} else if (!gitkey_is_noted(name) &&
			   (side == look->after || !branch || !list_has(&look->how.gone, middle))) {
			withhold(merger, name);
		}
	}
}

void gitconfig_merge(struct arena *arena, const struct gitconfig *before,
		     const struct gitconfig *after, const struct gitconfig *now,
		     struct gitconfig_case how, struct gitconfig_merged *ret_merged)
{
	struct gitform_look look = { arena, before, after, now, how };
	struct gitconfig_merged out = { 0 };
	struct config_merger merger = { .look = &look, .out = &out };
	unsigned names = before->count + after->count + 1;
	out.withheld = arena_take(arena, names * sizeof(*out.withheld));
	out.addresses = arena_take(arena, ADDRESSES_SHOWN * sizeof(*out.addresses));
	out.branches = arena_take(arena, names * sizeof(*out.branches));
	merger.taken = arena_take(arena, names * sizeof(*merger.taken));
	// Quotes may double the length of values and headers.
	merger.text.text =
		arena_take(arena, now->length + 4 * after->length + (size_t)names * 300 + 1);
	decide(&merger, after);
	if (merger.hidden) {
		look.how.private = true;
		merger.count = out.withheld_count = out.address_count = out.branch_count = 0;
		decide(&merger, after);
	}
	decide(&merger, before);
	gitconfig_put(&merger.text, now->text,
		      now->section_count ? now->sections[0].start : now->length);
	for (unsigned i = 0; i < now->section_count; i++)
		put_section(&merger, i);
	put_taken(&merger);
	gitconfig_put(&merger.text, "", 1);
	out.text = merger.text.text;
	out.length = merger.text.length - 1;
	out.taken = merger.count;
	*ret_merged = out;
}
