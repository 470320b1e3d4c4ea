// sbx profile: list, show, check, keys.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diff.h"
#include "base/err.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
#include "base/trusted.h"
#include "base/units.h"
#include "cli/box.h"
#include "cli/help.h"
#include "cli/profile/profile_trust.h"
#include "cli/verbs.h"
#include "jail/seccomp.h"
#include "policy/find.h"
#include "policy/groups.h"
#include "policy/merge.h"
#include "policy/trust.h"
#include "policy/values.h"
#include "run/decide.h"

extern char **environ;

static const char *description(const struct source *source)
{
	const char *text = "";
	for (unsigned i = 0; i < source->rows.count; i++) {
		const struct ini_row row = ini_at(&source->rows, i);
		if (str_equal(row.section, "profile") && str_equal(row.name, "description"))
			text = row.value;
	}
	return text;
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
		int length = (int)strlen(entry->d_name) - 4;
		const char *path = arena_text(arena, "%s/%s", directory, entry->d_name);
		bool good = find_read_file(arena, path, &source) == 0;
		out_text(out, "%-12.*s %s (%s)\n", length, entry->d_name,
			 good ? description(&source) : "unusable; see: sbx profile check",
			 directory);
		err_clear();
	}
	closedir(stream);
}

static int list(struct box *box, char **words)
{
	struct out out = { 0 };
	(void)words;
	for (unsigned i = 0; i < builtin_count; i++) {
		struct source source = { .rows = builtins[i].rows };
		out_text(&out, "%-12s %s\n", builtins[i].name, description(&source));
	}
	list_directory(&out, box->arena, find_system_directory);
	list_directory(&out, box->arena, decide_config_directory(box->arena, environ));
	return out_flush(&out, STDOUT_FILENO);
}

static void resolved_key(struct out *out, const struct key *key, const struct profile *profile)
{
	const char *field = (const char *)profile + key->offset;
	const struct list *list = (const void *)field;
	uint64_t number;
	char digits[32];
	unsigned word;
	const char *text;
	switch (key->kind) {
	case KEY_LIST:
		list_each (item, list)
			out_text(out, "%s = %s ; %s:%u\n", key->name, item->text, item->from.file,
				 item->from.line);
		return;
	case KEY_TEXT:
		memcpy(&text, field, sizeof(text));
		if (text)
			out_text(out, "%s = %s\n", key->name, text);
		return;
	case KEY_WORD:
		memcpy(&word, field, sizeof(word));
		out_text(out, "%s = %s\n", key->name, key->words[word]);
		return;
	case KEY_SIZE:
	case KEY_TIME:
	case KEY_COUNT:
	case KEY_MEMORY:
	case KEY_PROCESSORS:
		memcpy(&number, field, sizeof(number));
		units_text(digits, sizeof(digits), number, value_unit(key));
		out_text(out, "%s = %s%s\n", key->name, profile->limits.soft & key->soft ? "?" : "",
			 digits);
		return;
	case KEY_SWITCH:
		return;
	}
}

static int show_resolved(struct box *box, const char *name)
{
	struct out out = { 0 };
	struct list names = { 0 };
	list_add(&names, box->arena, name, (struct origin){ .file = "profile show" });
	const char *config = decide_config_directory(box->arena, environ);
	TRY(merge_profiles(box->arena, config, &names, &box->profile));
	for (unsigned i = 0; i < section_count; i++) {
		out_text(&out, "%s[%s]\n", i ? "\n" : "", sections[i].name);
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->section && str_equal(key->section, sections[i].name))
				resolved_key(&out, key, &box->profile);
	}
	return out_flush(&out, STDOUT_FILENO);
}

static int show(struct box *box, char **words)
{
	struct out out = { 0 };
	struct source source;
	if (!words[0] || words[1])
		return fail(0, "usage: sbx profile show [--resolved] NAME");
	if (box->invocation.resolved == ANSWER_YES)
		return show_resolved(box, words[0]);
	TRY(find_profile(box->arena, decide_config_directory(box->arena, environ), words[0],
			 LEVEL_FILE, &source));
	out_text(&out, "%.*s", (int)source.length, source.text);
	return out_flush(&out, STDOUT_FILENO);
}

// Everything about a profile that can be said without a project.
static int check(struct box *box, char **words)
{
	struct out out = { 0 };
	struct list names = { 0 };
	if (!words[0] || words[1])
		return fail(0, "usage: sbx profile check FILE");
	const char *path =
		strchr(words[0], '/') ? words[0] : arena_text(box->arena, "./%s", words[0]);
	list_add(&names, box->arena, path, (struct origin){ .file = "profile check" });
	const char *config = decide_config_directory(box->arena, environ);
	TRY(merge_profiles(box->arena, config, &names, &box->profile));
	box->plan.arena = box->arena;
	box->plan.profile = &box->profile;
	TRY(seccomp_plan(&box->plan));
	out_text(&out, "%s: good\n", words[0]);
	return out_flush(&out, STDOUT_FILENO);
}

// Each group of destinations with what it leads to.
static int list_groups(struct box *box, char **words)
{
	struct out out = { 0 };
	(void)box;
	(void)words;
	for (unsigned i = 0; i < group_rows.count; i++) {
		const struct ini_row row = ini_at(&group_rows, i);
		bool first = i == 0 || !str_equal(ini_at(&group_rows, i - 1).section, row.section);
		if (!str_equal(row.name, "file"))
			out_text(&out, "%-12s %s: %s\n", first ? row.section : "", row.name,
				 row.value);
		else if (first)
			out_text(&out, "%s\n", row.section);
	}
	return out_flush(&out, STDOUT_FILENO);
}

// What the host's own programs run or trust, and which program; with a word, the rows that hold it.
static int list_names(struct box *box, char **words)
{
	struct out out = { 0 };
	(void)box;
	if (words[0] && words[1])
		return fail(0, "usage: sbx profile names [WORD]");
	for (unsigned i = 0; i < trusted_first[TRUSTED_ANSWERS]; i++) {
		const struct trusted_row *row = &trusted_rows[i];
		const char *who = trusted_text + row->who, *source = trusted_text + row->source;
		if (words[0] && !strcasestr(trusted_name(row), words[0]) &&
		    !strcasestr(who, words[0]) && !str_equal(trusted_words[row->answer], words[0]))
			continue;
		out_text(&out, "%-8s %s\n         %s; %s\n", trusted_words[row->answer],
			 trusted_name(row), who, source);
	}
	return out_flush(&out, STDOUT_FILENO);
}

static int list_keys(struct box *box, char **words)
{
	struct out out = { 0 };
	(void)box;
	(void)words;
	for (unsigned i = 0; i < section_count; i++) {
		out_text(&out, "%s[%s] %s\n", i ? "\n" : "", sections[i].name, sections[i].help);
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->section && str_equal(key->section, sections[i].name))
				out_text(&out, "%s = %s\n    %s\n", key->name, key->value,
					 key->help);
	}
	return out_flush(&out, STDOUT_FILENO);
}

struct action {
	const char *name;
	int (*run)(struct box *box, char **words);
};

static const struct action actions[] = { { "list", list },
					 { "show", show },
					 { "check", check },
					 { "keys", list_keys },
					 { "groups", list_groups },
					 { "names", list_names },
					 { "status", profile_status },
					 { "trust", profile_trust },
					 { "untrust", profile_untrust } };

int verb_profile(char **words)
{
	struct box *box = box_new();
	const struct action *chosen = NULL;
	for (size_t i = 0; words[0] && i < sizeof(actions) / sizeof(*actions); i++)
		if (str_equal(actions[i].name, words[0]))
			chosen = &actions[i];
	if (box_read(box, VERB_PROFILE, words + (chosen != NULL)) < 0)
		return box_failed();
	if (box->invocation.help == ANSWER_YES)
		return help_verb(VERB_PROFILE, "profile");
	if (!chosen) {
		fail(0, "usage: sbx profile list | show [--resolved] NAME | check FILE | keys | "
			"groups | names [WORD] | status | "
			"trust | untrust");
		return box_failed();
	}
	return chosen->run(box, box->arguments.rest) < 0 ? box_failed() : STATUS_OK;
}
