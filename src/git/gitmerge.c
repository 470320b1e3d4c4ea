// Owns the text that git's configuration has after a merge, and what of it is reported.
#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "git/gitconfig.h"
#include "git/recognise.h"

enum { ADDRESSES_SHOWN = 8, ADDRESSES_BYTES = 1000, LINE_FRONT = 32 };

struct config_merger {
	const struct gitform_look *look;
	const char **taken; // names, in the order of `after`
	unsigned count;
	struct gitconfig_merged *out;
};

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

static void end_line(struct gitconfig_merged *out)
{
	if (out->length > 0 && out->text[out->length - 1] != '\n')
		put(out, "\n", 1);
}

static void put_values(struct config_merger *merger, const char *name)
{
	struct gitconfig_merged *out = merger->out;
	const struct gitconfig *after = merger->look->after;
	const struct gitconfig_entry *entry = gitconfig_next(after, name, NULL);
	const char *key = strrchr(name, '.') + 1;
	for (; entry; entry = gitconfig_next(after, name, entry)) {
		end_line(out);
		put(out, "\t", 1);
		put(out, key, strlen(key));
		put(out, " = ", 3);
		put_value(out, entry->value, strlen(entry->value));
		put(out, "\n", 1);
	}
}

static bool is_taken(const struct config_merger *merger, const char *name)
{
	for (unsigned i = 0; i < merger->count; i++)
		if (str_equal(merger->taken[i], name))
			return true;
	return false;
}

// A section of the current text, with new values in the place of the old ones. One that holds
// nothing any more loses its header as well.
static void put_section(struct config_merger *merger, unsigned index)
{
	const struct gitconfig *now = merger->look->now;
	const struct gitconfig_section *section = &now->sections[index];
	struct gitconfig_merged *out = merger->out;
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
		put(out, now->text + at, entry->start - at);
		// its own indentation goes too
		while (out->length > begin &&
		       (out->text[out->length - 1] == '\t' || out->text[out->length - 1] == ' '))
			out->length--;
		at = entry->end;
		if (gitconfig_next(now, entry->name, NULL) != entry ||
		    !gitconfig_value(merger->look->after, entry->name)) {
			dropped = true;
			continue;
		}
		put_values(merger, entry->name);
		kept = true;
		if (at < section->end && now->text[at] == '\n' && now->text[at - 1] != '\n')
			at++;
	}
	put(out, now->text + at, section->end - at);
	size_t length = out->length - begin;
	if (dropped && !kept && !memchr(out->text + begin, '#', length) &&
	    !memchr(out->text + begin, ';', length))
		out->length = begin;
}

static void put_new(struct config_merger *merger)
{
	const struct gitconfig *after = merger->look->after, *now = merger->look->now;
	const char *section = "";
	for (unsigned i = 0; i < merger->count; i++) {
		const char *name = merger->taken[i];
		const struct gitconfig_entry *entry = gitconfig_next(after, name, NULL);
		if (!entry || gitconfig_value(now, name))
			continue;
		if (!str_equal(section, after->sections[entry->section].name)) {
			section = after->sections[entry->section].name;
			end_line(merger->out);
			put_header(merger->out, section, strlen(section));
		}
		put_values(merger, name);
	}
}

// With what `git config` sets the values of a name to those of `after`.
static void withhold(struct config_merger *merger, const char *name)
{
	const struct gitform_look *look = merger->look;
	const struct gitconfig *before = look->before, *after = look->after;
	const struct gitkey *key = gitkey_find(name);
	const struct gitconfig_entry *was = gitconfig_next(before, name, NULL),
				     *is = gitconfig_next(after, name, NULL);
	struct gitconfig_withheld row = { name, NULL, gitkey_whys[key ? key->why : GITKEY_RUN],
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

// Where the host will go by a value that it did not have. In a repository that a clone made all are
// new; git connects by itself where it is a partial one.
static void tell_addresses(struct config_merger *merger, const char *name)
{
	const struct gitform_look *look = merger->look;
	struct arena *arena = look->arena;
	const struct gitkey *key = gitkey_find(name);
	const struct gitconfig_entry *entry = gitconfig_next(look->after, name, NULL);
	const char *promisor = arena_text(arena, "remote.%s.promisor", gitway_middle(arena, name));
	if (look->how.made && !gitconfig_value(look->after, promisor))
		return;
	for (; entry; entry = gitconfig_next(look->after, name, entry))
		if (key->form == GITKEY_ADDRESS ||
		    (key->form == GITKEY_TRACKED && gitway_is_far(entry->value)) ||
		    (key->form == GITKEY_MERGED && !str_starts(entry->value, "refs/heads/")))
			merger->out->addresses[merger->out->address_count++] = arena_text(
				arena, "%s is new: %s", name, gitway_host(arena, entry->value));
}

// More than a report shows: then none is applied, as one could be hidden among the others.
static bool is_too_much(const struct gitconfig_merged *merged)
{
	size_t bytes = 0;
	for (unsigned i = 0; i < merged->address_count; i++)
		bytes += strlen(merged->addresses[i]) + LINE_FRONT;
	return merged->address_count > ADDRESSES_SHOWN || bytes > ADDRESSES_BYTES;
}

// Those of `side` that changed; of `before` what `after` has no more.
static void decide(struct config_merger *merger, const struct gitconfig *side)
{
	const struct gitform_look *look = merger->look;
	for (unsigned i = 0; i < side->count; i++) {
		const char *name = side->entries[i].name;
		const struct gitkey *key = gitkey_find(name);
		if (gitconfig_next(side, name, NULL) != &side->entries[i] ||
		    (side == look->before && gitconfig_value(look->after, name)) ||
		    gitconfig_same(look->before, look->after, name) ||
		    gitconfig_same(look->after, look->now, name) ||
		    (key && key->form == GITKEY_PROBED && gitconfig_value(look->before, name)))
			continue;
		const char *middle = gitway_middle(look->arena, name);
		if (str_starts(name, "branch.") && gitform_is_new_branch(look, middle))
			merger->out->branches[merger->out->branch_count++] = middle;
		if (!gitform_allows(look, name)) {
			withhold(merger, name);
			continue;
		}
		merger->taken[merger->count++] = name;
		tell_addresses(merger, name);
	}
}

static void withhold_moves(struct config_merger *merger)
{
	unsigned count = merger->count;
	merger->count = merger->out->address_count = 0;
	for (unsigned i = 0; i < count; i++)
		if (gitkey_find(merger->taken[i])->why >= GITKEY_PUSH)
			withhold(merger, merger->taken[i]);
		else
			merger->taken[merger->count++] = merger->taken[i];
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
	out.addresses = arena_take(arena, names * sizeof(*out.addresses));
	out.branches = arena_take(arena, names * sizeof(*out.branches));
	merger.taken = arena_take(arena, names * sizeof(*merger.taken));
	// Each value may be quoted to twice its length, with its section's name before it.
	out.text = arena_take(arena, now->length + 4 * after->length + (size_t)names * 300 + 1);
	look.how.made = how.made && !how.private;
	decide(&merger, after);
	decide(&merger, before);
	if (is_too_much(&out))
		withhold_moves(&merger);
	put(&out, now->text, now->section_count ? now->sections[0].start : now->length);
	for (unsigned i = 0; i < now->section_count; i++)
		put_section(&merger, i);
	put_new(&merger);
	out.text[out.length] = '\0';
	out.taken = merger.count;
	*ret_merged = out;
}
