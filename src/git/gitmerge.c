// Owns the text that git's configuration has after a merge.
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "git/gitconfig.h"
#include "git/gitdecide.h"
#include "git/gitforms.h"

struct config_merger {
	const struct gitconfig *after, *now;
	struct gitchange *changes;
	unsigned count;
	struct gitconfig_merged *out;
};

static bool is_changed(const struct config_merger *merger, const char *name)
{
	for (unsigned i = 0; i < merger->count; i++)
		if (str_equal(merger->changes[i].name, name))
			return true;
	return false;
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

static void put_values(struct config_merger *merger, struct gitchange *change)
{
	struct gitconfig_merged *out = merger->out;
	const char *key = change->name + change->section + 1;
	const struct gitconfig_entry *entry = gitconfig_next(merger->after, change->name, NULL);
	for (; entry; entry = gitconfig_next(merger->after, change->name, entry)) {
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

static bool belongs(const struct gitchange *change, const char *section, size_t length)
{
	return change->section == length && strncmp(change->name, section, length) == 0;
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
		const struct gitchange *first = &merger->changes[i];
		if (first->written || !gitconfig_next(merger->after, first->name, NULL))
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
		    const struct gitconfig *after, const struct gitconfig *now,
		    struct gitconfig_case how, struct gitconfig_merged *ret_merged)
{
	struct gitconfig_merged out = { 0 };
	struct config_merger merger = { after, now, .out = &out };
	struct gitform_look look = {
		arena,       before,       after,           how.depth, how.made && !how.private,
		how.private, how.branches, how.branch_count
	};
	unsigned names = before->count + after->count + 1;
	out.withheld = arena_take(arena, names * sizeof(*out.withheld));
	out.addresses = arena_take(arena, names * sizeof(*out.addresses));
	out.branches = arena_take(arena, names * sizeof(*out.branches));
	merger.changes = arena_take(arena, names * sizeof(*merger.changes));
	// Each value may be quoted to twice its length, with its section's name before it.
	out.text = arena_take(arena, now->length + 4 * after->length + (size_t)names * 300 + 1);
	merger.count = gitdecide(&look, now, merger.changes, &out);
	put(&out, now->text, now->section_count ? now->sections[0].start : now->length);
	for (unsigned i = 0; i < now->section_count; i++)
		put_section(&merger, i);
	put_new_sections(&merger);
	out.text[out.length] = '\0';
	out.taken = merger.count;
	*ret_merged = out;
	return 0;
}
