// Owns the questions about git's files that locked processes answer.
#include "git/git.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "git/gitindex.h"

static void read_alternates(struct apart_text *question)
{
	const char *text = question->text;
	for (size_t size; *text; text += size + (text[size] == '\n')) {
		size = strcspn(text, "\n");
		if (size > 0 && !strchr("#\"", text[0]))
			row_put(question->answer, ROW_OBJECTS, 0, text, size);
	}
}

int git_ask_alternates(struct arena *arena, const char *file, struct rows *ret_rows)
{
	struct apart_text question = { .file = 0 };
	if (file_read(AT_FDCWD, file, 0, GIT_ALTERNATES_MAX, arena, &question.text,
		      &question.length) <= 0)
		return fail(errno, "read '%s'", file);
	return apart_ask(APART_OTHERS, read_alternates, &question, ROW_BIT(ROW_OBJECTS), arena,
			 ret_rows);
}

static void read_entries(struct apart_text *question)
{
	struct out *answer = question->answer;
	struct gitconfig config;
	bool good =
		gitconfig_parse(question->arena, question->text, question->length, &config) == 0;
	if (!good || config.count + config.section_count > GITCONFIG_ROWS_ASKED) {
		row_text(answer, ROW_FAILED, good ? "too many keys" : err_taken());
		return;
	}
	const struct gitconfig_entry *entry = config.entries, *end = entry + config.count;
	for (unsigned i = 0; i < config.section_count; i++) {
		const struct gitconfig_section *section = &config.sections[i];
		row_put(answer, ROW_SECTION, (uint32_t)section->start, section->name,
			strlen(section->name));
		for (; entry < end && entry->section == i; entry++) {
			row_put(answer, ROW_KEY, (uint32_t)entry->start, entry->name,
				strlen(entry->name));
			row_put(answer, ROW_VALUE, (uint32_t)entry->end, entry->value,
				strlen(entry->value));
		}
	}
}

// Rows must follow the order of the text, and all together be no longer than it.
struct entries {
	struct gitconfig *config;
	struct gitconfig_section *section;
	struct gitconfig_entry *entry; // the next ROW_VALUE belongs to this entry
	size_t at, said;
};

static bool is_of_section(const char *name, const char *section)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	size_t front = strlen(section);
	const char *key = name + front + 1;
	return strncmp(name, section, front) == 0 && key[-1] == '.' && key[0] &&
	       !key[strspn(key, word)] && strspn(name, word) == strcspn(name, ".");
}

static bool take_entry(struct entries *entries, const struct apart_row *row)
{
	struct gitconfig *config = entries->config;
	bool names = row->kind == ROW_KEY;
	if (row->number < entries->at || row->number > config->length ||
	    (row->kind == ROW_VALUE) != (entries->entry != NULL) ||
	    (names && (!entries->section || !is_of_section(row->text, entries->section->name))))
		return false;
	entries->at = row->number;
	entries->said += row->length - (names ? strlen(entries->section->name) : 0);
	if (row->kind == ROW_SECTION) {
		if (entries->section)
			entries->section->end = row->number;
		entries->section = &config->sections[config->section_count++];
		*entries->section =
			(struct gitconfig_section){ row->text, row->number, config->length };
	} else if (names) {
		entries->entry = &config->entries[config->count++];
		*entries->entry = (struct gitconfig_entry){ .name = row->text,
							    .start = row->number,
							    .section = config->section_count - 1 };
	} else {
		entries->entry->value = row->text;
		entries->entry->end = row->number;
		entries->entry = NULL;
	}
	return true;
}

bool gitconfig_take(struct arena *arena, const struct rows *rows, const char *text, size_t length,
		    struct gitconfig *ret_config)
{
	struct gitconfig config = { .text = text, .length = length };
	struct entries entries = { .config = &config };
	if (rows->count > 2 * GITCONFIG_ROWS_ASKED)
		return false;
	config.entries = arena_take(arena, (rows->count + 1) * sizeof(*config.entries));
	config.sections = arena_take(arena, (rows->count + 1) * sizeof(*config.sections));
	rows_each (row, rows)
		if (!take_entry(&entries, row))
			return false;
	*ret_config = config;
	return !entries.entry && entries.said <= length + config.count;
}

int gitconfig_ask(struct arena *arena, const char *text, size_t length,
		  struct gitconfig *ret_config)
{
	static const unsigned kinds = ROW_BIT(ROW_SECTION) | ROW_BIT(ROW_KEY) | ROW_BIT(ROW_VALUE);
	const struct apart_text question = { .text = text, .length = length };
	struct rows rows;
	TRY(apart_ask(APART_OTHERS, read_entries, &question, kinds, arena, &rows));
	if (!gitconfig_take(arena, &rows, text, length, ret_config))
		return apart_refuse();
	size_t names = 0;
	for (unsigned i = 0; i < ret_config->count; i++)
		names += strlen(ret_config->entries[i].name);
	return names > GITCONFIG_NAMES_ASKED ? fail(0, "its names are too long") : 0;
}

// The question's text is names, each with its NUL. Its file is the index.
static void read_index(struct apart_text *question)
{
	const char *bytes = apart_file(question), *at = question->text;
	const struct gitindex_entry *entries = NULL;
	unsigned count = 0, name_count = 0;
	const char **names = arena_take(question->arena, (question->length + 1) * sizeof(*names));
	for (; at < question->text + question->length; at += strlen(at) + 1)
		names[name_count++] = at;
	if (!bytes || ATTEMPT(gitindex_find(question->arena, bytes, question->file_length, names,
					    name_count, &entries, &count)) < 0)
		row_text(question->answer, ROW_UNCLEAR, "");
	for (unsigned i = 0; i < count; i++) {
		struct out text = { 0 };
		out_bytes(&text, (const char *)entries[i].id, entries[i].id_bytes);
		out_bytes(&text, entries[i].path, strlen(entries[i].path));
		row_put(question->answer, ROW_ENTRY, entries[i].stage | entries[i].id_bytes << 8,
			text.text, text.used);
		out_free(&text);
	}
}

int git_ask_index(struct arena *arena, const char *index, size_t most, const char *const *names,
		  unsigned name_count, struct rows *ret_rows)
{
	struct stat status;
	struct out text = { 0 };
	autoclose int fd = file_open(AT_FDCWD, index, 0, &status);
	if (fd < 0 || status.st_size < 0 || (size_t)status.st_size > most)
		return fail(fd < 0 ? errno : EFBIG, "read '%s'", index);
	for (unsigned i = 0; i < name_count && text.used + strlen(names[i]) < APART_TEXT_MAX; i++)
		out_bytes(&text, names[i], strlen(names[i]) + 1);
	const struct apart_text question = { .text = text.text ? text.text : "",
					     .length = text.used,
					     .file = fd,
					     .file_length = (size_t)status.st_size };
	int result = apart_ask(APART_OTHERS, read_index, &question,
			       ROW_BIT(ROW_ENTRY) | ROW_BIT(ROW_UNCLEAR), arena, ret_rows);
	out_free(&text);
	return result;
}
