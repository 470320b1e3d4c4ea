// sbx quarantine: list, show, restore and remove entries.
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "report/print_fields.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "postcheck/acts/check.h"

extern char **environ;

struct quarantined {
	struct box *box;
	const char *below; // selects entries of this path or below it; NULL: all
	const char *id;    // selects the entry with this ID, too
	struct list ids;
};

static void note_one(void *context, const char *id, const char *path)
{
	struct quarantined *listing = context;
	struct arena *arena = listing->box->arena;
	if (!listing->below || path_within(path, listing->below) || str_equal(id, listing->id))
		list_add(&listing->ids, arena, arena_copy(arena, id, strlen(id)),
			 (struct origin){ .file = arena_copy(arena, path, strlen(path)) });
}

// Returns a path as runs note it: resolved, except its last name.
static const char *noted_path(struct box *box, const char *word)
{
	char current[PATH_MAX], real[PATH_MAX];
	if (!getcwd(current, sizeof(current)))
		current[0] = '\0';
	const char *path = path_clean(box->arena, path_join(box->arena, current, word));
	if (!realpath(path_parent(box->arena, path), real))
		return path;
	return path_below(box->arena, arena_copy(box->arena, real, strlen(real)), path_name(path));
}

static int list_things(struct box *box, const char *state, struct out *out)
{
	const char *project = box->invocation.logged_project;
	char real[PATH_MAX];
	struct quarantined listing = { .box = box, .id = "" };
	if (project)
		listing.below = realpath(project, real) ? real : noted_path(box, project);
	print_begin(out, "quarantine", "things");
	TRY(quarantine_list(state, note_one, &listing));
	list_each (item, &listing.ids)
		print_one(out, SHOWN("id", item->text, "", 0, "  "),
			  SHOWN("path", item->from.file, "", 0, "\n"));
	print_end(out, "things");
	return 0;
}

static int remove_one(const char *state, const char *id, struct out *out)
{
	(void)out;
	return quarantine_remove(state, id);
}

typedef int action(const char *state, const char *id, struct out *out);

// Acts on the ID `word`, or on all entries from the path `word` or below it.
static int act_on(struct box *box, action *act, const char *state, const char *word,
		  struct out *out)
{
	struct quarantined listing = { .box = box, .below = noted_path(box, word), .id = word };
	TRY(quarantine_list(state, note_one, &listing));
	if (!listing.ids.first && !strchr(word, '/'))
		return act(state, word, out);
	if (!listing.ids.first)
		return fail(0, "nothing in quarantine came from '%s'; see: sbx quarantine list",
			    str_shown(listing.below));
	list_each (item, &listing.ids)
		TRY(act(state, item->text, out));
	return 0;
}

static const struct quarantine_action {
	const char *name;
	action *act;
} actions[] = {
	{ "show", quarantine_show },
	{ "restore", quarantine_restore },
	{ "rm", remove_one },
};

static int run(struct box *box, char **words, struct out *out)
{
	const char *state = decide_state_directory(box->arena, environ);
	bool list = words[0] && str_equal(words[0], "list");
	if (list && !words[1])
		return list_things(box, state, out);
	for (size_t i = 0; words[0] && words[1] && i < sizeof(actions) / sizeof(*actions); i++) {
		if (!str_equal(actions[i].name, words[0]))
			continue;
		if (box->invocation.json == TOGGLE_YES)
			return fail(0, "--json is for sbx quarantine list");
		if (box->invocation.logged_project)
			return fail(0, "--project is for sbx quarantine list");
		for (char **word = words + 1; *word; word++)
			TRY(act_on(box, actions[i].act, state, *word, out));
		return 0;
	}
	return fail(0, "usage: sbx %s", verb_rows[ROW_QUARANTINE].synopsis);
}

int verb_quarantine(char **words)
{
	struct box *box = box_new();
	if (box_read_mixed(box, VERB_QUARANTINE, words, &words) < 0)
		return box_failed();
	struct out out = { .json = box->invocation.json == TOGGLE_YES };
	int result = run(box, words, &out);
	// Prints the changes that came before a failure.
	if (out_flush(&out, STDOUT_FILENO) < 0)
		return STATUS_FAILURE;
	return result < 0 ? box_failed() : STATUS_OK;
}
