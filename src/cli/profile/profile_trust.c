// sbx profile status, trust and untrust: the project's profile, .sbx.ini. sbx profile show without
// a name, and forget: answers that hold for the project.
#include "cli/profile/profile_verb.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "report/print_fields.h"
#include "run/run_command.h"
#include "policy/find.h"
#include "text/words.h"

extern char **environ;

int profile_project(struct box *box)
{
	struct plan *plan = &box->plan;
	plan->arena = box->arena;
	decide_places(plan, environ);
	TRY(owned_check(plan->state));
	return plan->toplevel ? 0 : fail(0, "the current directory cannot be a project");
}

static int own_file(struct box *box, char **words, struct trust *ret_trust)
{
	struct plan *plan = &box->plan;
	if (words[0])
		return fail(0,
			    "this acts on the current project; change to its directory and leave "
			    "out '%.40s'",
			    str_shown(words[0]));
	TRY(profile_project(box));
	TRY(trust_read(box->arena, plan->state, plan->toplevel, ret_trust));
	if (ret_trust->state == TRUST_NO_FILE)
		return fail(0, "this project has no .sbx.ini: there is nothing to trust");
	return 0;
}

static void show_text(struct out *out, const struct trust *trust)
{
	if (trust->state == TRUST_CHANGED)
		diff_lines(out, trust->trusted, trust->source.text);
	else if (trust->state == TRUST_UNKNOWN)
		diff_lines(out, "", trust->source.text);
}

static bool has_row(const struct ini_rows *rows, const struct ini_row *row)
{
	for (unsigned i = 0; i < rows->count; i++) {
		const struct ini_row other = ini_at(rows, i);
		if (str_equal(other.section, row->section) && str_equal(other.name, row->name) &&
		    str_equal(other.value, row->value))
			return true;
	}
	return false;
}

static void put_row(struct out *out, const struct ini_row *row, const char *what)
{
	print_open(out, NULL, '{');
	print_members(out, MEMBER_NUMBER("line", row->line));
	if (!out->json)
		out_text(out, "line %u %s: [%s] %s = %s\n", row->line, what, row->section,
			 row->name, row->value);
	print_close(out, '}');
}

// Puts loosening lines last, new ones after trusted ones: others cannot hide them.
static void put_loosening(struct out *out, const struct trust *trust, const struct list *ignored)
{
	const struct ini_rows *rows = &trust->source.rows, *before = &trust->trusted_rows;
	print_open(out, "ignored", '[');
	for (int new = 0; new <= 1; new ++) {
		for (unsigned i = 0; new && !out->json &&i < before->count; i++) {
			const struct ini_row row = ini_at(before, i);
			if (!has_row(rows, &row))
				put_row(out, &row, "was there before, and is gone");
		}
		list_each (item, ignored) {
			const struct ini_row row = ini_at(rows, item->from.order - ORDER_UNTRUSTED);
			if (has_row(before, &row) != new)
				put_row(out, &row, "loosens the box");
		}
	}
	print_close(out, ']');
}

static void put_status(struct out *out, const struct trust *trust, const struct list *ignored)
{
	static const struct {
		const char *state, *words;
	} rows[] = {
		[TRUST_NO_FILE] = { "", "" },
		[TRUST_UNKNOWN] = { "untrusted", "not trusted: it can only tighten the box" },
		[TRUST_CHANGED] = { "changed",
				    "changed since you trusted it: it can only tighten the box" },
		[TRUST_GIVEN] = { "trusted", "trusted" },
	};
	struct out difference = { 0 };
	print_begin(out, "profile-status", NULL);
	print_members(out, SHOWN("file", trust->source.file, "", 0, ": "),
		      MEMBER("state", rows[trust->state].state),
		      SHOWN(NULL, rows[trust->state].words, "", 0, "\n"));
	show_text(out->json ? &difference : out, trust);
	put_loosening(out, trust, ignored);
	print_members(out, MEMBER("difference", difference.used ? difference.text : ""),
		      WORDS(trust->state == TRUST_GIVEN ? ""
							: "to allow it to loosen the box as "
							  "well: sbx profile trust\n"));
	print_end(out, NULL);
	out_free(&difference);
}

// Reads all profiles as a run does.
static int read_all(struct box *box, const struct trust *trust, struct list *ret_ignored)
{
	struct profile profile = { 0 };
	struct list names = { 0 };
	const char *config = decide_config_directory(box->arena, environ);
	TRY(merge_profiles(box->arena, config, &names, &profile));
	return trust_merge(box->arena, config, trust, &profile, ret_ignored);
}

static int not_shown(void)
{
	return fail(errno, "stdout: the file could not be shown whole");
}

int profile_status(struct box *box, char **words, struct out *out)
{
	struct trust trust;
	struct list ignored = { 0 };
	TRY(own_file(box, words, &trust));
	TRY(read_all(box, &trust, &ignored));
	put_status(out, &trust, &ignored);
	// With --json no person has seen the text: it is not noted as shown.
	bool shown = trust.state != TRUST_GIVEN && !out->json;
	if (out_flush(out, STDOUT_FILENO) < 0)
		return not_shown();
	return shown ? trust_note_shown(box->arena, box->plan.state, box->plan.toplevel, &trust)
		     : 0;
}

// Shows and trusts the text that was read. Refuses what a run would refuse, and a text that differs
// from what `sbx profile status` showed: a box or git may have changed it.
int profile_trust(struct box *box, char **words, struct out *out)
{
	struct trust trust;
	struct list ignored = { 0 };
	TRY(own_file(box, words, &trust));
	TRY(read_all(box, &trust, &ignored));
	if (trust.shown) {
		diff_lines(out, trust.shown, trust.source.text);
		put_loosening(out, &trust, &ignored);
		if (out_flush(out, STDOUT_FILENO) < 0)
			return not_shown();
		TRY(trust_note_shown(box->arena, box->plan.state, box->plan.toplevel, &trust));
		return fail(0, "the file is not as you were shown it: you or a program changed it; "
			       "read the change above, then once more: sbx profile trust");
	}
	show_text(out, &trust);
	put_loosening(out, &trust, &ignored);
	if (out_flush(out, STDOUT_FILENO) < 0)
		return not_shown();
	box->plan.trying = true;
	box->invocation.command = words; // empty: no command
	TRY(box_plan(box));
	TRY(trust_give(box->arena, box->plan.state, box->plan.toplevel, &trust));
	out_text(out, "%s: trusted as it is now\n", str_shown(trust.source.file));
	return 0;
}

int profile_untrust(struct box *box, char **words, struct out *out)
{
	(void)out;
	struct trust trust;
	TRY(own_file(box, words, &trust));
	return trust_take(box->arena, box->plan.state, box->plan.toplevel);
}

int profile_show_answers(struct box *box, struct out *out)
{
	const char *text;
	TRY(profile_project(box));
	TRY(answers_read(box->arena, box->plan.state, box->plan.toplevel, &text));
	if (*text)
		out_text(out,
			 "; answered with 'project'; holds in runs of %s that ask\n"
			 "; to take one back: sbx profile forget HOST:PORT\n%s",
			 str_shown(box->plan.toplevel), text);
	else
		out_text(out, "; nothing was answered with 'project' for %s\n",
			 str_shown(box->plan.toplevel));
	return 0;
}

int profile_forget(struct box *box, char **words, struct out *out)
{
	(void)out;
	if (!words[0])
		return fail(0, "usage: sbx profile forget HOST:PORT...");
	TRY(profile_project(box));
	for (; *words; words++) {
		int found = answers_forget(box->arena, box->plan.state, box->plan.toplevel, *words);
		TRY(found);
		if (!found)
			return fail(0,
				    "'%.80s' is not a stored answer of this project; see: sbx "
				    "profile show",
				    str_shown(*words));
	}
	return 0;
}
