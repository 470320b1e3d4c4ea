// Owns the search for secrets in what a server answers.
#include "open/dialogue.h"

#include <string.h>

// The second one of two that may stand where a needle begins lies within its first STEP + 1 bytes.
enum { STEP = 8, UNIT_BYTES = 12 };

enum coding { ESCAPED, HEXADECIMAL, BASE64, BASE64_BEHIND_ONE, BASE64_BEHIND_TWO, CODINGS };

enum found { FOUND_NOT, FOUND_BEGUN, FOUND };

// How a character may be written: digits of its number between two texts.
static const struct escape {
	char begin[4];
	unsigned base, least, most; // digits
	bool ends;                  // with a semicolon
} escapes[] = {
	{ "%", 16, 2, 2, false }, { "\\u", 16, 4, 4, false }, { "\\x", 16, 2, 2, false },
	{ "=", 16, 2, 2, false }, { "&#x", 16, 1, 6, true },  { "&#X", 16, 1, 6, true },
	{ "&#", 10, 1, 6, true },
};
enum { ESCAPES = sizeof(escapes) / sizeof(*escapes) };

// What may stand between two characters: the other half of UTF-16, and ends of lines, also in JSON.
static const struct gap {
	char text[5];
	unsigned char length;
	bool plain; // in each coding
	bool pairs; // between two digits of hexadecimal alone
} gaps[] = {
	{ "\0", 1, true, false },      { "=\r\n", 3, true, false }, { "=\n", 2, true, false },
	{ "\r\n", 2, false, false },   { "\n", 1, false, false },   { "\\n", 2, false, false },
	{ "\\r\\n", 4, false, false }, { " ", 1, false, true },     { ":", 1, false, true },
	{ "-", 1, false, true },
};
enum { GAPS = sizeof(gaps) / sizeof(*gaps) };

// One character as it stands there.
struct written {
	size_t length, digits; // 0 digits: its last byte is the character
	unsigned base;
	bool upper, ends;
};

static bool may_be_in(const struct gap *gap, enum coding coding)
{
	return gap->plain || (coding != ESCAPED && (!gap->pairs || coding == HEXADECIMAL));
}

static size_t count_of(enum coding coding, size_t length)
{
	size_t behind = coding < BASE64 ? 0 : (size_t)(coding - BASE64);
	if (coding == ESCAPED)
		return length;
	// Of base64 those characters that no other byte is a part of.
	return coding == HEXADECIMAL ? length * 2
				     : 8 * (behind + length) / 6 - (8 * behind + 5) / 6;
}

// Character `i` of what a coding makes of the bytes; `form`: 1 where it has another one, too.
static char character(enum coding coding, const struct needle *needle, const char *bytes, size_t i,
		      unsigned form)
{
	static const char digits[2][17] = { "0123456789abcdef", "0123456789ABCDEF" };
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	if (coding == ESCAPED)
		return bytes[i];
	if (coding == HEXADECIMAL)
		return digits[form][(unsigned char)bytes[i / 2] >> (i % 2 ? 0 : 4) & 15];
	size_t behind = 8 * (size_t)(coding - BASE64), bit = ((behind + 5) / 6 + i) * 6 - behind;
	size_t at = bit / 8;
	unsigned two = (unsigned)(unsigned char)bytes[at] << 8;
	if (at + 1 < needle->length)
		two |= (unsigned char)bytes[at + 1];
	unsigned six = two >> (10 - bit % 8) & 63;
	return six < 62 ? letters[six] : form ? "-_"[six - 62] : "+/"[six - 62];
}

static unsigned digit_of(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
	       : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
				      : 16;
}

static enum found read_escape(const struct escape *escape, const char *at, size_t left, char wanted,
			      struct written *ret)
{
	size_t begin = strlen(escape->begin), size = begin < left ? begin : left;
	unsigned number = 0;
	if (memcmp(at, escape->begin, size) != 0)
		return FOUND_NOT;
	struct written unit = { .base = escape->base, .ends = escape->ends, .upper = *at == '%' };
	for (size = begin; size < left && unit.digits < escape->most; size++, unit.digits++) {
		unsigned digit = digit_of(at[size]);
		if (digit >= escape->base)
			break;
		unit.upper |= at[size] >= 'A' && at[size] <= 'F';
		number = number * escape->base + digit;
	}
	if (size >= left && (unit.digits < escape->most || escape->ends))
		return FOUND_BEGUN;
	if (unit.digits < escape->least || number != (unsigned char)wanted ||
	    (escape->ends && at[size] != ';'))
		return FOUND_NOT;
	unit.length = size + escape->ends;
	*ret = unit;
	return FOUND;
}

static bool is_sign(char c)
{
	return !((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'));
}

// Letters and digits of hexadecimal and base64 need no other form anywhere.
static bool is_escaped(enum coding coding, char c)
{
	return coding == ESCAPED || is_sign(c);
}

static enum found read_unit(enum coding coding, const char *at, size_t left, char wanted,
			    struct written *ret)
{
	bool begun = left == 0;
	for (unsigned i = 0; left > 0 && is_escaped(coding, wanted) && i < ESCAPES; i++) {
		if (*at != escapes[i].begin[0])
			continue;
		enum found found = read_escape(&escapes[i], at, left, wanted, ret);
		if (found == FOUND)
			return found;
		begun |= found == FOUND_BEGUN;
	}
	if (begun)
		return FOUND_BEGUN;
	size_t length = left > 1 && at[0] == '\\' && at[1] == wanted && is_sign(wanted) ? 2 : 1;
	if (length == 1 && *at != wanted)
		return FOUND_NOT;
	*ret = (struct written){ .length = length };
	return FOUND;
}

// Bytes of the gap that stands there; more than `left`: its end is not there yet.
static size_t gap_length(enum coding coding, const char *at, size_t left)
{
	for (unsigned i = 0; left > 0 && i < GAPS; i++) {
		size_t size = gaps[i].length < left ? gaps[i].length : left;
		if (*at == gaps[i].text[0] && may_be_in(&gaps[i], coding) &&
		    memcmp(at, gaps[i].text, size) == 0)
			return gaps[i].length;
	}
	return 0;
}

static void write_unit(char *at, const struct written *unit, char c)
{
	unsigned number = (unsigned char)c;
	if (!unit->digits) {
		at[unit->length - 1] = c;
		return;
	}
	if (unit->base == 10 && unit->digits == 2 && number > 99)
		number = '0';
	char *next = at + unit->length - unit->ends;
	for (size_t i = 0; i < unit->digits; i++, number /= unit->base)
		*--next = (unit->upper ? "0123456789ABCDEF"
				       : "0123456789abcdef")[number % unit->base];
}

// Whether the needle begins at the first byte; with `to`: and these instead, in the same form.
static enum found pass(const struct needle *needle, enum coding coding, char *at, size_t left,
		       const char *to, size_t *ret_length)
{
	size_t used = 0, count = count_of(coding, needle->length);
	for (size_t i = 0; i < count; i++) {
		struct written unit;
		unsigned form = 0;
		enum found found = FOUND_NOT;
		used += i > 0 ? gap_length(coding, at + used, left - used) : 0;
		if (used > left)
			return FOUND_BEGUN;
		for (; form < 2 && found == FOUND_NOT; form++)
			found = read_unit(coding, at + used, left - used,
					  character(coding, needle, needle->from, i, form), &unit);
		if (found != FOUND)
			return found;
		if (to)
			write_unit(at + used, &unit, character(coding, needle, to, i, form - 1));
		used += unit.length;
	}
	*ret_length = used;
	return FOUND;
}

static enum found replace_whole(const struct needle *needle, char *at, size_t left,
				size_t *ret_length)
{
	size_t size = needle->length < left ? needle->length : left;
	if (size == 0 || memcmp(needle->from, at, size) != 0)
		return FOUND_NOT;
	if (size < needle->length)
		return FOUND_BEGUN;
	memcpy(at, needle->to, size);
	*ret_length = size;
	return FOUND;
}

// At the first byte. With `last` an incomplete needle is none: a shorter one may be complete.
static enum found replace(const struct scrubber *scrubber, char *at, size_t left, bool last,
			  size_t *ret_length)
{
	enum found found = replace_whole(&scrubber->whole, at, left, ret_length);
	for (unsigned i = 0; i < scrubber->count; i++) {
		const struct needle *needle = &scrubber->needles[i];
		if (found == FOUND || (found == FOUND_BEGUN && !last))
			return found;
		found = replace_whole(needle, at, left, ret_length);
		for (int coding = ESCAPED; coding < CODINGS; coding++) {
			if (found == FOUND || (found == FOUND_BEGUN && !last))
				return found;
			found = pass(needle, (enum coding)coding, at, left, NULL, ret_length);
			if (found == FOUND)
				pass(needle, (enum coding)coding, at, left, needle->to, ret_length);
		}
	}
	return found == FOUND_BEGUN && last ? FOUND_NOT : found;
}

static bool has_pair(const struct scrubber *scrubber, const char *at)
{
	unsigned pair = (unsigned char)at[0] | (unsigned)(unsigned char)at[1] << 8;
	return scrubber->pairs[pair >> 3] >> (pair & 7) & 1;
}

size_t scrub(const struct scrubber *scrubber, char *bytes, size_t length, bool last)
{
	// `known`: so many pairs from `at` on are in some needle.
	for (size_t at = 0, known = 0, size; at < length;) {
		size_t pair = at + STEP < length ? STEP : known;
		while (pair > known && has_pair(scrubber, bytes + at + pair - 1))
			pair--;
		if (pair > known) { // none begins before this pair
			known = STEP - pair;
			at += pair;
			continue;
		}
		while (at + STEP + 1 < length && !scrubber->first[(unsigned char)bytes[at]] &&
		       has_pair(scrubber, bytes + at + STEP))
			at++;
		enum found found = FOUND_NOT;
		if (scrubber->first[(unsigned char)bytes[at]])
			found = replace(scrubber, bytes + at, length - at, last, &size);
		if (found == FOUND_BEGUN)
			return at;
		at += found == FOUND ? size : 1;
		known = found == FOUND ? 0 : STEP - 1;
	}
	return length;
}

// --- the tables ----------------------------------------------------------------------------------

// Bytes as a set.
struct bytes {
	char list[64];
	unsigned count;
};

static void add_byte(struct bytes *bytes, char byte)
{
	if (!memchr(bytes->list, byte, bytes->count) && bytes->count < sizeof(bytes->list))
		bytes->list[bytes->count++] = byte;
}

static void add_pair(struct scrubber *scrubber, char left, char right)
{
	unsigned pair = (unsigned char)left | (unsigned)(unsigned char)right << 8;
	scrubber->pairs[pair >> 3] |= (uint8_t)(1U << (pair & 7));
}

static void add_pairs(struct scrubber *scrubber, const char *text, size_t length)
{
	for (size_t i = 0; i + 1 < length; i++)
		add_pair(scrubber, text[i], text[i + 1]);
}

static void add_unit(struct scrubber *scrubber, const char *text, size_t length,
		     struct bytes *firsts, struct bytes *lasts)
{
	add_pairs(scrubber, text, length);
	add_byte(firsts, text[0]);
	add_byte(lasts, text[length - 1]);
}

// Every way to write a character. More zeros before a number make no other pairs than two do.
static void add_character(struct scrubber *scrubber, enum coding coding, char c,
			  struct bytes *firsts, struct bytes *lasts)
{
	const char sign[] = { '\\', c };
	add_unit(scrubber, &c, 1, firsts, lasts);
	if (is_sign(c))
		add_unit(scrubber, sign, sizeof(sign), firsts, lasts);
	for (unsigned i = 0; is_escaped(coding, c) && i < ESCAPES * 2; i++) {
		const struct escape *escape = &escapes[i / 2];
		char text[UNIT_BYTES];
		size_t begin = strlen(escape->begin);
		unsigned least = (unsigned char)c > 99 && escape->base == 10 ? 3 : 2;
		unsigned most = least + 2 < escape->most ? least + 2 : escape->most;
		memcpy(text, escape->begin, begin);
		for (unsigned digits = escape->least > least ? escape->least : least;
		     digits <= most; digits++) {
			struct written unit = { .length = begin + digits + escape->ends,
						.digits = digits,
						.base = escape->base,
						.upper = i % 2,
						.ends = escape->ends };
			text[unit.length - 1] = ';';
			write_unit(text, &unit, c);
			add_unit(scrubber, text, unit.length, firsts, lasts);
		}
	}
}

static void add_coding(struct scrubber *scrubber, const struct needle *needle, enum coding coding)
{
	struct bytes before = { 0 };
	for (size_t i = 0; i <= STEP && i < count_of(coding, needle->length); i++) {
		struct bytes firsts = { 0 }, lasts = { 0 };
		for (unsigned form = 0; form < 2; form++)
			add_character(scrubber, coding,
				      character(coding, needle, needle->from, i, form), &firsts,
				      &lasts);
		for (unsigned j = 0; i == 0 && j < firsts.count; j++)
			scrubber->first[(unsigned char)firsts.list[j]] = true;
		for (unsigned g = 0; g < GAPS; g++) {
			const struct gap *gap = &gaps[g];
			if (!may_be_in(gap, coding))
				continue;
			add_pairs(scrubber, gap->text, gap->length);
			for (unsigned j = 0; j < before.count; j++)
				add_pair(scrubber, before.list[j], gap->text[0]);
			for (unsigned j = 0; j < firsts.count; j++)
				add_pair(scrubber, gap->text[gap->length - 1], firsts.list[j]);
		}
		for (unsigned j = 0; j < before.count; j++)
			for (unsigned k = 0; k < firsts.count; k++)
				add_pair(scrubber, before.list[j], firsts.list[k]);
		before = lasts;
	}
}

void scrub_begin(struct scrubber *scrubber, const struct keyring *ring)
{
	memset(scrubber, 0, sizeof(*scrubber));
	for (unsigned i = 0; i < ring->count; i++) {
		const struct secret *secret = &ring->secrets[i];
		unsigned at = scrubber->count++;
		for (; at > 0 && scrubber->needles[at - 1].length < secret->length; at--)
			scrubber->needles[at] = scrubber->needles[at - 1];
		scrubber->needles[at] =
			(struct needle){ secret->value, secret->placeholder, secret->length };
		for (int coding = ESCAPED; coding < CODINGS; coding++)
			add_coding(scrubber, &scrubber->needles[at], (enum coding)coding);
	}
}

void scrub_whole(struct scrubber *scrubber, const struct needle *needle)
{
	size_t length = needle->length < STEP + 1 ? needle->length : STEP + 1;
	scrubber->whole = *needle;
	if (length)
		scrubber->first[(unsigned char)needle->from[0]] = true;
	add_pairs(scrubber, needle->from, length);
}
