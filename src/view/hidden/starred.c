// Owns the search for paths with '*' of profiles/settings.txt.
#include "view/hidden/hide.h"

#include <glob.h>
#include <string.h>

#include "base/base.h"
#include "view/paths/wishes.h"

// Escapes glob(3) characters of the home's path.
static const char *escaped(struct arena *arena, const char *path)
{
	char *text = arena_take(arena, 2 * strlen(path) + 1), *end = text;
	for (; *path; path++) {
		if (strchr("*?[\\", *path))
			*end++ = '\\';
		*end++ = *path;
	}
	*end = '\0';
	return text;
}

int starred_walk(struct wishes *wishes, const char *pattern,
		 int (*found)(struct wishes *wishes, const char *path))
{
	struct arena *scratch = wishes->plan->scratch;
	const char *home = wishes->plan->real_home;
	bool below = str_starts(pattern, "~/");
	glob_t met;
	int result = 0;
	if (!strchr(pattern, '*'))
		return found(wishes, below ? path_below(scratch, home, pattern + 2) : pattern);
	if (below)
		pattern = path_below(scratch, escaped(scratch, home), pattern + 2);
	if (glob(pattern, GLOB_NOSORT | GLOB_PERIOD, NULL, &met) != 0)
		return 0;
	for (size_t i = 0; i < met.gl_pathc && result >= 0; i++)
		if (!strstr(met.gl_pathv[i], "/./") && !strstr(met.gl_pathv[i], "/../"))
			result = found(wishes, arena_copy(scratch, met.gl_pathv[i],
							  strlen(met.gl_pathv[i])));
	globfree(&met);
	return result;
}
