// Owns the search for secrets, and for the request's user and password (Basic), in a server's
// answers.
#include "secrets/dialogue/dialogue.h"

#include <string.h>

enum { STEP = 8 };

enum found { FOUND_NOT, FOUND_BEGUN, FOUND };

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

// Replaces the needle at `at`, but waits if a longer one has begun, unless `last`.
static enum found replace(const struct scrubber *scrubber, char *at, size_t left, bool last,
			  size_t *ret_length)
{
	enum found found = replace_whole(&scrubber->whole, at, left, ret_length);
	for (unsigned i = 0; i < scrubber->count; i++) {
		if (found == FOUND || (found == FOUND_BEGUN && !last))
			return found;
		found = replace_whole(&scrubber->needles[i], at, left, ret_length);
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
	for (size_t at = 0, known = 0, size; at < length;) {
		size_t pair = at + STEP < length ? STEP : known;
		while (pair > known && has_pair(scrubber, bytes + at + pair - 1))
			pair--;
		if (pair > known) {
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

static void add_needle(struct scrubber *scrubber, const struct needle *needle)
{
	size_t length = needle->length < STEP + 1 ? needle->length : STEP + 1;
	if (length > 0)
		scrubber->first[(unsigned char)needle->from[0]] = true;
	for (size_t i = 0; i + 1 < length; i++) {
		unsigned pair = (unsigned char)needle->from[i] |
				(unsigned)(unsigned char)needle->from[i + 1] << 8;
		scrubber->pairs[pair >> 3] |= (uint8_t)(1U << (pair & 7));
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
		add_needle(scrubber, &scrubber->needles[at]);
	}
}

void scrub_whole(struct scrubber *scrubber, const struct needle *needle)
{
	scrubber->whole = *needle;
	add_needle(scrubber, needle);
}
