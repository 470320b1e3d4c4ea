// Owns the search for secrets in what a server answers.
#include "open/swap.h"

#include <string.h>

// Whether one begins at the first byte; `ret_begun`: it may, and the end is not there yet.
static const struct needle *find(const struct needle *needles, unsigned count, const char *at,
				 size_t left, bool *ret_begun)
{
	*ret_begun = false;
	for (unsigned i = 0; i < count; i++) {
		size_t size = needles[i].length < left ? needles[i].length : left;
		if (needles[i].from[0] != *at || memcmp(needles[i].from, at, size) != 0)
			continue;
		*ret_begun = size < needles[i].length;
		return &needles[i];
	}
	return NULL;
}

size_t scrub(const struct needle *needles, unsigned count, char *bytes, size_t length, bool last)
{
	size_t at = 0;
	bool first[256] = { false }, begun;
	for (unsigned i = 0; i < count; i++)
		first[(unsigned char)needles[i].from[0]] = true;
	while (at < length) {
		if (!first[(unsigned char)bytes[at]]) {
			at++;
			continue;
		}
		const struct needle *found = find(needles, count, bytes + at, length - at, &begun);
		if (found && begun && !last)
			return at;
		// At the very end a shorter one may still be whole.
		for (unsigned i = 0; found && begun && i < count; i++) {
			size_t size = needles[i].length;
			if (size <= length - at && memcmp(needles[i].from, bytes + at, size) == 0) {
				found = &needles[i];
				begun = false;
			}
		}
		if (!found || begun) {
			at++;
			continue;
		}
		memcpy(bytes + at, found->to, found->length);
		at += found->length;
	}
	return length;
}
