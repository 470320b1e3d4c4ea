// Owns the walk over a hostile JSON text.
#include "text/json.h"

#include <stdint.h>
#include <string.h>

#include "base/base.h"

struct walker {
	const char *text;
	size_t at, length;
	unsigned depth;
	bool arrays[JSON_WALK_DEPTH_MAX + 1];
	bool (*step)(void *owner, const struct json_step *step);
	void (*close)(void *owner, unsigned depth, size_t end);
	void *owner;
};

static size_t comment_end(const char *text, size_t at)
{
	if (text[at + 1] == '/')
		return at + strcspn(text + at, "\n");
	const char *end = text[at + 1] == '*' ? strstr(text + at + 2, "*/") : NULL;
	return end ? (size_t)(end - text) + 2 : at;
}

size_t json_blanks(const char *text, size_t at, bool comments)
{
	for (;;) {
		at += strspn(text + at, " \t\n\r");
		size_t end = comments && text[at] == '/' ? comment_end(text, at) : at;
		if (end == at)
			return at;
		at = end;
	}
}

static void skip_blanks(struct walker *walker)
{
	walker->at = json_blanks(walker->text, walker->at, walker->close != NULL);
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static int hex_digit(char byte)
{
	if (is_digit(byte))
		return byte - '0';
	byte |= ' ';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static size_t escape_length(const char *at)
{
	if (*at && strchr("\"\\/bfnrt", *at))
		return 1;
	for (int i = 1; *at == 'u' && i <= 4; i++)
		if (hex_digit(at[i]) < 0)
			return 0;
	return *at == 'u' ? 5 : 0;
}

static bool read_string(struct walker *walker, size_t *ret_start, size_t *ret_end)
{
	const char *text = walker->text;
	if (text[walker->at] != '"')
		return false;
	size_t at = walker->at + 1;
	*ret_start = at;
	while (text[at] != '"') {
		unsigned char byte = (unsigned char)text[at];
		size_t length = byte < ' '                     ? 0
				: byte == '\\'                 ? escape_length(text + at + 1)
				: byte < 0x80 || walker->close ? 1
							       : str_sequence(text + at);
		walker->at = at;
		if (length == 0)
			return false;
		at += length + (byte == '\\');
	}
	*ret_end = at;
	walker->at = at + 1;
	return true;
}

static size_t digits(const char *at)
{
	size_t count = 0;
	while (is_digit(at[count]))
		count++;
	return count;
}

static size_t number_length(const char *begin)
{
	const char *at = begin + (*begin == '-');
	size_t count = digits(at);
	if (count == 0 || (at[0] == '0' && count > 1))
		return 0;
	at += count;
	if (*at == '.') {
		if ((count = digits(at + 1)) == 0)
			return 0;
		at += 1 + count;
	}
	if (*at == 'e' || *at == 'E') {
		at += 1 + (at[1] == '+' || at[1] == '-');
		if ((count = digits(at)) == 0)
			return 0;
		at += count;
	}
	return (size_t)(at - begin);
}

static size_t word_length(const char *at)
{
	static const char *const words[] = { "true", "false", "null" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(at, words[i], strlen(words[i])) == 0)
			return strlen(words[i]);
	return 0;
}

static bool read_value(struct walker *walker, struct json_step *step)
{
	const char *at = walker->text + walker->at;
	size_t length = 1;
	step->start = walker->at;
	if (*at == '"') {
		step->kind = WALK_STRING;
		return read_string(walker, &step->start, &step->end);
	}
	if (*at == '{' || *at == '[') {
		step->kind = *at == '{' ? WALK_OBJECT : WALK_ARRAY;
	} else if (*at == '-' || is_digit(*at)) {
		step->kind = WALK_NUMBER;
		length = number_length(at);
	} else {
		step->kind = WALK_WORD;
		length = word_length(at);
	}
	walker->at += length;
	step->end = walker->at;
	return length > 0;
}

static bool take_value(struct walker *walker, bool *ret_open)
{
	struct json_step step = { .depth = walker->depth };
	if (walker->depth > 0 && !walker->arrays[walker->depth]) {
		size_t start, end;
		if (!read_string(walker, &start, &end))
			return false;
		step.key = walker->text + start;
		step.key_length = end - start;
		skip_blanks(walker);
		if (walker->text[walker->at++] != ':')
			return false;
		skip_blanks(walker);
	}
	if (!read_value(walker, &step) || !walker->step(walker->owner, &step))
		return false;
	*ret_open = step.kind == WALK_OBJECT || step.kind == WALK_ARRAY;
	if (!*ret_open)
		return true;
	if (++walker->depth > JSON_WALK_DEPTH_MAX)
		return false;
	walker->arrays[walker->depth] = step.kind == WALK_ARRAY;
	return true;
}

static void close_all(struct walker *walker, bool open)
{
	for (skip_blanks(walker); walker->depth > 0; skip_blanks(walker), open = false) {
		size_t at = walker->at;
		if (walker->close && !open && walker->text[at] == ',')
			at = json_blanks(walker->text, at + 1, true);
		if (walker->text[at] != (walker->arrays[walker->depth] ? ']' : '}'))
			return;
		walker->at = at + 1;
		walker->depth--;
		if (walker->close)
			walker->close(walker->owner, walker->depth, walker->at);
	}
}

static bool walk(struct walker *walker)
{
	skip_blanks(walker);
	for (;;) {
		bool open;
		if (!take_value(walker, &open))
			return false;
		unsigned depth = walker->depth;
		close_all(walker, open);
		if (walker->depth == 0)
			return walker->at == walker->length;
		if (open && walker->depth == depth)
			continue;
		if (walker->text[walker->at++] != ',')
			return false;
		skip_blanks(walker);
	}
}

bool json_walk(const char *text, size_t length,
	       bool (*step)(void *owner, const struct json_step *step), void *owner)
{
	struct walker walker = { .text = text, .length = length, .step = step, .owner = owner };
	return walk(&walker);
}

bool json_walk_lax(const char *text, size_t length, size_t *at,
		   bool (*step)(void *owner, const struct json_step *step),
		   void (*close)(void *owner, unsigned depth, size_t end), void *owner)
{
	struct walker walker = { .text = text,
				 .at = *at,
				 .length = length,
				 .step = step,
				 .close = close,
				 .owner = owner };
	bool good = walk(&walker);
	*at = walker.at;
	return good;
}

struct decoded {
	char *to;
	size_t size, used;
};

static void put(struct decoded *decoded, unsigned char byte)
{
	if (decoded->used + 1 < decoded->size)
		decoded->to[decoded->used] = (char)byte;
	decoded->used++;
}

static void put_code(struct decoded *decoded, uint32_t code)
{
	static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	put(decoded, (unsigned char)(first[more] | code >> 6 * more));
	while (more-- > 0)
		put(decoded, (unsigned char)(0x80 | (code >> 6 * more & 0x3f)));
}

static bool read_code(const char *at, size_t left, uint32_t *ret_code)
{
	uint32_t code = 0;
	if (left < 6 || at[0] != '\\' || at[1] != 'u')
		return false;
	for (int i = 2; i < 6; i++)
		code = code << 4 | (uint32_t)(hex_digit(at[i]) & 0xf);
	*ret_code = code;
	return true;
}

static size_t decode_escape(const char *at, size_t left, struct decoded *decoded)
{
	static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	uint32_t code, low;
	if (!read_code(at, left, &code)) {
		const char *found = left > 1 ? strchr(letters, at[1]) : NULL;
		if (found && at[1])
			put(decoded, (unsigned char)bytes[found - letters]);
		return 2;
	}
	if (code >= 0xd800 && code < 0xdc00 && read_code(at + 6, left - 6, &low) && low >= 0xdc00 &&
	    low < 0xe000) {
		put_code(decoded, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
		return 12;
	}
	put_code(decoded, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
	return 6;
}

size_t json_decode(const char *raw, size_t length, char *to, size_t size)
{
	struct decoded decoded = { .to = to, .size = size };
	for (size_t at = 0; at < length;) {
		if (raw[at] == '\\')
			at += decode_escape(raw + at, length - at, &decoded);
		else
			put(&decoded, (unsigned char)raw[at++]);
	}
	if (size > 0)
		to[decoded.used < size ? decoded.used : size - 1] = '\0';
	return decoded.used;
}
