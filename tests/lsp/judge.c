// The judgement of language servers' messages by itself, for tests/lsp/agree.py: stdin has texts,
// each behind a line with its bytes; of each the answer is a line "pass" or "refuse", and before it
// a line for each path that was asked about and each name that was refused. Paths below /p may be
// edited.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "lsp/lsp.h"
#include "text/json.h"

static void print(const char *word, const char *name)
{
	printf("%s ", word);
	for (const char *at = name; *at; at++)
		printf("%02x", (unsigned char)*at);
	printf("\n");
}

static const char *refuses_edit(void *owner, const char *path)
{
	(void)owner;
	print("edit", path);
	return path_within(path, "/p") ? NULL : "outside";
}

static const char *refuses_show(void *owner, const char *path)
{
	(void)owner;
	print("show", path);
	return path_within(path, "/p") ? NULL : "outside";
}

static void refused(void *owner, enum refused_kind kind, const char *name, const char *why)
{
	static const char *const words[REFUSED_KINDS] = {
		[REFUSED_EDIT] = "no-edit",     [REFUSED_SHOW] = "no-show",
		[REFUSED_LINK] = "no-link",     [REFUSED_COMMAND] = "no-command",
		[REFUSED_METHOD] = "no-method", [REFUSED_MALFORMED] = "malformed",
	};
	(void)owner;
	(void)why;
	print(words[kind], name);
}

static bool take(void *owner, const struct json_step *step)
{
	(void)step;
	++*(unsigned long *)owner;
	return true;
}

static int judge(char *text, size_t length, struct lsp_known *known)
{
	struct lsp_message message = { .text = text,
				       .length = length,
				       .initialize = "0",
				       .known = known,
				       .refuses_edit = refuses_edit,
				       .refuses_show = refuses_show,
				       .refused = refused };
	char *copy = strdup(text), id[LSP_ID_MAX + 1];
	unsigned long values = 0;
	size_t start = 0, end = 0;
	bool json = json_walk(text, length, take, &values);
	bool first = lsp_read_initialize(text, length, id, &start, &end);
	printf("json %d %lu\n", json, json ? values : 0);
	if (first && end > start)
		printf("process %zu %zu\n", start, end);
	bool passes = lsp_judge(&message);
	printf("%s %d\n", passes ? "pass" : "refuse", passes && memcmp(copy, text, length) == 0);
	free(copy);
	return 0;
}

int main(void)
{
	static struct lsp_known known;
	size_t length;
	while (scanf("%zu", &length) == 1 && getchar() == '\n') {
		char *text = calloc(length + 1, 1);
		if (!text || fread(text, 1, length, stdin) != length)
			return 1;
		judge(text, length, &known);
		free(text);
	}
	return 0;
}
