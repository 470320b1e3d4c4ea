// Owns the look for that file's name.
#include "agent/agents.h"

#include <ctype.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"

const char *handback_path(struct arena *arena, const char *string)
{
	static const char ending[] = " && pwd -P >| ", first[] = "claude-", last[] = "-cwd";
	const char *found = NULL;
	for (const char *at = strstr(string, ending); at; at = strstr(at + 1, ending))
		found = at + strlen(ending);
	if (!found || found[0] != '/')
		return NULL;
	for (const char *at = found; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("/._-", *at))
			return NULL;
	const char *name = path_name(found);
	if (!str_starts(name, first) || !str_ends(name, last) ||
	    strlen(name) < sizeof(first) + sizeof(last) ||
	    !str_equal(path_clean(arena, found), found))
		return NULL;
	return found;
}
