// Owns the comparison of one line with the profile that holds.
#include "policy/merge.h"

#include <stdint.h>
#include <string.h>

#include "policy/keys.h"
#include "profile.h"

bool tighten_is(const struct key *key, const char *text, const struct profile *alone,
		const struct profile *profile)
{
	const char *now = (const char *)profile + key->offset;
	const char *then = (const char *)alone + key->offset;
	uint64_t limit_now, limit_then;
	unsigned word_now, word_then;
	switch (key->tightens) {
	case TIGHTENS_NEVER:
		return false;
	case TIGHTENS_ALWAYS:
		return key->kind != KEY_LIST || text[0] != '\0'; // "" would empty the list
	case TIGHTENS_LESS:
	case TIGHTENS_MORE:
		break;
	}
	if (key->kind == KEY_WORD) {
		memcpy(&word_now, now, sizeof(word_now));
		memcpy(&word_then, then, sizeof(word_then));
		return key->tightens == TIGHTENS_LESS ? word_then <= word_now
						      : word_then >= word_now;
	}
	memcpy(&limit_now, now, sizeof(limit_now));
	memcpy(&limit_then, then, sizeof(limit_then));
	// What was strict must not become a wish.
	bool strict = limit_now != UNLIMITED && (alone->limits.soft & ~profile->limits.soft);
	return limit_then <= limit_now && !strict;
}
