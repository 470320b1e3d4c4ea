// Owns the merging of profiles in their order, and the test whether a line tightens.
#include "policy/find.h"

#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "policy/keys.h"
#include "profile.h"

enum { DEPTH_MAX = 16, LOADED_MAX = 64 };

struct merger {
	struct arena *arena;
	const char *config;
	struct profile *profile;
	const char *open[DEPTH_MAX]; // being read, to find a cycle
	unsigned depth;
	const char *loaded[LOADED_MAX];
	unsigned loaded_count;
	unsigned order;
};

static int load(struct merger *merger, const char *name, enum level from);

int merge_unknown_key(struct arena *arena, const struct ini_row *row, struct origin from)
{
	const char *where = origin_text(arena, from);
	for (unsigned i = 0; i < section_count; i++) {
		if (!str_equal(sections[i].name, row->section))
			continue;
		const char *near = key_suggest(row->section, row->name);
		if (near)
			return fail(0, "%sunknown key '%.80s' in [%s], did you mean '%s'?", where,
				    row->name, row->section, near);
		const char *flag = arena_text(arena, "--%s", row->name);
		const char *answer = foreign_answer(FOREIGN_OPTION, VERBS_BOX, flag, strlen(flag));
		if (answer && !str_starts(row->section, "secret"))
			return fail(0, "%sno key '%s' in [%s]: %s", where, row->name, row->section,
				    answer);
		return fail(0, "%sunknown key '%.80s' in [%s]; see: sbx profile keys", where,
			    row->name, row->section);
	}
	const char *near = key_suggest_section(row->section);
	if (near)
		return fail(0, "%sunknown section [%.80s], did you mean [%s]?", where, row->section,
			    near);
	return fail(0, "%sunknown section [%.80s]; see: sbx profile keys", where, row->section);
}

static bool is_extends(const struct ini_row *row)
{
	return str_equal(row->section, "profile") && str_equal(row->name, "extends");
}

// Returns `brief` for [files]: most rows are absent paths, which a running box does not need.
static struct arena *arena_of(const struct merger *merger, const struct key *key)
{
	return merger->profile->brief && str_equal(key->section, "files") ? merger->profile->brief
									  : merger->arena;
}

static int apply_rows(struct merger *merger, const struct source *source)
{
	const struct key *key = NULL;
	struct arena *arena = NULL;
	struct ini_row last = { 0 };
	bool extends = false;
	for (unsigned i = 0; i < source->rows.count; i++) {
		const struct ini_row row = ini_at(&source->rows, i);
		struct origin from = { source->file, row.line, merger->order++ };
		if (!key || !str_equal(last.name, row.name) ||
		    !str_equal(last.section, row.section)) {
			key = key_find(row.section, row.name);
			if (!key)
				return merge_unknown_key(merger->arena, &row, from);
			arena = arena_of(merger, key);
			extends = is_extends(&row);
		}
		last = row;
		if (!extends)
			TRY(value_set(key, merger->profile, arena, row.value, from));
	}
	return 0;
}

static int load_extended(struct merger *merger, const struct source *source, const char *name)
{
	if (source->level < LEVEL_BUILT_IN && find_leans(source, name))
		return load(merger, name, source->level + 1);
	for (unsigned i = 0; i < source->rows.count; i++) {
		const struct ini_row row = ini_at(&source->rows, i);
		if (!is_extends(&row) || row.value[0] == '\0')
			continue;
		bool itself = str_equal(row.value, name);
		TRY(load(merger, row.value, itself ? source->level + 1 : LEVEL_FILE));
	}
	return 0;
}

static int load(struct merger *merger, const char *name, enum level from)
{
	struct source source;
	TRY(find_profile(merger->arena, merger->config, name, from, &source));
	if (strchr(name, '/'))
		list_add(&merger->profile->files, merger->arena, name, (struct origin){ 0 });
	for (unsigned i = 0; i < merger->depth; i++)
		if (str_equal(merger->open[i], source.file))
			return fail(0, "%s: extends itself by way of '%s'", source.file, name);
	for (unsigned i = 0; i < merger->loaded_count; i++)
		if (str_equal(merger->loaded[i], source.file))
			return 0;
	if (merger->depth == DEPTH_MAX || merger->loaded_count == LOADED_MAX)
		return fail(0, "%s: more than %d profiles deep or %d in all", source.file,
			    DEPTH_MAX, LOADED_MAX);
	merger->open[merger->depth++] = source.file;
	TRY(load_extended(merger, &source, name));
	merger->depth--;
	merger->loaded[merger->loaded_count++] = source.file;
	return apply_rows(merger, &source);
}

int merge_profiles(struct arena *arena, const char *config, const struct list *names,
		   struct profile *profile)
{
	struct merger merger = { .arena = arena, .config = config, .profile = profile };
	memset(&profile->limits, 0xff, sizeof(profile->limits));
	profile->limits.soft = 0;
	profile->report = TELL_SHORT;
	profile->project = PROJECT_NONE;
	if (!names->first)
		return load(&merger, "default", LEVEL_FILE);
	list_each (item, names)
		TRY(load(&merger, item->text, LEVEL_FILE));
	return 0;
}

int merge_source(struct arena *arena, const char *config, const struct source *source,
		 struct profile *profile)
{
	struct merger merger = {
		.arena = arena, .config = config, .profile = profile, .order = ORDER_OWN_FILE
	};
	TRY(load_extended(&merger, source, ""));
	return apply_rows(&merger, source);
}

int merge_arguments(struct arena *arena, const struct arguments *arguments, struct profile *profile)
{
	for (unsigned i = 0; i < arguments->count; i++) {
		const struct argument *argument = &arguments->set[i];
		struct origin from = { .file = arena_text(arena, "--%s", argument->key->flag),
				       .order = ORDER_FLAGS + i };
		TRY(value_set(argument->key, profile, arena, argument->value, from));
	}
	return 0;
}

bool tighten_is(const struct key *key, const char *text, const struct profile *alone,
		const struct profile *profile)
{
	const char *now = (const char *)profile + key->offset;
	const char *then = (const char *)alone + key->offset;
	uint64_t limit_now, limit_then;
	unsigned word_now, word_then;
	switch (key->tightens) {
	case TIGHTENS_NEVER:
		return false;
	case TIGHTENS_ALWAYS:
		return key->kind != KEY_LIST || text[0] != '\0';
	case TIGHTENS_LESS:
	case TIGHTENS_MORE:
		break;
	}
	if (key->kind == KEY_WORD) {
		memcpy(&word_now, now, sizeof(word_now));
		memcpy(&word_then, then, sizeof(word_then));
		return key->tightens == TIGHTENS_LESS ? word_then <= word_now
						      : word_then >= word_now;
	}
	memcpy(&limit_now, now, sizeof(limit_now));
	memcpy(&limit_then, then, sizeof(limit_then));
	// A strict limit must not become best effort.
	bool strict = limit_now != UNLIMITED && (alone->limits.soft & ~profile->limits.soft);
	return limit_then <= limit_now && !strict;
}
