// Owns the proposals of sbx learn.
#include "policy/find.h"

#include <string.h>

#include "base/base.h"

enum { TOGETHER = 3 }; // so many names in a directory become the directory

// Returns false if the line is there already.
static bool add(struct proposals *wishes, const char *section, const char *key, const char *value,
		const char *caution)
{
	for (unsigned i = 0; i < wishes->count; i++)
		if (str_equal(wishes->all[i].key, key) &&
		    str_equal(wishes->all[i].section, section) &&
		    str_equal(wishes->all[i].value, value))
			return false;
	if (wishes->count < PROPOSALS_MAX)
		wishes->all[wishes->count++] = (struct proposal){ section, key, value, caution };
	return true;
}

void propose_line(struct proposals *wishes, const char *section, const char *key, const char *value)
{
	add(wishes, section, key, value, NULL);
}

static const char *written(struct arena *arena, const char *path, const char *home,
			   const char *project)
{
	if (project && path_within(path, project) && !str_equal(path, project))
		return arena_text(arena, "./%s", path + strlen(project) + 1);
	// '?' lets a run go on when the path is gone.
	if (path_within(path, home) && !str_equal(path, home))
		return arena_text(arena, "?~/%s", path + strlen(home) + 1);
	return arena_text(arena, "?%s", path);
}

static bool may_be_written(const char *value)
{
	enum { KEY_MAX = 16 };
	size_t length = strlen(value);
	return str_printable(value) && length < INI_LINE_MAX - KEY_MAX && !strstr(value, " ;") &&
	       value[length - 1] != ' ';
}

static void drop(struct proposals *wishes, unsigned index)
{
	wishes->count--;
	memmove(&wishes->all[index], &wishes->all[index + 1],
		(wishes->count - index) * sizeof(wishes->all[0]));
}

static bool is_below(const struct proposal *wish, const char *key, const char *directory)
{
	size_t length = strlen(directory);
	return !wish->caution && str_equal(wish->section, "files") && str_equal(wish->key, key) &&
	       strncmp(wish->value, directory, length) == 0 && wish->value[length] == '/';
}

// True for ~/x or /srv/x; false for ~, ., / or /srv.
static bool may_stand(const char *directory)
{
	directory += directory[0] == '?';
	const char *rest = strchr(directory, '/');
	return rest && rest[1] && (directory[0] != '/' || strchr(directory + 1, '/'));
}

static void generalise(struct arena *arena, struct proposals *wishes, const char *key,
		       const char *value)
{
	const char *slash = strrchr(value, '/');
	const char *directory = slash ? arena_copy(arena, value, (size_t)(slash - value)) : "";
	unsigned count = 0;
	if (!may_stand(directory))
		return;
	for (unsigned i = 0; i < wishes->count; i++)
		count += is_below(&wishes->all[i], key, directory);
	if (count < TOGETHER)
		return;
	for (unsigned i = wishes->count; i-- > 0;)
		if (is_below(&wishes->all[i], key, directory))
			drop(wishes, i);
	propose_line(wishes, "files", key, directory);
	generalise(arena, wishes, key, directory);
}

void propose_path(struct arena *arena, struct proposals *wishes, const char *key, const char *path,
		  const char *home, const char *project, const char *caution)
{
	const char *value = written(arena, path, home, project);
	if (!may_be_written(value))
		return;
	for (unsigned i = 0; i < wishes->count && !caution; i++) {
		const struct proposal *known = &wishes->all[i];
		// A writable path is readable. A directory covers all below.
		bool enough = str_equal(known->key, key) || str_equal(known->key, "write");
		if (enough && !known->caution &&
		    (str_equal(known->value, value) ||
		     is_below(&(struct proposal){ .section = "files",
						  .key = known->key,
						  .value = value },
			      known->key, known->value)))
			return;
	}
	if (add(wishes, "files", key, value, caution) && !caution)
		generalise(arena, wishes, key, value);
}

void propose_host(struct arena *arena, struct proposals *wishes, const char *host,
		  const char *caution)
{
	const char *group = !caution && str_ends(host, ":443") ? groups_find(host) : NULL;
	add(wishes, "network", "allow", group ? group : arena_copy(arena, host, strlen(host)),
	    caution);
}

static const char *line_of(struct arena *arena, const struct proposal *wish)
{
	if (wish->caution)
		return arena_text(arena, "; %s, take it in only if you mean it: %s = %s",
				  wish->caution, wish->key, wish->value);
	return arena_text(arena, "%s = %s", wish->key, wish->value);
}

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

// Returns the end of the section's last line that is not blank, or NULL. `ret_known`: the section
// has the line.
static const char *section_end(const char *text, const char *section, const char *line,
			       bool *ret_known)
{
	const char *end = NULL;
	bool here = false;
	*ret_known = false;
	for (const char *at = text; *at; at = *line_end(at) ? line_end(at) + 1 : line_end(at)) {
		size_t length = (size_t)(line_end(at) - at), name = strlen(section);
		if (at[0] == '[')
			here = length >= name + 2 && strncmp(at + 1, section, name) == 0 &&
			       at[name + 1] == ']';
		if (!here || strspn(at, " \t") == length)
			continue;
		end = at + length;
		*ret_known =
			*ret_known || (length == strlen(line) && strncmp(at, line, length) == 0);
	}
	return end;
}

static char *with_line(struct arena *arena, char *text, const struct proposal *wish)
{
	bool known;
	const char *line = line_of(arena, wish),
		   *end = section_end(text, wish->section, line, &known);
	if (known)
		return text;
	if (!end)
		return arena_text(arena, "%s%s[%s]\n%s\n", text, *text ? "\n" : "", wish->section,
				  line);
	return arena_text(arena, "%.*s\n%s%s", (int)(end - text), text, line, *end ? end : "\n");
}

char *propose_text(struct arena *arena, const char *before, const char *head,
		   const struct proposals *wishes)
{
	char *text = arena_text(arena, "%s", *before ? before : head);
	for (unsigned i = 0; i < wishes->count; i++)
		text = with_line(arena, text, &wishes->all[i]);
	return text;
}
