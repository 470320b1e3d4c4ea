// Owns sbx profile add: checks a line, and the file that gets it.
#include "cli/profile/profile_verb.h"

#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/profile_file.h"
#include "names/names.h"
#include "policy/find.h"
#include "policy/keys.h"
#include "run/run_command.h"
#include "view/paths/wishes.h"

extern char **environ;

// Returns the key's section, or NULL if none or several have it. `allow` and `deny` mean those of
// [network].
static const char *section_of(const char *name)
{
	const char *section = NULL;
	unsigned count = 0;
	if (str_equal(name, "allow") || str_equal(name, "deny"))
		return "network";
	for (unsigned i = 0; i < section_count; i++)
		if (key_find(sections[i].name, name)) {
			section = sections[i].name;
			count++;
		}
	return count == 1 ? section : NULL;
}

// Reads "[SECTION] KEY = VALUE" or "KEY = VALUE" by the parser of profiles.
static int read_line(struct box *box, const char *line, struct proposals *wishes)
{
	struct arena *arena = box->arena;
	const char *close = line[0] == '[' ? strchr(line, ']') : NULL, *section;
	struct ini_rows rows;
	if (!str_printable(line))
		return fail(0, "a line of a profile has no control bytes");
	const char *rest = close ? close + 1 : line;
	rest += strspn(rest, " \t");
	const char *key = arena_copy(arena, rest, strcspn(rest, " \t=:"));
	section = close ? arena_copy(arena, line + 1, (size_t)(close - line) - 1) : section_of(key);
	if (!section)
		return fail(0, "'%.80s' is not a key of exactly one section; see: sbx profile keys",
			    key);
	const char *text = arena_text(arena, "[%s]\n%s\n", section, rest);
	TRY(ini_read(arena, "the line", text, strlen(text), &rows));
	if (rows.count != 1)
		return fail(0, "'%.80s' is not a line of a profile: KEY = VALUE", line);
	struct ini_row row = ini_at(&rows, 0);
	struct origin from = { .file = "profile add" };
	const struct key *known = key_find(row.section, row.name);
	if (!known)
		return merge_unknown_key(arena, &row, from);
	TRY(value_set(known, &box->profile, arena, row.value, from));
	// In [secret NAME] the parser puts NAME before row.value: then takes the value from the
	// line.
	const char *value = rest + strcspn(rest, "=:") + 1;
	value += strspn(value, " \t");
	if (str_ends(value, row.value))
		value = row.value;
	propose_line(wishes, section, known->name, value);
	return 0;
}

// Refuses a profile in the project that no run has used: a box can write it.
static int check_place(struct box *box, const struct profile_file *file)
{
	decide_places(&box->plan, environ);
	const char *noted = given_read(box->arena, box->plan.state);
	if (!noted)
		return -1;
	if (outer_is_box())
		return fail(0, "a box cannot change a profile; ask the user to run this outside");
	if (strchr(file->given, '/') && box->plan.toplevel &&
	    path_within(file->path, box->plan.toplevel) && !given_has(noted, file->path))
		return fail(0,
			    "'%s' is in the project, where a box may write it; add to one of "
			    "your profiles: -p NAME",
			    str_shown(file->path));
	return 0;
}

// Adds `extends`, which a profile needs to be used alone.
static int add_extends(struct box *box, const struct profile_file *file, struct proposals *wishes,
		       const char **ret_head)
{
	struct source source;
	bool known =
		!strchr(file->given, '/') &&
		ATTEMPT(find_profile(box->arena, NULL, file->given, LEVEL_SYSTEM, &source)) == 0;
	const char *name = known ? file->given : "default";
	*ret_head = arena_text(box->arena, "[profile]\nextends = %s\n", name);
	if (!file->before[0])
		return 0;
	TRY(find_read_file(box->arena, file->path, &source));
	if (source.names > 1)
		return fail(
			0, "%s: has another name (a hard link), by which a command could change it",
			file->path);
	if (find_leans(&source, file->given))
		propose_line(wishes, "profile", "extends", name);
	return 0;
}

int profile_add(struct box *box, char **words, struct out *out)
{
	static struct proposals wishes;
	struct profile_file file;
	const char *head, *name = "default";
	if (!words[0] || words[1])
		return fail(0, "usage: sbx profile add '[SECTION] KEY = VALUE' [-p NAME]");
	if (box->invocation.profiles.first)
		name = box->invocation.profiles.last->text;
	box->plan.arena = box->arena;
	TRY(profile_file_find(box->arena, decide_config_directory(box->arena, environ), name,
			      &file));
	TRY(check_place(box, &file));
	TRY(profile_file_read(box->arena, &file, &file.before));
	TRY(add_extends(box, &file, &wishes, &head));
	TRY(read_line(box, words[0], &wishes));
	const char *text = propose_text(box->arena, file.before, head, &wishes);
	if (!str_equal(file.before, text))
		TRY(profile_file_write(box->arena, box->plan.state, &file, text, out));
	profile_file_say(&file, text, out);
	return 0;
}
