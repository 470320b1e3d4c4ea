// Owns the reading of TLS records and hellos. A ClientHello may come in many records and reads.
#include "net/parse/parse.h"

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

enum parse tls_record(const uint8_t *bytes, size_t length, uint8_t *ret_type, size_t *ret_size)
{
	// Go's servers check only the first four bits of a record's version.
	enum { RECORD_MAX = 16384 + 256, VERSION_MASK = 0xf0 };
	if (length > 0 && (bytes[0] < TLS_CHANGE_CIPHER || bytes[0] > TLS_DATA))
		return PARSE_BAD;
	if (length > 1 && (bytes[1] & VERSION_MASK))
		return PARSE_BAD;
	if (length < TLS_RECORD_HEADER)
		return PARSE_MORE;
	size_t size = (size_t)bytes[3] << 8 | bytes[4];
	if (size > RECORD_MAX)
		return PARSE_BAD;
	*ret_type = bytes[0];
	*ret_size = TLS_RECORD_HEADER + size;
	return PARSE_DONE;
}

struct tls_message {
	uint8_t bytes[TLS_HELLO_MAX];
	size_t there, size;
	size_t used;
	size_t next;
	bool shared;
	bool many;
	bool mixed; // has records of other types, which some servers skip
};

// Checks type, size, session id, ciphers, and that "none" is a compression. *ret_next: bytes needed
// for a decision.
static enum parse looks_like_hello(const struct tls_message *message, size_t *ret_next)
{
	enum {
		TYPE_CLIENT_HELLO = 1,
		HELLO_BYTES_MAX = 131396,
		RANDOM_END = 4 + 2 + 32,
		SESSION_MAX = 32
	};
	const uint8_t *bytes = message->bytes;
	size_t there = message->there, at = RANDOM_END;
	if ((there > 0 && bytes[0] != TYPE_CLIENT_HELLO) || message->size > HELLO_BYTES_MAX)
		return PARSE_BAD;
	*ret_next = there == 0 ? 1 : there < 4 ? 4 : at + 1;
	if (there <= at)
		return message->size && message->size <= at ? PARSE_BAD : PARSE_MORE;
	if (bytes[at] > SESSION_MAX)
		return PARSE_BAD;
	at += 1 + (size_t)bytes[at];
	*ret_next = at + 2;
	if (there < at + 2)
		return PARSE_MORE;
	size_t ciphers = (size_t)bytes[at] << 8 | bytes[at + 1];
	at += 2 + ciphers;
	if (ciphers == 0 || ciphers % 2 || at >= message->size)
		return PARSE_BAD;
	*ret_next = at + 1;
	if (there <= at)
		return PARSE_MORE;
	size_t methods = bytes[at++];
	if (at + methods > message->size)
		return PARSE_BAD;
	*ret_next = at + methods;
	if (there < at + methods)
		return PARSE_MORE;
	return memchr(bytes + at, 0, methods) ? PARSE_DONE : PARSE_BAD;
}

static void add_payload(struct tls_message *message, const uint8_t *bytes, size_t length)
{
	enum { HEADER = 4 };
	size_t room = TLS_HELLO_MAX - message->there;
	size_t part = length < room ? length : room;
	memcpy(message->bytes + message->there, bytes, part);
	message->there += part;
	if (message->there >= HEADER)
		message->size = HEADER + ((size_t)message->bytes[1] << 16 |
					  (size_t)message->bytes[2] << 8 | message->bytes[3]);
}

// PARSE_BAD beyond RECORDS_MAX: no client splits a hello into more records.
static enum parse join_records(const uint8_t *bytes, size_t length, struct tls_message *message)
{
	enum { RECORDS_MAX = 64 };
	size_t record = 0;
	uint8_t type = 0;
	unsigned count = 0;
	for (size_t at = 0; at < length;) {
		enum parse header = tls_record(bytes + at, length - at, &type, &record);
		if (header == PARSE_BAD || bytes[0] != TLS_HANDSHAKE)
			return PARSE_BAD;
		if (header == PARSE_MORE)
			return PARSE_MORE;
		message->many = count++ == RECORDS_MAX;
		if (message->many)
			return PARSE_BAD;
		message->next = at + record;
		size_t there = length - at < record ? length - at : record;
		if (type != TLS_HANDSHAKE) {
			message->mixed = true;
			at += there;
			continue;
		}
		add_payload(message, bytes + at + TLS_RECORD_HEADER, there - TLS_RECORD_HEADER);
		at += there;
		message->used = at;
		bool whole = message->size && message->there >= message->size;
		message->shared = whole && (message->there > message->size || there < record);
		if (whole || message->there == TLS_HELLO_MAX)
			return PARSE_DONE;
	}
	return PARSE_MORE;
}

static enum parse read_name(struct cursor names, struct tls_hello *ret)
{
	enum { TYPE_HOST = 0 };
	struct cursor list = take_part(&names, take_number(&names, 2));
	unsigned type = take_number(&list, 1), length = take_number(&list, 2);
	struct cursor name = take_part(&list, length);
	// RFC 6066 allows a list of names, but no client sends more than one.
	if (names.bad || list.bad || name.bad || type != TYPE_HOST || list.at != list.end ||
	    names.at != names.end)
		return PARSE_BAD;
	// RFC 6066 3: a name has no final dot.
	if (name.at == name.end || name.end[-1] == '.' ||
	    !host_parse((const char *)name.at, (size_t)(name.end - name.at), &ret->host))
		return PARSE_BAD;
	ret->named = true;
	return PARSE_DONE;
}

static enum parse read_extensions(struct cursor all, struct tls_hello *ret)
{
	enum {
		EXTENSION_SERVER_NAME = 0,
		EXTENSION_ENCRYPTED_HELLO = 0xfe0d, // RFC 9849
		EXTENSION_ENCRYPTED_NAME = 0xffce   // drafts before 2020
	};
	while (all.at < all.end) {
		unsigned type = take_number(&all, 2), length = take_number(&all, 2);
		struct cursor body = take_part(&all, length);
		if (all.bad || body.bad || (type == EXTENSION_SERVER_NAME && ret->named))
			return PARSE_BAD;
		if (type == EXTENSION_SERVER_NAME && read_name(body, ret) == PARSE_BAD)
			return PARSE_BAD;
		if (type == EXTENSION_ENCRYPTED_HELLO || type == EXTENSION_ENCRYPTED_NAME)
			ret->encrypted = true;
	}
	return PARSE_DONE;
}

// Sets `shaped` if all lengths fit.
static enum parse read_hello(const struct tls_message *message, struct tls_hello *ret)
{
	enum { HEADER = 4, VERSION_AND_RANDOM = 2 + 32 };
	struct cursor cursor = { message->bytes + HEADER, message->bytes + message->size, false };
	take_part(&cursor, VERSION_AND_RANDOM);
	take_part(&cursor, take_number(&cursor, 1));
	take_part(&cursor, take_number(&cursor, 2));
	take_part(&cursor, take_number(&cursor, 1));
	if (cursor.bad)
		return PARSE_BAD;
	ret->shaped = cursor.at == cursor.end;
	if (ret->shaped)
		return PARSE_DONE;
	struct cursor extensions = take_part(&cursor, take_number(&cursor, 2));
	if (cursor.bad || cursor.at != cursor.end)
		return PARSE_BAD;
	ret->shaped = true;
	return read_extensions(extensions, ret);
}

enum parse tls_hello(const uint8_t *bytes, size_t length, struct tls_hello *ret)
{
	struct tls_message message __attribute__((uninitialized));
	message.there = message.size = message.used = message.next = 0;
	message.shared = message.mixed = message.many = false;
	*ret = (struct tls_hello){ 0 };
	enum parse joined = join_records(bytes, length, &message);
	size_t next = 0;
	enum parse look = looks_like_hello(&message, &next);
	if (look == PARSE_BAD)
		return PARSE_BAD;
	if (message.size > TLS_HELLO_MAX && (look == PARSE_DONE || joined == PARSE_DONE)) {
		ret->shaped = true;
		return PARSE_BAD;
	}
	if (joined != PARSE_DONE) {
		ret->shaped = joined == PARSE_BAD && (look == PARSE_DONE || message.many);
		size_t most =
			message.size && message.size < TLS_HELLO_MAX ? message.size : TLS_HELLO_MAX;
		next = look == PARSE_MORE && next < most ? next : most;
		ret->used = message.next > length ? message.next : length + 1;
		if (next - message.there < ret->used - length)
			ret->used = length + next - message.there;
		return joined;
	}
	ret->used = message.used;
	enum parse result = read_hello(&message, ret);
	return message.shared || message.mixed ? PARSE_BAD : result;
}

enum parse tls_answer(const uint8_t *bytes, size_t length, bool *ret_retry)
{
	// RFC 8446 4.1.3: SHA-256 of "HelloRetryRequest" replaces the random bytes.
	static const uint8_t retry[32] = { 0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11,
					   0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
					   0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e,
					   0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c };
	enum { TYPE_SERVER_HELLO = 2, RANDOM_AT = TLS_RECORD_HEADER + 4 + 2 };
	uint8_t type = 0;
	size_t size = 0;
	enum parse record = tls_record(bytes, length, &type, &size);
	if (record != PARSE_DONE)
		return record;
	if (type != TLS_HANDSHAKE || size < RANDOM_AT + sizeof(retry))
		return PARSE_BAD;
	if (length < RANDOM_AT + sizeof(retry))
		return PARSE_MORE;
	if (bytes[TLS_RECORD_HEADER] != TYPE_SERVER_HELLO)
		return PARSE_BAD;
	*ret_retry = memcmp(bytes + RANDOM_AT, retry, sizeof(retry)) == 0;
	return PARSE_DONE;
}
