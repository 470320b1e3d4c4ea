// Owns the layout of D-Bus messages: little-endian, fields aligned to their size, structs to 8
// bytes.
#include "limits/group.h"

#include <stdarg.h>
#include <string.h>

enum {
	HEADER = 16,
	FIELD_PATH = 1,
	FIELD_INTERFACE = 2,
	FIELD_MEMBER = 3,
	FIELD_ERROR = 4,
	FIELD_SERIAL = 5,
	FIELD_DESTINATION = 6,
	FIELD_SIGNATURE = 8,
	FIELDS_AT = 12,
	BODY_LENGTH_AT = 4,
	LENGTH_MAX = 1 << 20,
};

static void put(struct bus_message *message, const void *bytes, size_t length)
{
	if (length > sizeof(message->bytes) - message->used) {
		message->full = true;
		return;
	}
	memcpy(message->bytes + message->used, bytes, length);
	message->used += length;
}

static void align(struct bus_message *message, size_t to)
{
	static const uint8_t zeros[8];
	put(message, zeros, (to - message->used % to) % to);
}

static void put_at(struct bus_message *message, size_t at, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		message->bytes[at + (size_t)i] = (uint8_t)(number >> (8 * i));
}

static void put_number(struct bus_message *message, uint64_t number, size_t bytes)
{
	align(message, bytes);
	for (size_t i = 0; i < bytes; i++)
		put(message, &(uint8_t){ (uint8_t)(number >> (8 * i)) }, 1);
}

void bus_put(struct bus_message *message, const char *form, ...)
{
	const char *text;
	va_list values;
	va_start(values, form);
	for (; *form; form++)
		switch (*form) {
		case '(':
			align(message, 8);
			break;
		case 'y':
			put_number(message, va_arg(values, unsigned), 1);
			break;
		case 'u':
			put_number(message, va_arg(values, uint32_t), 4);
			break;
		case 't':
			put_number(message, va_arg(values, uint64_t), 8);
			break;
		case 's':
		case 'g':
			text = va_arg(values, const char *);
			put_number(message, strlen(text), *form == 's' ? 4 : 1);
			put(message, text, strlen(text) + 1);
			break;
		}
	va_end(values);
}

void bus_call(struct bus_message *message, uint32_t serial, const char *destination,
	      const char *path, const char *interface, const char *member, const char *signature)
{
	message->used = 0;
	message->full = false;
	bus_put(message, "yyyyuuu", 'l', 1, 0, 1, 0, serial, 0);
	bus_put(message, "(ygs", FIELD_PATH, "o", path);
	bus_put(message, "(ygs", FIELD_INTERFACE, "s", interface);
	bus_put(message, "(ygs", FIELD_MEMBER, "s", member);
	if (destination)
		bus_put(message, "(ygs", FIELD_DESTINATION, "s", destination);
	if (signature)
		bus_put(message, "(ygg", FIELD_SIGNATURE, "g", signature);
	put_at(message, FIELDS_AT, (uint32_t)(message->used - HEADER));
	align(message, 8);
	put_at(message, BODY_LENGTH_AT, (uint32_t)message->used);
}

static uint32_t get(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

void bus_finish(struct bus_message *message)
{
	uint32_t begin = get(message->bytes + BODY_LENGTH_AT);
	put_at(message, BODY_LENGTH_AT, (uint32_t)message->used - begin);
}

// Begins an array of structs. Its length does not count the padding before the first struct.
size_t bus_open(struct bus_message *message)
{
	bus_put(message, "u", 0);
	size_t at = message->used - 4;
	align(message, 8);
	return at;
}

void bus_close(struct bus_message *message, size_t array)
{
	size_t begin = (array + 4 + 7) / 8 * 8;
	if (!message->full)
		put_at(message, array, (uint32_t)(message->used - begin));
}

static size_t value_length(char type, const uint8_t *bytes, size_t left)
{
	size_t length = 0;
	if (type == 'g' && left >= 1)
		length = 2 + (size_t)bytes[0];
	else if ((type == 's' || type == 'o') && left >= 4 && get(bytes) < LENGTH_MAX)
		length = 5 + (size_t)get(bytes);
	else if (type == 'u' && left >= 4)
		length = 4;
	return length <= left ? length : 0;
}

static void copy_printable(char *into, size_t size, const uint8_t *bytes, size_t length)
{
	length = length < size ? length : size - 1;
	for (size_t i = 0; i < length; i++)
		into[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '?';
	into[length] = '\0';
}

// Reads the fields of a header: (byte, variant) pairs. The variant's type is one letter.
static int read_fields(const uint8_t *bytes, size_t from, size_t end, struct bus_reply *reply)
{
	for (size_t at = from; at < end;) {
		at = (at + 7) / 8 * 8;
		if (at + 4 > end || bytes[at + 1] != 1 || bytes[at + 3] != 0)
			return -1;
		uint8_t field = bytes[at];
		char type = (char)bytes[at + 2];
		at = type == 'g' ? at + 4 : (at + 4 + 3) / 4 * 4;
		size_t length = at < end ? value_length(type, bytes + at, end - at) : 0;
		if (length == 0)
			return -1;
		if (field == FIELD_SERIAL && type == 'u')
			reply->serial = get(bytes + at);
		if (field == FIELD_ERROR && type == 's')
			copy_printable(reply->error, sizeof(reply->error), bytes + at + 4,
				       length - 5);
		at += length;
	}
	return 0;
}

int bus_reply(const uint8_t *bytes, size_t length, struct bus_reply *ret_reply)
{
	struct bus_reply reply = { 0 };
	if (length < HEADER)
		return 0;
	uint32_t body = get(bytes + BODY_LENGTH_AT), fields = get(bytes + FIELDS_AT);
	if (bytes[0] != 'l' || bytes[3] != 1 || body > LENGTH_MAX || fields > LENGTH_MAX)
		return -1;
	size_t end = HEADER + fields;
	reply.used = (end + 7) / 8 * 8 + body;
	if (length < reply.used)
		return 0;
	reply.kind = bytes[1] == BUS_RETURN  ? BUS_RETURN
		     : bytes[1] == BUS_ERROR ? BUS_ERROR
					     : BUS_OTHER;
	if (read_fields(bytes, HEADER, end, &reply) < 0)
		return -1;
	*ret_reply = reply;
	return 1;
}
