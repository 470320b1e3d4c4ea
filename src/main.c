// Owns nothing but the way from argv to a verb, and the printing of the one error.
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/box.h"
#include "cli/help.h"
#include "cli/verbs.h"

static int (*const verbs[VERB_ROWS])(char **words) = {
	[ROW_RUN] = verb_run,       [ROW_SHELL] = verb_shell,
	[ROW_PLAN] = verb_plan,     [ROW_PROFILE] = verb_profile,
	[ROW_DOCTOR] = verb_doctor, [ROW_QUARANTINE] = verb_quarantine,
	[ROW_LOG] = verb_log,       [ROW_ALLOW] = verb_allow,
	[ROW_DENY] = verb_deny,     [ROW_SESSION] = verb_session,
	[ROW_AGENT] = verb_agent,   [ROW_WHY] = verb_why,
	[ROW_LEARN] = verb_learn,   [ROW_CODE] = verb_code,
};

static int print_version(void)
{
	struct out out = { 0 };
	out_text(&out, "sbx %s\n", SBX_VERSION);
	return out_flush(&out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : STATUS_OK;
}

static int unknown_verb(const char *word)
{
	const char *near = NULL;
	unsigned best = 3;
	for (unsigned i = 0; i < verb_row_count; i++) {
		unsigned distance = str_distance(word, verb_rows[i].name, 2);
		if (distance < best) {
			best = distance;
			near = verb_rows[i].name;
		}
	}
	const char *shown = str_shown(word);
	if (near)
		fail(0, "no verb '%.40s', did you mean 'sbx %s'?", shown, near);
	else
		fail(0, "no verb '%.40s'; to run a command: sbx run -- %.40s", shown, shown);
	return box_failed();
}

int main(int count, char **words)
{
	if (fd_fill_standard() < 0)
		return box_failed();
	if (count > 0 && str_equal(path_name(words[0]), "sbx-shell"))
		return verb_sbx_shell(words + 1);
	if (count < 2) {
		help_all(STDERR_FILENO);
		return STATUS_FAILURE;
	}
	if (str_equal(words[1], "--help") || str_equal(words[1], "-h"))
		return help_all(STDOUT_FILENO);
	if (str_equal(words[1], "--version"))
		return print_version();
	for (unsigned i = 0; i < verb_row_count; i++)
		if (str_equal(verb_rows[i].name, words[1]))
			return verbs[i](words + 2);
	return unknown_verb(words[1]);
}
