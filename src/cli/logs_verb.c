// sbx logs: prints the output of a background run, from an offset on.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "cli/boxes.h"
#include "cli/verbs.h"
#include "report/print_fields.h"
#include "report/output_ring.h"
#include "run/run_command.h"

enum { LOOK_MILLISECONDS = 100 };

struct output_reader {
	struct record record;
	int file;
	bool raw;
	uint64_t offset; // of the next byte that is read
	size_t held;     // bytes of an incomplete character
	char bytes[RING_CHUNK + 1];
};

// Returns the length of whole characters in bytes. A carriage return waits for the byte after it.
static size_t whole_characters(const char *bytes, size_t length)
{
	enum { SEQUENCE_MAX = 4 };
	if (length > 0 && bytes[length - 1] == '\r')
		return length - 1;
	for (size_t back = 1; back < SEQUENCE_MAX && back <= length; back++) {
		unsigned char byte = (unsigned char)bytes[length - back];
		size_t wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
		if ((byte & 0xc0) != 0x80)
			return wanted > back ? length - back : length;
	}
	return length;
}

static int show(struct output_reader *reader, size_t length, size_t part)
{
	struct out out = { 0 };
	char after = reader->bytes[part];
	reader->bytes[part] = '\0';
	if (reader->raw)
		out_bytes(&out, reader->bytes, part);
	else
		out_visible(&out, reader->bytes, part);
	reader->bytes[part] = after;
	reader->held = length - part;
	memmove(reader->bytes, reader->bytes + part, reader->held);
	return out_write(&out, STDOUT_FILENO) < 0 ? fail(errno, "write") : 0;
}

static void say_gone(uint64_t bytes, const char *why)
{
	struct out out = { 0 };
	if (bytes > 0)
		out_text(&out, "sbx: %llu bytes of the output %s\n", (unsigned long long)bytes,
			 why);
	out_flush(&out, STDERR_FILENO);
}

static int show_all(struct output_reader *reader)
{
	for (;;) {
		uint64_t wanted = reader->offset;
		size_t held = reader->held;
		ssize_t got = ring_read(reader->file, &reader->offset, reader->bytes + held,
					RING_CHUNK - held);
		if (got < 0)
			return fail(0, "the file of the output cannot be read");
		say_gone(reader->offset - wanted, "are gone: the newest 8M are stored");
		if (got == 0)
			return 0;
		reader->offset += (uint64_t)got;
		held += (size_t)got;
		TRY(show(reader, held, reader->raw ? held : whole_characters(reader->bytes, held)));
	}
}

static int move_to_tail(struct output_reader *reader, uint64_t lines)
{
	struct ring_head head;
	if (!ring_read_head(reader->file, &head))
		return fail(0, "the file of the output cannot be read");
	uint64_t at = head.total;
	while (lines > 0 && at > reader->offset) {
		uint64_t from = (at - 1) / RING_CHUNK * RING_CHUNK;
		ssize_t got = ring_read(reader->file, &from, reader->bytes, at - from);
		// Older bytes are not stored.
		if (got <= 0 || from >= at || (uint64_t)got < at - from)
			break;
		for (; at > from; at--)
			if (at < head.total && reader->bytes[at - 1 - from] == '\n' && --lines == 0)
				break;
	}
	reader->offset = at > reader->offset ? at : reader->offset;
	return 0;
}

static int print(struct output_reader *reader, bool follow)
{
	struct ring_head head;
	bool lives;
	do {
		lives = record_lives(reader->record.lock); // checked before the last read
		if (!ring_read_head(reader->file, &head))
			return fail(0, "the file of the output cannot be read");
		TRY(show_all(reader));
		if (follow && lives)
			poll(NULL, 0, LOOK_MILLISECONDS);
	} while (follow && lives);
	say_gone(head.lost, "could not be written");
	return show(reader, reader->held, reader->held);
}

// Prints one object with at most one chunk. The next call begins at the object's `next`.
static int print_json(struct output_reader *reader)
{
	struct out out = { .json = true };
	struct ring_head head;
	int status;
	bool lives = record_lives(reader->record.lock);
	bool ended = record_status(reader->record.lock, &status) != NULL;
	uint64_t wanted = reader->offset;
	if (!ring_read_head(reader->file, &head))
		return fail(0, "the file of the output cannot be read");
	ssize_t got = ring_read(reader->file, &reader->offset, reader->bytes, RING_CHUNK);
	if (got < 0)
		return fail(0, "the file of the output cannot be read");
	size_t part = lives ? whole_characters(reader->bytes, (size_t)got) : (size_t)got;
	reader->bytes[part] = '\0';
	for (char *at = reader->bytes; at < reader->bytes + part; at++)
		*at = *at ? *at : '?';
	print_begin(&out, "output", NULL);
	print_members(&out, MEMBER_NUMBER("offset", reader->offset),
		      MEMBER_NUMBER("next", reader->offset + part),
		      MEMBER_NUMBER("gone", reader->offset - wanted),
		      MEMBER_NUMBER("lost", head.lost), MEMBER_FLAG("live", lives),
		      NUMBER_IF(ended && !lives, "status", (unsigned)status),
		      MEMBER("text", reader->bytes));
	print_end(&out, NULL);
	return out_write(&out, STDOUT_FILENO);
}

static int show_output(const struct box *box)
{
	static struct output_reader reader;
	char **rest = box->arguments.rest;
	if (!rest[0] || rest[1])
		return fail(0, "usage: sbx %s", verb_rows[ROW_LOGS].synopsis);
	TRY(boxes_any(box->arena, rest[0], &reader.record));
	TRY(reader.file = boxes_output(&reader.record, rest[0]));
	reader.raw = box->invocation.raw == TOGGLE_YES;
	const struct invocation *asked = &box->invocation;
	uint64_t since =
		asked->since > 0 ? ring_since(reader.file, wall_now() - (int64_t)asked->since) : 0;
	reader.offset = asked->offset > since ? asked->offset : since;
	if (asked->tail < UINT64_MAX)
		TRY(move_to_tail(&reader, asked->tail));
	return box->invocation.json == TOGGLE_YES
		       ? print_json(&reader)
		       : print(&reader, box->invocation.follow == TOGGLE_YES);
}

int verb_logs(char **words)
{
	struct box *box = box_new();
	box->invocation.tail = UINT64_MAX;
	if (box_read(box, VERB_LOGS, words) < 0 || show_output(box) < 0)
		return box_failed();
	return STATUS_OK;
}
