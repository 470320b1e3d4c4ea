// sbx why: says what a run with these options would do with a path, a host or a variable, and by
// which line. Runs nothing.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "policy/find.h"
#include "policy/keys.h"
#include "run/run_command.h"
#include "report/print_fields.h"
#include "cli/run/why.h"
#include "cli/verbs.h"
#include "env/env.h"
#include "view/paths/wishes.h"

static void withheld(const char *name, const char *reason, const char *words, struct why *why)
{
	const char *profile = variable_profile(name);
	out_text(&why->text, "%s: %s\n", words, reason);
	if (profile)
		why_fix(why, "to pass it with what it leads to:", "-p", profile, profile);
	else
		why_fix(why, "to pass it:", "--pass-env", name, name);
}

static void why_variable(struct box *box, const char *name, struct why *why)
{
	for (unsigned i = 0; i < box->plan.variable_count; i++) {
		const struct variable *variable = &box->plan.variables[i];
		if (!str_equal(variable->name, name))
			continue;
		why->verdict = variable->value ? "passed" : "withheld";
		if (variable->value)
			out_text(&why->text, "$%s is passed\n", name);
		else
			withheld(name, variable->why,
				 arena_text(box->arena, "$%s is withheld", name), why);
		return;
	}
	const char *secret = variable_withheld(name, "");
	why->verdict = "unset";
	out_text(&why->text, "$%s is not set here\n", str_shown(name));
	if (secret)
		withheld(name, secret, "  it would be withheld", why);
}

// A path has a slash, begins with "~" or ".", or names an existing file. Other words are hosts.
static bool is_path(const char *word)
{
	return strchr(word, '/') || word[0] == '~' || word[0] == '.' || access(word, F_OK) == 0;
}

// Returns NAME of "$NAME", or a word in capitals, which no host has. An errno name such as EBUSY is
// no variable.
static const char *variable_of(const char *word)
{
	if (*word == '$')
		return word + 1;
	size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	bool capitals = length > 1 && !word[length] && (word[0] < '0' || word[0] > '9');
	bool known = capitals && (getenv(word) || variable_profile(word));
	return known && access(word, F_OK) < 0 ? word : NULL;
}

// A name without a dot is a host if it is allowed, localhost, or a group's name.
static bool is_named_host(const struct box *box, const char *word)
{
	return list_has(&box->profile.allow, word) || str_equal(word, "localhost") ||
	       groups_has(arena_text(box->arena, "@%s", word));
}

static int answer(struct box *box, const char *word, struct why *why)
{
	const char *variable = variable_of(word);
	if (variable) {
		why->kind = "variable";
		why_variable(box, variable, why);
		return 0;
	}
	if (*word == '@') {
		why->kind = "group";
		return why_group(box, word, why);
	}
	if (why_is_call(word)) {
		why->kind = "syscall";
		why_call(box, word, why);
		return 0;
	}
	if (access(word, F_OK) < 0 && why_is_error(word) && !is_named_host(box, word)) {
		why->kind = "error";
		why_error(box, word, why);
		return 0;
	}
	if (is_path(word)) {
		why->kind = "path";
		why_path(box, word, why);
		return 0;
	}
	why->kind = "host";
	return why_host(box, word, why);
}

// Says what the project's .sbx.ini would allow.
static void why_untrusted(const struct box *box, struct why *why)
{
	const char *option = why->fix_count ? why->fixes[0].option + strlen("--") : "";
	const struct key *key = key_find_flag(VERB_RUN, option, strlen(option));
	unsigned line = key ? trust_waits(&box->plan.warnings, key->name, why->fixes[0].value) : 0;
	if (line)
		out_text(&why->text,
			 "  .sbx.ini:%u does that when you trust it: sbx profile trust\n", line);
}

static void why_last(struct box *box, struct out *out)
{
	struct why why = { .asked = "", .kind = "report", .verdict = "refused" };
	if (audit_last(box, &why.text) == 0) {
		why.verdict = "nothing";
		out_text(&why.text, "no run of this project has reported anything\n");
	}
	why_print(out, &why);
	out_free(&why.text);
}

// If there can be no project, plans without one, unless a path is asked for.
static int plan_for(struct box *box, char *const *asked)
{
	bool path = false;
	for (; *asked; asked++)
		path |= is_path(*asked) && !why_is_error(*asked);
	TRY(box_decide(box));
	if (!path && !box->plan.session && !box->plan.given && !project_find(&box->plan))
		box->profile.project = PROJECT_NONE;
	return decide_view(&box->plan, environ);
}

int verb_why(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_WHY, words) < 0)
		return box_failed();
	char **asked = box->arguments.rest;
	static char *nothing[] = { NULL };
	box->invocation.command = nothing;
	if (plan_for(box, asked) < 0)
		return box_failed();
	struct out out = { .json = box->invocation.json == TOGGLE_YES };
	print_begin(&out, "why", NULL);
	print_members(&out, MEMBER_FLAG("inside", box->plan.inside),
		      WORDS(box->plan.inside
				    ? "inside another box: what that one denies stays denied\n"
				    : ""));
	print_open(&out, "answers", '[');
	if (!asked[0])
		why_last(box, &out);
	for (; *asked; asked++) {
		struct why why = { .asked = *asked };
		if (answer(box, *asked, &why) < 0)
			return box_failed();
		why_untrusted(box, &why);
		why_print(&out, &why);
		out_free(&why.text);
	}
	print_end(&out, "answers");
	return box_done(&out, 0);
}
