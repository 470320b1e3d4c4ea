// Owns the names of the home that the caller's programs run or trust, as paths.
#include "names/home_rows.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "base/str.h"
#include "names/trusted.h"

struct origin homes_origin(enum homes_kind kind)
{
	return (struct origin){ .line = kind };
}

const char *homes_value(char *const *environment, const char *name, size_t length)
{
	for (char *const *entry = environment; *entry; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

const char *homes_variable(struct arena *arena, const struct homes *homes, const char *name)
{
	size_t length = strcspn(name + 1, "/");
	const char *value =
		name[0] == '$' ? homes_value(homes->environment, name + 1, length) : NULL;
	if (!value || value[0] != '/')
		return NULL;
	return path_join(arena, value, name[length + 1] ? name + length + 2 : ".");
}

// PATH's directories, but for those that are the system's.
void homes_path(struct arena *arena, const struct homes *homes, struct list *ret_names)
{
	const char *value = homes_value(homes->environment, "PATH", strlen("PATH"));
	while (value && *value) {
		size_t length = strcspn(value, ":");
		if (value[0] == '/' && length > 1) {
			const char *path = path_clean(arena, arena_copy(arena, value, length));
			if (path_within(path, homes->home) && !str_equal(path, homes->home))
				list_add(ret_names, arena, path, homes_origin(HOMES_PROGRAM));
		}
		value += length + (value[length] == ':');
	}
}

void homes_name(struct arena *arena, const struct homes *homes, struct list *ret_names)
{
	static const enum trusted_answer answers[] = { TRUSTED_HOME, TRUSTED_PATH };
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		trusted_each (row, answers[i]) {
			const char *name = trusted_name(row);
			const char *path = name[0] == '~' ? path_below(arena, homes->home, name + 2)
							  : homes_variable(arena, homes, name);
			if (path)
				list_add(ret_names, arena, path, homes_origin(HOMES_NAME));
		}
	homes_path(arena, homes, ret_names);
}

// What links in a directory of programs lead to is what somebody builds.
bool homes_is_of_path(const char *name, const struct homes *homes)
{
	size_t length = strlen(homes->home);
	if (!path_within(name, homes->home) || name[length] == '\0')
		return false;
	trusted_each (row, TRUSTED_PATH)
		if (str_equal(trusted_name(row) + 2, name + length + 1))
			return true;
	return false;
}
