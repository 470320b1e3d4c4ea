// Owns the questions about git's files that locked processes answer.
#include "git/recognise.h"

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

// The names, each with its NUL; the file is the index.
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
