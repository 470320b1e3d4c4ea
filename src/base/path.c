// Owns nothing. Path arithmetic on strings in an arena.
#include "base/base.h"

#include <string.h>

static bool add_clean(char *clean, size_t length, const char *path)
{
	bool named = path[0] == '/', back = false;
	while (*path) {
		size_t part = strcspn(path, "/");
		if (part == 2 && path[0] == '.' && path[1] == '.') {
			back = back || named;
			while (length > 0 && clean[--length] != '/')
				;
		} else if (part > 0 && !(part == 1 && path[0] == '.')) {
			named = true;
			clean[length++] = '/';
			memcpy(clean + length, path, part);
			length += part;
		}
		path += part + (path[part] == '/');
	}
	if (length == 0)
		clean[length++] = '/';
	clean[length] = '\0';
	return back;
}

char *path_clean(struct arena *arena, const char *path)
{
	char *clean = arena_take(arena, strlen(path) + 2);
	add_clean(clean, 0, path);
	return clean;
}

char *path_join(struct arena *arena, const char *directory, const char *name)
{
	size_t front = strlen(directory), back = strlen(name);
	if (name[0] == '/')
		return path_clean(arena, name);
	char *joined = arena_take(arena, front + back + 2);
	memcpy(joined, directory, front);
	joined[front] = '/';
	memcpy(joined + front + 1, name, back);
	return path_clean(arena, joined);
}

char *path_below(struct arena *arena, const char *directory, const char *name)
{
	size_t front = strlen(directory), back = strlen(name);
	char *joined = arena_take(arena, front + back + 2);
	front -= front == 1 && directory[0] == '/';
	memcpy(joined, directory, front);
	joined[front] = '/';
	memcpy(joined + front + 1, name, back);
	return joined;
}

size_t path_common(const char *one, const char *other)
{
	size_t whole = 0;
	for (size_t at = 0;; at++) {
		if ((!one[at] || one[at] == '/') && (!other[at] || other[at] == '/'))
			whole = at;
		if (one[at] != other[at] || !one[at])
			return whole;
	}
}

bool path_within(const char *path, const char *directory)
{
	if (directory[0] == '/' && directory[1] == '\0')
		return true;
	for (; *directory && *path == *directory; path++, directory++)
		;
	return *directory == '\0' && (*path == '\0' || *path == '/');
}

char *path_parent(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash || slash == path)
		return arena_copy(arena, "/", 1);
	return arena_copy(arena, path, (size_t)(slash - path));
}

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

enum { PART_MAX = 200 };

// Two paths never get the same name.
const char *path_kept(struct arena *arena, const char *state, const char *kind, const char *path)
{
	enum { LONGEST = 3 };
	size_t part = 0;
	char *name = arena_take(arena, strlen(path) * LONGEST * 2 + 1), *end = name;
	for (; *path; path++) {
		if (part >= PART_MAX) {
			*end++ = '+';
			*end++ = '/';
			part = 0;
		}
		const char *as = *path == '/'                ? "="
				 : *path == '='              ? "%3d"
				 : *path == '%'              ? "%25"
				 : part == 0 && *path == '.' ? "%2e"
							     : NULL;
		size_t length = as ? strlen(as) : 1;
		memcpy(end, as ? as : path, length);
		end += length;
		part += length;
	}
	*end = '\0';
	return arena_text(arena, "%s/%s/%s", state, kind, name);
}

bool path_kept_is_part(const char *component)
{
	return strlen(component) > PART_MAX && component[strlen(component) - 1] == '+';
}

const char *path_of_kept(struct arena *arena, const char *name)
{
	static const struct {
		const char *code, *as;
	} codes[] = { { "=", "/" }, { "%3d", "=" }, { "%25", "%" }, { "%2e", "." }, { "+/", "" } };
	enum { CODES = sizeof(codes) / sizeof(*codes) };
	if (name[0] != '=')
		return NULL;
	char *path = arena_take(arena, strlen(name) + 1), *end = path;
	while (*name) {
		unsigned i = 0;
		while (i < CODES && strncmp(name, codes[i].code, strlen(codes[i].code)) != 0)
			i++;
		size_t length = i < CODES ? strlen(codes[i].as) : 1;
		memcpy(end, i < CODES ? codes[i].as : name, length);
		end += length;
		name += i < CODES ? strlen(codes[i].code) : 1;
	}
	*end = '\0';
	return path;
}

bool path_of_link(const char *path, const char *text, char *place, size_t size)
{
	size_t length = text[0] == '/' ? 0 : (size_t)(path_name(path) - path - 1);
	if (length + strlen(text) + 2 > size)
		return false;
	memcpy(place, path, length);
	return !add_clean(place, length, text);
}

bool path_list_next(const char **list, char directory[PATH_MAX])
{
	while (*list && **list) {
		size_t length = strcspn(*list, ":");
		bool whole = str_put(directory, PATH_MAX, "%.*s", (int)length, *list);
		*list += length + ((*list)[length] == ':');
		if (whole && directory[0] == '/')
			return true;
	}
	return false;
}
