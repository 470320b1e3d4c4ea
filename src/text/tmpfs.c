// Owns the form of a tmpfs in profiles and flags.
#include "text/words.h"

#include <string.h>

#include "base/base.h"

enum { OPTION_BYTES = 32, MODE_MAX = 01777 };

static bool read_mode(const char *digits, unsigned *ret_mode)
{
	unsigned mode = 0;
	size_t length = strspn(digits, "01234567");
	if (length == 0 || length > 5 || digits[length])
		return false;
	for (; *digits; digits++)
		mode = mode << 3 | (unsigned)(*digits - '0');
	*ret_mode = mode;
	return mode > 0 && mode <= MODE_MAX;
}

static bool read_option(const char *text, size_t length, struct tmpfs_words *words)
{
	char option[OPTION_BYTES];
	if (length >= sizeof(option))
		return false;
	memcpy(option, text, length);
	option[length] = '\0';
	if (str_starts(option, "size=") && words->size == 0)
		return units_size(option + strlen("size="), &words->size) && words->size > 0 &&
		       words->size != UNLIMITED;
	return str_starts(option, "mode=") && words->mode == 0 &&
	       read_mode(option + strlen("mode="), &words->mode);
}

bool tmpfs_parse(const char *text, struct tmpfs_words *ret)
{
	const char *colon = strrchr(text, ':');
	struct tmpfs_words words = { .path = strlen(text) };
	if (colon && strchr(colon, '=')) {
		words.path = (size_t)(colon - text);
		for (const char *at = colon + 1;;) {
			size_t length = strcspn(at, ",");
			if (!read_option(at, length, &words))
				return false;
			if (at[length] == '\0')
				break;
			at += length + 1;
		}
	}
	*ret = words;
	return words.path > 0;
}
