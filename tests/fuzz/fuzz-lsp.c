// libFuzzer: what a language server in a box writes. A message that is passed on asks for nothing
// that was refused, has the length that it had, and is passed on again as it is; what takes the
// place of another is a message. And heads, URIs, and paths among hostile symlinks.
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "lsp/lsp.h"
#include "text/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	unsigned refused, commands;
};

static const char *refuses(void *owner, const char *path)
{
	(void)owner;
	assert(path[0] == '/' && !strstr(path, "/../") && !strstr(path, "//"));
	return path_within(path, "/p") ? NULL : "outside";
}

static void refused(void *owner, enum refused_kind kind, const char *name, const char *why)
{
	struct seen *seen = owner;
	assert(name && why && why[0]);
	if (kind == REFUSED_COMMAND)
		seen->commands++;
	else
		seen->refused++;
}

static struct lsp_message message_of(char *text, size_t size, struct lsp_known *known,
				     struct seen *seen)
{
	return (struct lsp_message){ .text = text,
				     .length = size,
				     .initialize = "1",
				     .known = known,
				     .owner = seen,
				     .refuses_edit = refuses,
				     .refuses_show = refuses,
				     .refused = refused };
}

static bool take(void *owner, const struct json_step *step)
{
	char name[16];
	assert(step->start <= step->end && step->end <= *(const size_t *)owner);
	if (step->key)
		assert(json_decode(step->key, step->key_length, name, sizeof(name)) <=
		       step->key_length);
	return true;
}

static void judge(char *text, size_t size)
{
	static char instead[LSP_INSTEAD_MAX];
	static struct lsp_known known, again_known;
	struct seen seen = { 0 }, again = { 0 };
	memset(&known, 0, sizeof(known));
	struct lsp_message message = message_of(text, size, &known, &seen);
	bool json = json_walk(text, size, take, &size);
	bool passes = lsp_judge(&message);
	assert(passes == (seen.refused == 0) && (json || !passes));
	assert(json == json_walk(text, size, take, &size));
	again_known = known;
	message = message_of(text, size, &again_known, &again);
	if (passes) {
		assert(lsp_judge(&message) && again.refused == 0);
		return;
	}
	lsp_judge(&message);
	lsp_instead(&message, instead, sizeof(instead));
	size_t length = strlen(instead);
	assert((length > 0) == (message.id[0] != '\0'));
	assert(length == 0 || json_walk(instead, length, take, &length));
}

// A link to itself, to what lies around it, and to whatever the input says.
static const char *links;
static ssize_t read_link(const char *path, char *text, size_t size)
{
	size_t length = strlen(links);
	if (strchr(path, 'l') && length < size) {
		memcpy(text, links, length);
		return (ssize_t)length;
	}
	errno = strchr(path, 'n') ? ENOENT : EINVAL;
	return -1;
}

static void walk(char *text, size_t size)
{
	static char project[] = "/p", kept[] = "/p/kept", *all[] = { kept };
	struct lsp_files files = { project, all, 1, true, read_link };
	char path[PATH_MAX];
	char *end = memchr(text, '\n', size);
	if (!end || !uri_path(text, (size_t)(end - text), path))
		return;
	links = end + 1;
	uri_is_plain_link(text, (size_t)(end - text));
	if (!lsp_files_refuse_edit(&files, path))
		assert(!lsp_files_refuse_show(&files, path));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t body = 0, start = 0, end = 0;
	char id[LSP_ID_MAX + 1];
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	int head = frame_head(text, size, &body);
	assert(head <= (int)size && body <= FRAME_BODY_MAX);
	for (size_t part = 0; part < size && part < 64; part++) // no more is ever less
		assert(head < 0 || frame_head(text, part, &body) >= 0);
	if (lsp_read_initialize(text, size, id, &start, &end))
		assert(start <= end && end <= size);
	walk(text, size);
	judge(text, size);
	free(text);
	return 0;
}
