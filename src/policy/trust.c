// Owns ~/.local/state/sbx/trust: each file has a project's path, then a copy of its trusted
// .sbx.ini. A copy, unlike a hash, can show what changed.
#include "policy/find.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "policy/keys.h"
#include "profile.h"

static const char file_name[] = ".sbx.ini", shown_suffix[] = ".shown";

static int read_text(struct arena *arena, const char *path, size_t most, const char **ret_text,
		     size_t *ret_length)
{
	int found = file_read(AT_FDCWD, path, 0, most, arena, ret_text, ret_length);
	return found < 0 ? file_failed(path, most) : found;
}

static const char *trusted_path(struct arena *arena, const char *state, const char *project)
{
	return arena_text(arena, "%s.ini", path_kept(arena, state, "trust", project));
}

static const char *shown_path(struct arena *arena, const char *state, const char *project)
{
	return arena_text(arena, "%s%s", trusted_path(arena, state, project), shown_suffix);
}

int stored_read(struct arena *arena, const char *path, const char *project, const char **ret_text,
		size_t *ret_length)
{
	const char *stored;
	size_t length, skipped = strlen(project);
	int found = read_text(arena, path, (size_t)INI_BYTES_MAX + skipped + 1, &stored, &length);
	if (found <= 0)
		return found;
	// A file with another project's path counts as absent.
	if (length <= skipped || memcmp(stored, project, skipped) != 0 || stored[skipped] != '\n')
		return 0;
	*ret_text = stored + skipped + 1;
	*ret_length = length - skipped - 1;
	return 1;
}

static bool is_text_of(const struct source *source, const char *text, size_t length)
{
	return length == source->length && memcmp(text, source->text, length) == 0;
}

static void read_profile(struct apart_text *question)
{
	struct ini_rows rows;
	const char *text = question->text + strlen(question->text) + 1;
	if (ini_read(question->arena, question->text, text,
		     question->length - (size_t)(text - question->text), &rows) < 0) {
		row_text(question->answer, ROW_FAILED, err_taken());
		return;
	}
	for (unsigned i = 0; i < rows.count; i++) {
		const struct ini_row row = ini_at(&rows, i);
		struct out words = { 0 };
		out_bytes(&words, row.section, strlen(row.section) + 1);
		out_bytes(&words, row.name, strlen(row.name) + 1);
		out_bytes(&words, row.value, strlen(row.value));
		row_put(question->answer, ROW_LINE, row.line, words.text, words.used);
		out_free(&words);
	}
}

static int take_lines(struct arena *arena, const char *file, const struct rows *lines,
		      struct ini_rows *ret_rows)
{
	struct ini_stored *stored = arena_take(arena, (lines->count + 1) * sizeof(*stored));
	for (unsigned i = 0; i < lines->count; i++) {
		const struct apart_row *row = &lines->list[i];
		const char *words[3], *at = row->text;
		for (unsigned j = 0; j < 3; j++) {
			if (at > row->text + row->length || !ini_is_word(at))
				return fail(0, "%s: cannot be read", file);
			words[j] = at;
			at += strlen(at) + 1;
		}
		stored[i] = (struct ini_stored){ row->number, (unsigned)(words[0] - (char *)arena),
						 (unsigned)(words[1] - (char *)arena),
						 (unsigned)(words[2] - (char *)arena) };
	}
	*ret_rows = (struct ini_rows){ stored, lines->count, (const char *)arena };
	return 0;
}

// Reads .sbx.ini in a sandboxed process, because a stranger may have written it.
static int read_apart(struct arena *arena, struct source *source)
{
	struct out whole = { 0 };
	struct rows lines;
	out_bytes(&whole, source->file, strlen(source->file) + 1);
	out_bytes(&whole, source->text, source->length);
	const struct apart_text question = { .text = whole.text, .length = whole.used };
	int result =
		apart_ask(APART_OTHERS, read_profile, &question, ROW_BIT(ROW_LINE), arena, &lines);
	out_free(&whole);
	if (result == 0)
		result = apart_end();
	apart_reap();
	return result < 0 ? -1 : take_lines(arena, source->file, &lines, &source->rows);
}

int trust_read(struct arena *arena, const char *state, const char *project, struct trust *ret_trust)
{
	struct trust trust = { .state = TRUST_NO_FILE };
	const char *path = path_below(arena, project, file_name), *stored = NULL;
	size_t length = 0;
	struct source *source = &trust.source;
	int found = read_text(arena, path, INI_BYTES_MAX, &source->text, &source->length);
	if (found <= 0) {
		*ret_trust = trust;
		return found;
	}
	source->file = path;
	trust.state = TRUST_UNKNOWN;
	TRY(found = stored_read(arena, trusted_path(arena, state, project), project, &stored,
				&length));
	if (found) {
		trust.trusted = stored;
		trust.state = is_text_of(source, stored, length) ? TRUST_GIVEN : TRUST_CHANGED;
	}
	if (trust.state == TRUST_GIVEN) { // identical to the copy
		source->text = stored;
		TRY(ini_read(arena, path, stored, length, &source->rows));
		*ret_trust = trust;
		return 0;
	}
	TRY(read_apart(arena, source));
	if (trust.state == TRUST_CHANGED)
		TRY(ini_read(arena, path, trust.trusted, length, &trust.trusted_rows));
	TRY(found = stored_read(arena, shown_path(arena, state, project), project, &stored,
				&length));
	if (found && !is_text_of(source, stored, length))
		trust.shown = stored;
	*ret_trust = trust;
	return 0;
}

int stored_write(struct arena *arena, const char *path, const char *project, const char *text)
{
	autoclose int directory = owned_directory(path_parent(arena, path));
	TRY(directory);
	return owned_replace(directory, path_name(path), arena_text(arena, "%s\n%s", project, text),
			     0600);
}

int trust_note_shown(struct arena *arena, const char *state, const char *project,
		     const struct trust *trust)
{
	return stored_write(arena, shown_path(arena, state, project), project, trust->source.text);
}

int trust_give(struct arena *arena, const char *state, const char *project,
	       const struct trust *trust)
{
	TRY(stored_write(arena, trusted_path(arena, state, project), project, trust->source.text));
	unlink(shown_path(arena, state, project));
	return 0;
}

int trust_take(struct arena *arena, const char *state, const char *project)
{
	const char *path = trusted_path(arena, state, project);
	return unlink(path) < 0 && !file_missing() ? fail(errno, "remove '%s'", path) : 0;
}

static void ignore(struct arena *arena, struct list *ignored, const struct ini_row *row,
		   struct origin from)
{
	const char *why =
		str_starts(row->section, "secret")
			? "is ignored: a project's file names no secrets; write it in a "
			  "profile of yours"
			: "loosens the box and is ignored until you trust this file; see: "
			  "sbx profile status; then: sbx profile trust";
	list_add(ignored, arena,
		 arena_text(arena, "%s:%u: '%s = %s' %s", file_name, row->line, row->name,
			    str_shown(row->value), why),
		 from);
}

unsigned trust_waits(const struct list *ignored, const char *key, const char *value)
{
	char front[INI_LINE_MAX];
	list_each (item, ignored) {
		snprintf(front, sizeof(front), "%s:%u: '%s = ", file_name, item->from.line, key);
		if (!str_starts(item->text, front))
			continue;
		// A host without a port stands for the usual ports.
		const char *line = item->text + strlen(front);
		size_t length = strcspn(line, "'");
		if (strncmp(line, value, length) == 0 && strchr(":", value[length]))
			return item->from.line;
	}
	return 0;
}

int trust_merge(struct arena *arena, const char *config, const struct trust *trust,
		struct profile *profile, struct list *ignored)
{
	const struct source *source = &trust->source;
	if (trust->state == TRUST_NO_FILE)
		return 0;
	// An extended file could change later: trust is only for the text that was shown.
	for (unsigned i = 0; i < source->rows.count; i++) {
		const struct ini_row row = ini_at(&source->rows, i);
		if (str_equal(row.name, "extends") && strchr(row.value, '/'))
			return fail(0,
				    "%s:%u: a project's file extends profiles by name, not files; "
				    "copy the lines of '%.80s'",
				    file_name, row.line, str_shown(row.value));
	}
	if (trust->state == TRUST_GIVEN)
		return merge_source(arena, config, source, profile);
	for (unsigned i = 0; i < source->rows.count; i++) {
		const struct ini_row row = ini_at(&source->rows, i);
		struct origin from = { file_name, row.line, ORDER_UNTRUSTED + i };
		const struct key *key = key_find(row.section, row.name);
		if (!key)
			return merge_unknown_key(arena, &row, from);
		struct profile alone = { 0 };
		TRY(value_set(key, &alone, arena, row.value, from));
		if (tighten_is(key, row.value, &alone, profile))
			TRY(value_set(key, profile, arena, row.value, from));
		else
			ignore(arena, ignored, &row, from);
	}
	return 0;
}
