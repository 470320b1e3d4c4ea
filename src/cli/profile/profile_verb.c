// sbx profile: list, show, check, keys, groups, names, and the table of actions.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "run/run_command.h"
#include "cli/profile/profile_verb.h"
#include "report/print_fields.h"
#include "cli/verbs.h"
#include "names/names.h"
#include "policy/find.h"
#include "policy/keys.h"
#include "view/paths/wishes.h"

extern char **environ;

// `directory` is NULL for a built-in profile, `rows` for an unusable one.
static void put_profile(struct out *out, const char *name, const char *directory,
			const struct ini_rows *rows)
{
	const char *text = rows ? ini_value(rows, "profile", "description") : NULL;
	text = rows && !text ? "" : text;
	const char *shown = text ? directory : NULL;
	print_one(out, SHOWN("name", name, "", -12, " "), MEMBER_FLAG("usable", text != NULL),
		  MEMBER("description", text ? text : ""), SHOWN(NULL, text, "", 0, ""),
		  MEMBER("directory", directory), SHOWN(NULL, shown, " (", 0, ")"),
		  SHOWN(NULL, text ? NULL : directory, "unusable; see: sbx profile check ", 0, "/"),
		  SHOWN(NULL, text ? NULL : name, "", 0, ".ini"), WORDS("\n"));
}

static void list_directory(struct out *out, struct arena *arena, const char *directory)
{
	DIR *stream = opendir(directory);
	if (!stream)
		return;
	for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
		struct source source;
		if (!str_ends(entry->d_name, ".ini") || !str_printable(entry->d_name))
			continue;
		const char *name = arena_copy(arena, entry->d_name, strlen(entry->d_name) - 4);
		const char *path = arena_text(arena, "%s/%s", directory, entry->d_name);
		bool good = ATTEMPT(find_read_file(arena, path, &source)) == 0;
		put_profile(out, name, directory, good ? &source.rows : NULL);
	}
	closedir(stream);
}

static int list(struct box *box, char **words, struct out *out)
{
	(void)words;
	print_begin(out, "profiles", "profiles");
	for (unsigned i = 0; i < builtin_count; i++)
		put_profile(out, builtins[i].name, NULL, &builtins[i].rows);
	list_directory(out, box->arena, find_system_directory);
	list_directory(out, box->arena, decide_config_directory(box->arena, environ));
	print_end(out, "profiles");
	return 0;
}

static void put_value(struct out *out, const struct key *key, const char *value,
		      const struct origin *from)
{
	print_one(out, MEMBER("section", key->section), SHOWN("key", key->name, "", 0, " = "),
		  SHOWN("value", value, "", 0, ""),
		  SHOWN("file", from ? from->file : NULL, " ; ", 0, ":"),
		  { .key = "line",
		    .kind = FIELD_NUMBER,
		    .number = from ? from->line : 0,
		    .absent = !from,
		    .before = "",
		    .after = "" },
		  WORDS("\n"));
}

static void resolved_key(struct out *out, const struct key *key, const struct profile *profile)
{
	const char *field = (const char *)profile + key->offset;
	const struct list *list = (const void *)field;
	uint64_t number;
	char digits[32], value[sizeof(digits) + 1];
	unsigned word;
	const char *text;
	switch (key->kind) {
	case KEY_LIST:
		list_each (item, list)
			put_value(out, key, item->text, &item->from);
		return;
	case KEY_TEXT:
		memcpy(&text, field, sizeof(text));
		if (text)
			put_value(out, key, text, NULL);
		return;
	case KEY_WORD:
		memcpy(&word, field, sizeof(word));
		put_value(out, key, key->words[word], NULL);
		return;
	case KEY_SIZE:
	case KEY_TIME:
	case KEY_COUNT:
	case KEY_MEMORY:
	case KEY_PROCESSORS:
		memcpy(&number, field, sizeof(number));
		units_text(digits, sizeof(digits), number, value_unit(key));
		snprintf(value, sizeof(value), "%s%s", profile->limits.soft & key->soft ? "?" : "",
			 digits);
		put_value(out, key, value, NULL);
		return;
	case KEY_SWITCH:
		return;
	}
}

static int show_resolved(struct box *box, const char *name, struct out *out)
{
	struct list names = { 0 };
	list_add(&names, box->arena, name, (struct origin){ .file = "profile show" });
	const char *config = decide_config_directory(box->arena, environ);
	TRY(merge_profiles(box->arena, config, &names, &box->profile));
	print_begin(out, "profile", NULL);
	print_members(out, MEMBER("name", name));
	print_open(out, "values", '[');
	for (unsigned i = 0; i < section_count; i++) {
		print_members(out, SHOWN(NULL, sections[i].name, i ? "\n[" : "[", 0, "]\n"));
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->section && str_equal(key->section, sections[i].name))
				resolved_key(out, key, &box->profile);
	}
	print_end(out, "values");
	return 0;
}

static int show(struct box *box, char **words, struct out *out)
{
	struct source source;
	if (!words[0] && box->invocation.resolved != TOGGLE_YES &&
	    box->invocation.json != TOGGLE_YES)
		return profile_show_answers(box, out);
	if (!words[0] || words[1])
		return fail(0, "usage: sbx profile show [--resolved] [--json] [NAME]");
	if (box->invocation.resolved == TOGGLE_YES || box->invocation.json == TOGGLE_YES)
		return show_resolved(box, words[0], out);
	TRY(find_profile(box->arena, decide_config_directory(box->arena, environ), words[0],
			 LEVEL_FILE, &source));
	out_text(out, "%.*s", (int)source.length, source.text);
	return 0;
}

// Returns "./WORD" for a file in the current directory, and the name for a path of the caller's
// profiles. Other words stay.
static const char *checked_name(struct arena *arena, const char *config, const char *word)
{
	const char *name = path_name(word), *path = word;
	if (!strchr(word, '/') && access(word, F_OK) == 0)
		return arena_text(arena, "./%s", word);
	if (!strchr(word, '/'))
		return word;
	if (str_ends(name, ".ini")) {
		name = arena_copy(arena, name, strlen(name) - strlen(".ini"));
		path = path_join(arena, config, arena_text(arena, "%s.ini", name));
	}
	return str_equal(word, path) ? name : word;
}

// Refuses what a run refuses. If there can be no project, checks a run without one.
static int check(struct box *box, char **words, struct out *out)
{
	struct list names = { 0 };
	struct source source;
	if (!words[0] || words[1])
		return fail(0, "usage: sbx profile check FILE");
	const char *config = decide_config_directory(box->arena, environ);
	const char *name = checked_name(box->arena, config, words[0]);
	list_add(&names, box->arena, name, (struct origin){ .file = "profile check" });
	TRY(find_profile(box->arena, config, name, LEVEL_FILE, &source));
	box->invocation.profiles = names;
	box->invocation.command = words + 1;
	TRY(box_decide(box));
	if (!project_find(&box->plan))
		box->profile.project = PROJECT_NONE;
	TRY(decide_view(&box->plan, environ));
	out_text(out, "%s: good\n", words[0]);
	bool extends = ini_value(&source.rows, "profile", "extends");
	if (!extends && find_leans(&source, name))
		out_text(out, "%s has no 'extends': it extends the built-in profile '%s'\n",
			 words[0], name);
	else if (!extends)
		out_text(out,
			 "%s has no 'extends': a box of it has nothing else, not even /usr; "
			 "usually: extends = default\n",
			 words[0]);
	return 0;
}

static int list_groups(struct box *box, char **words, struct out *out)
{
	(void)box;
	if (words[0] && !groups_has(words[0]))
		return fail(0, "no group '%.40s'; see: sbx profile groups", str_shown(words[0]));
	for (unsigned i = 0; i < group_rows.count; i++) {
		const struct ini_row row = ini_at(&group_rows, i);
		if (words[0] && !str_equal(words[0], row.section))
			continue;
		bool first = i == 0 || !str_equal(ini_at(&group_rows, i - 1).section, row.section);
		if (strchr(row.name, '.'))
			out_text(out, "%-12s %s: %s\n", first ? row.section : "", row.name,
				 row.value);
		else if (first)
			out_text(out, "%s\n", row.section);
	}
	return 0;
}

// A word selects the rows that contain it.
static int list_names(struct box *box, char **words, struct out *out)
{
	(void)box;
	if (words[0] && words[1])
		return fail(0, "usage: sbx profile names [WORD]");
	for (unsigned i = 0; i < trusted_first[TRUSTED_ANSWERS]; i++) {
		const struct trusted_row *row = &trusted_rows[i];
		const char *who = trusted_text + row->who, *source = trusted_text + row->source;
		if (words[0] && !strcasestr(trusted_name(row), words[0]) &&
		    !strcasestr(who, words[0]) && !str_equal(trusted_words[row->answer], words[0]))
			continue;
		out_text(out, "%-8s %s\n         %s%s; %s\n", trusted_words[row->answer],
			 trusted_name(row), who, row->below ? " (in any directory)" : "", source);
	}
	return 0;
}

static int list_keys(struct box *box, char **words, struct out *out)
{
	(void)box;
	(void)words;
	for (unsigned i = 0; i < section_count; i++) {
		out_text(out, "%s[%s] %s\n", i ? "\n" : "", sections[i].name, sections[i].help);
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->section && str_equal(key->section, sections[i].name))
				out_text(out, "%s = %s\n    %s\n", key->name, key->value,
					 key->help);
	}
	return 0;
}

struct profile_action {
	const char *name;
	int (*run)(struct box *box, char **words, struct out *out);
	bool json;
};

static const struct profile_action actions[] = { { "list", list, true },
						 { "show", show, true },
						 { "check", check, false },
						 { "add", profile_add, false },
						 { "keys", list_keys, false },
						 { "groups", list_groups, false },
						 { "names", list_names, false },
						 { "status", profile_status, true },
						 { "trust", profile_trust, false },
						 { "untrust", profile_untrust, false },
						 { "forget", profile_forget, false } };

int verb_profile(char **words)
{
	struct box *box = box_new();
	const struct profile_action *chosen = NULL;
	if (box_read_mixed(box, VERB_PROFILE, words, &words) < 0)
		return box_failed();
	for (size_t i = 0; words[0] && i < sizeof(actions) / sizeof(*actions); i++)
		if (str_equal(actions[i].name, words[0]))
			chosen = &actions[i];
	if (!chosen) {
		fail(0, "usage: sbx profile list [--json] | show [--resolved] [--json] [NAME] | "
			"check FILE | "
			"add '[SECTION] KEY = VALUE' [-p NAME] | keys | "
			"groups [@NAME] | names [WORD] | "
			"status [--json] | trust | untrust | forget HOST:PORT...");
		return box_failed();
	}
	if (box->invocation.json == TOGGLE_YES && !chosen->json) {
		fail(0, "--json is for sbx profile list, show and status");
		return box_failed();
	}
	if (box->invocation.profiles.first && chosen->run != profile_add) {
		fail(0, "-p is for sbx profile add");
		return box_failed();
	}
	struct out out = { .json = box->invocation.json == TOGGLE_YES };
	return box_done(&out, chosen->run(box, words + 1, &out));
}
