// Owns the passing of messages: reading them whole, and writing them with a head of our own.
#include "lsp/lsp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

enum { CHUNK = 64 << 10, KEPT_MAX = 1 << 20 };

// What was read and not yet passed on.
struct stream {
	char *bytes; // with room for one more
	size_t used, size;
	size_t head, body; // bytes of the message at its beginning
};

static void note(void *owner, enum refused_kind kind, const char *name, const char *why)
{
	struct relay *relay = owner;
	struct refused refused;
	refused_set(&refused, kind, name, why);
	refused_note(&relay->record->refused, &refused);
}

// --- reading -------------------------------------------------------------------------------------

static void make_room(struct stream *stream, size_t size)
{
	if (stream->size >= size)
		return;
	char *bytes = realloc(stream->bytes, size + 1);
	if (!bytes)
		_exit(1);
	stream->bytes = bytes;
	stream->size = size;
}

// Some more; false at the end.
static bool read_more(struct stream *stream)
{
	ssize_t got;
	make_room(stream, stream->used + CHUNK);
	do
		got = read(0, stream->bytes + stream->used, CHUNK);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return false;
	stream->used += (size_t)got;
	return true;
}

enum got { GOT_MESSAGE, GOT_END, GOT_OTHER };

// A whole message at the stream's beginning.
static enum got read_message(struct stream *stream)
{
	for (;;) {
		int head =
			frame_head(stream->bytes ? stream->bytes : "", stream->used, &stream->body);
		if (head < 0)
			return GOT_OTHER;
		if (head > 0 && stream->used - (size_t)head >= stream->body) {
			stream->head = (size_t)head;
			return GOT_MESSAGE;
		}
		if (head > 0)
			make_room(stream, (size_t)head + stream->body + CHUNK);
		if (!read_more(stream))
			return GOT_END;
	}
}

static void drop_message(struct stream *stream)
{
	size_t length = stream->head + stream->body;
	stream->used -= length;
	memmove(stream->bytes, stream->bytes + length, stream->used);
	if (stream->size > KEPT_MAX && stream->used < CHUNK) {
		stream->size = CHUNK;
		stream->bytes = realloc(stream->bytes, CHUNK + 1);
	}
	if (!stream->bytes)
		_exit(1);
}

// --- writing -------------------------------------------------------------------------------------

static bool write_head(size_t length)
{
	char head[64];
	int size = snprintf(head, sizeof(head), "Content-Length: %zu\r\n\r\n", length);
	return fd_write_all(1, head, (size_t)size) == 0;
}

static bool write_message(const char *text, size_t length)
{
	return write_head(length) && fd_write_all(1, text, length) == 0;
}

// --- the editor's side ---------------------------------------------------------------------------

// With `null` in place of the number: the box has no such process.
static bool write_first(const struct stream *stream, struct lsp_record *record)
{
	static const char null[] = "null";
	const char *body = stream->bytes + stream->head;
	size_t start = 0, end = 0;
	char *text = malloc(stream->body + 1);
	if (!text)
		_exit(1);
	memcpy(text, body, stream->body);
	text[stream->body] = '\0'; // what follows belongs to another message
	bool numbered = lsp_read_initialize(text, stream->body, record->initialize, &start, &end) &&
			end > start;
	bool written = !numbered ? write_message(body, stream->body)
				 : write_head(stream->body - (end - start) + strlen(null)) &&
					   fd_write_all(1, body, start) == 0 &&
					   fd_write_all(1, null, strlen(null)) == 0 &&
					   fd_write_all(1, body + end, stream->body - end) == 0;
	free(text);
	return written;
}

void relay_editor(struct relay *relay)
{
	struct stream stream = { 0 };
	enum got got = read_message(&stream);
	if (got == GOT_OTHER || (got == GOT_END && stream.used > 0))
		note(relay, REFUSED_MALFORMED, "(the editor's first)", "LSP has no such head");
	if (got != GOT_MESSAGE || !write_first(&stream, relay->record))
		return;
	drop_message(&stream);
	// From here on unread.
	do {
		if (fd_write_all(1, stream.bytes, stream.used) < 0)
			return;
		stream.used = 0;
	} while (read_more(&stream));
}

// --- the server's side ---------------------------------------------------------------------------

static const char *refuses_edit(void *owner, const char *path)
{
	const struct relay *relay = owner;
	return lsp_files_refuse_edit(&relay->files, path);
}

static const char *refuses_show(void *owner, const char *path)
{
	const struct relay *relay = owner;
	return lsp_files_refuse_show(&relay->files, path);
}

// As it is, changed, in another's place, or not at all.
static bool pass_on(struct relay *relay, struct lsp_known *known, const struct stream *stream)
{
	char *text = stream->bytes + stream->head, after = text[stream->body];
	static char instead[LSP_INSTEAD_MAX];
	struct lsp_message message = { .text = text,
				       .length = stream->body,
				       .initialize = relay->record->initialize,
				       .known = known,
				       .owner = relay,
				       .refuses_edit = refuses_edit,
				       .refuses_show = refuses_show,
				       .refused = note };
	text[stream->body] = '\0';
	bool passes = lsp_judge(&message);
	text[stream->body] = after;
	if (passes)
		return write_message(text, stream->body);
	lsp_instead(&message, instead, sizeof(instead));
	return !instead[0] || write_message(instead, strlen(instead));
}

void relay_server(struct relay *relay)
{
	static struct lsp_known known;
	struct stream stream = { 0 };
	enum got got;
	while ((got = read_message(&stream)) == GOT_MESSAGE) {
		if (!pass_on(relay, &known, &stream))
			return;
		drop_message(&stream);
	}
	if (got == GOT_OTHER || stream.used > 0)
		note(relay, REFUSED_MALFORMED, "(the server's output)", "LSP has no such head");
}
