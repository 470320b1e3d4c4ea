// sbx quarantine: list, show, restore, rm.
#include <stddef.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "cli/box.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "guard/quarantine.h"
#include "run/decide.h"

extern char **environ;

static int remove_one(const char *state, const char *id, struct out *out)
{
	(void)out;
	return quarantine_remove(state, id);
}

static int list_all(const char *state, const char *id, struct out *out)
{
	(void)id;
	return quarantine_list(state, out);
}

static const struct action {
	const char *name;
	int (*run)(const char *state, const char *id, struct out *out);
	int words; // after the name
} actions[] = {
	{ "list", list_all, 0 },
	{ "show", quarantine_show, 1 },
	{ "restore", quarantine_restore, 1 },
	{ "rm", remove_one, 1 },
};

int verb_quarantine(char **words)
{
	struct box *box = box_new();
	struct out out = { 0 };
	const struct action *chosen = NULL;
	if (box_read(box, VERB_QUARANTINE, words) < 0)
		return box_failed();
	if (box->invocation.help == ANSWER_YES)
		return help_verb(VERB_QUARANTINE, "quarantine");
	words = box->arguments.rest;
	for (size_t i = 0; words[0] && i < sizeof(actions) / sizeof(*actions); i++)
		if (str_equal(actions[i].name, words[0]))
			chosen = &actions[i];
	int count = 0;
	while (chosen && words[1 + count])
		count++;
	if (!chosen || count != chosen->words) {
		fail(0, "usage: sbx quarantine list | show ID | restore ID | rm ID");
		return box_failed();
	}
	const char *state = decide_state_directory(box->arena, environ);
	if (chosen->run(state, words[1], &out) < 0)
		return box_failed();
	return out_flush(&out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : STATUS_OK;
}
