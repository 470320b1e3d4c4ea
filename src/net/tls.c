// Owns the reading of a ClientHello over any number of records and reads.
#include "net/tls.h"

#include <string.h>

const uint8_t tls_denied[7] = { 0x15, 3, 3, 0, 2, 2, 49 };

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static unsigned take_number(struct cursor *cursor, unsigned bytes)
{
	unsigned number = 0;
	if (cursor->end - cursor->at < (ptrdiff_t)bytes) {
		cursor->bad = true;
		return 0;
	}
	while (bytes-- > 0)
		number = number << 8 | *cursor->at++;
	return number;
}

// The next `length` bytes as a cursor of their own.
static struct cursor take_part(struct cursor *cursor, unsigned length)
{
	struct cursor part = *cursor;
	if (cursor->bad || cursor->end - cursor->at < (ptrdiff_t)length) {
		cursor->bad = part.bad = true;
		part.end = part.at;
		return part;
	}
	part.end = cursor->at + length;
	cursor->at += length;
	return part;
}

// Joins the payload of whole records until the handshake message is complete.
static enum parse join_records(const uint8_t *bytes, size_t length, uint8_t *hello,
			       size_t *ret_size)
{
	enum { RECORD_HEADER = 5, RECORD_MOST = 16384 + 256, TYPE_CLIENT_HELLO = 1 };
	size_t used = 0;
	for (size_t at = 0; at < length;) {
		if (bytes[at] != TLS_HANDSHAKE || (length - at > 1 && bytes[at + 1] != 3))
			return PARSE_BAD;
		if (length - at < RECORD_HEADER)
			return PARSE_MORE;
		size_t record = (size_t)bytes[at + 3] << 8 | bytes[at + 4];
		if (record == 0 || record > RECORD_MOST)
			return PARSE_BAD;
		size_t there = length - at - RECORD_HEADER;
		size_t part = record < there ? record : there;
		if (used + part > TLS_HELLO_MOST)
			return PARSE_BAD;
		memcpy(hello + used, bytes + at + RECORD_HEADER, part);
		used += part;
		at += RECORD_HEADER + part;
		if (used >= 1 && hello[0] != TYPE_CLIENT_HELLO)
			return PARSE_BAD;
		if (used >= 4) {
			size_t size = (size_t)hello[1] << 16 | (size_t)hello[2] << 8 | hello[3];
			if (size + 4 > TLS_HELLO_MOST)
				return PARSE_BAD;
			*ret_size = size + 4;
			if (used >= size + 4)
				return PARSE_DONE;
		}
	}
	return PARSE_MORE;
}

static enum parse read_name(struct cursor names, bool *ret_named, struct host *ret_host)
{
	enum { TYPE_HOST = 0 };
	struct cursor list = take_part(&names, take_number(&names, 2));
	unsigned type = take_number(&list, 1), length = take_number(&list, 2);
	struct cursor name = take_part(&list, length);
	// One name: the list of RFC 6066 was never used for more.
	if (names.bad || list.bad || name.bad || type != TYPE_HOST || list.at != list.end)
		return PARSE_BAD;
	if (!host_parse((const char *)name.at, (size_t)(name.end - name.at), ret_host))
		return PARSE_BAD;
	*ret_named = true;
	return PARSE_DONE;
}

static enum parse read_extensions(struct cursor all, bool *ret_named, struct host *ret_host)
{
	enum { EXTENSION_SERVER_NAME = 0 };
	while (all.at < all.end) {
		unsigned type = take_number(&all, 2), length = take_number(&all, 2);
		struct cursor body = take_part(&all, length);
		if (all.bad || body.bad || (type == EXTENSION_SERVER_NAME && *ret_named))
			return PARSE_BAD;
		if (type == EXTENSION_SERVER_NAME &&
		    read_name(body, ret_named, ret_host) == PARSE_BAD)
			return PARSE_BAD;
	}
	return PARSE_DONE;
}

enum parse tls_hello(const uint8_t *bytes, size_t length, bool *ret_named, struct host *ret_host)
{
	enum { VERSION_AND_RANDOM = 2 + 32 };
	uint8_t hello[TLS_HELLO_MOST];
	size_t size = 0;
	*ret_named = false;
	enum parse joined = join_records(bytes, length, hello, &size);
	if (joined != PARSE_DONE)
		return joined;
	struct cursor cursor = { hello + 4, hello + size, false };
	take_part(&cursor, VERSION_AND_RANDOM);
	take_part(&cursor, take_number(&cursor, 1)); // session id
	take_part(&cursor, take_number(&cursor, 2)); // cipher suites
	take_part(&cursor, take_number(&cursor, 1)); // compression methods
	if (cursor.bad)
		return PARSE_BAD;
	if (cursor.at == cursor.end)
		return PARSE_DONE;
	struct cursor extensions = take_part(&cursor, take_number(&cursor, 2));
	if (cursor.bad || cursor.at != cursor.end)
		return PARSE_BAD;
	return read_extensions(extensions, ret_named, ret_host);
}
