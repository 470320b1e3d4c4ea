// Owns the home's names that the caller's programs run or trust, as paths.
#include "names/names.h"

#include <stdbool.h>
#include <string.h>

#include "base/base.h"

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

static const char *homes_variable(struct arena *arena, const struct homes *homes, const char *name)
{
	size_t length = strcspn(name + 1, "/");
	const char *value =
		name[0] == '$' ? homes_value(homes->environment, name + 1, length) : NULL;
	if (!value || value[0] != '/')
		return NULL;
	return path_join(arena, value, name[length + 1] ? name + length + 2 : ".");
}

void homes_path(struct arena *arena, const struct homes *homes, struct list *ret_names)
{
	const char *value = homes_value(homes->environment, "PATH", strlen("PATH"));
	for (const char *at = value; at; at += *at == ':') {
		size_t length = strcspn(at, ":");
		const char *entry = arena_copy(arena, at, length);
		if (entry[0] == '/')
			entry = path_clean(arena, entry);
		list_add(ret_names, arena, entry, homes_origin(HOMES_PROGRAM));
		at += length;
		if (!*at)
			break;
	}
}

void homes_name(struct arena *arena, struct homes *homes)
{
	static const enum trusted_answer answers[] = { TRUSTED_HOME, TRUSTED_PATH };
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		trusted_each (row, answers[i]) {
			const char *name = trusted_name(row);
			const char *path = name[0] == '~' ? path_below(arena, homes->home, name + 2)
							  : homes_variable(arena, homes, name);
			if (path)
				list_add(&homes->names, arena, path, homes_origin(HOMES_NAME));
		}
	struct list path = { 0 };
	homes_path(arena, homes, &path);
	list_each (item, &path)
		if (path_within(item->text, homes->home) && !str_equal(item->text, homes->home))
			list_add(&homes->names, arena, item->text, item->from);
}

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
