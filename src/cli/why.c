// sbx why: what a run with these options would make of a path, a host or a variable, and which line
// decides. Runs nothing.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/destination.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/host.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "base/trusted.h"
#include "cli/box.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "jail/judge.h"
#include "jail/outer.h"
#include "net/rules/local_address.h"
#include "net/rules/rules.h"

extern char **environ;

// The line that decides: a profile's, a flag, or what sbx itself does.
static const char *line_of(struct box *box, const struct origin *from)
{
	if (!from->file)
		return "sbx itself";
	return from->line ? arena_text(box->arena, "%s, line %u", from->file, from->line)
			  : from->file;
}

// In a directory of the box's own, where nothing of the host's is.
static bool is_in_own(const struct judgement *judgement, const char *path)
{
	const struct mount *by = judgement->by;
	bool own = by && (by->kind == MOUNT_TMPFS || (by->kind == MOUNT_LAYERS && !by->source));
	return own && judgement->verdict != PATH_ABSENT && !str_equal(by->target, path);
}

static const char *path_words(const struct judgement *judgement, const char *path)
{
	if (is_in_own(judgement, path))
		return judgement->by->kind == MOUNT_LAYERS
			       ? "is not in the box: what lies above it is the session's own"
			       : "is not in the box: what lies above it is empty there, and what "
				 "is "
				 "written is thrown away";
	switch (judgement->verdict) {
	case PATH_READ:
		return "can be read";
	case PATH_WRITE:
		return judgement->by->kind == MOUNT_LAYERS
			       ? "can be read and, in the session, written"
			       : "can be read and written";
	case PATH_PRIVATE:
		if (judgement->by->kind == MOUNT_SCRATCH)
			return "can be read; what is written is thrown away at the end";
		return judgement->by->cache
			       ? "can be written; kept for this project's boxes, apart from the "
				 "host's"
			       : "can be written; the box's own, thrown away at the end";
	case PATH_HIDDEN:
		return "is hidden";
	case PATH_ABSENT:
		break;
	}
	return "is not in the box: no line names it";
}

// What the box around this one makes of it, by effect.
static void why_outer(const struct box *box, const char *path, bool absent, struct out *out)
{
	if (!box->plan.inside)
		return;
	if (access(path, F_OK) < 0 && errno == ENOENT && absent)
		out_text(out,
			 "  the box around this one has no such file: that one needs the same\n");
	else if (access(path, W_OK) < 0 && errno == EROFS)
		out_text(out, "  it is read-only in the box around this one\n");
}

static void why_shown(struct box *box, const char *path, struct out *out)
{
	struct judgement judgement = judge_path(&box->plan, path);
	const struct item *kept = judge_final(&box->plan, path, true);
	bool absent = judgement.verdict == PATH_ABSENT || judgement.verdict == PATH_HIDDEN ||
		      is_in_own(&judgement, path);
	out_text(out, "%s %s", str_shown(path), path_words(&judgement, path));
	if (judgement.by)
		out_text(out, " (%s)", str_shown(line_of(box, &judgement.by->from)));
	out_text(out, "\n");
	why_outer(box, path, absent, out);
	if (absent)
		out_text(out, "  to read it:  --read %s\n", str_shown(path));
	else if (access(path, R_OK) < 0 && errno == EACCES)
		out_text(out, "  but you may not read it yourself\n");
	if (kept && judgement.verdict == PATH_WRITE)
		out_text(out, "  but what appears there is moved away (%s)\n",
			 str_shown(line_of(box, &kept->from)));
	else if (kept)
		out_text(out, "  no option lets it be written (%s)\n",
			 str_shown(line_of(box, &kept->from)));
	else if (judgement.verdict != PATH_WRITE)
		out_text(out, "  to write it: --write %s\n", str_shown(path));
}

// Who runs what stands under such a name. Git's own parts have no row.
static void why_trusted(const struct box *box, const char *path, struct out *out)
{
	const char *project = box->plan.project;
	if (!project || !path_within(path, project) || str_equal(path, project))
		return;
	const struct trusted_row *row = trusted_find(path + strlen(project) + 1);
	if (row)
		out_text(out, "  your own programs run or trust it (%s): %s\n",
			 row->answer == TRUSTED_PROTECT ? "protected" : "reported when it changes",
			 trusted_text + row->who);
}

static void why_path(struct box *box, const char *word, struct out *out)
{
	char real[PATH_MAX];
	const char *path = word, *copy;
	struct identity link;
	if (str_starts(word, "~"))
		path = arena_text(box->arena, "%s%s", box->plan.home, word + 1);
	path = path_join(box->arena, box->plan.current ? box->plan.current : "/", path);
	if (outer_copy(box->arena, path, &link, &copy)) {
		out_text(out, "%s can be read: the copy of the box around this one (protect)\n",
			 str_shown(path));
		return;
	}
	if (realpath(path, real) && !str_equal(real, path)) {
		out_text(out, "%s leads to %s\n", str_shown(path), str_shown(real));
		path = arena_copy(box->arena, real, strlen(real));
	}
	const struct item *hidden = judge_final(&box->plan, path, false);
	if (hidden) {
		out_text(out, "%s is hidden (%s)\n  no option shows it\n", str_shown(path),
			 str_shown(line_of(box, &hidden->from)));
		return;
	}
	why_shown(box, path, out);
	why_trusted(box, path, out);
}

// By which words a host is allowed: the text of a rule, with a group's reason.
static void why_allowed(struct box *box, const char *text, struct out *out)
{
	const struct item *reason = box->plan.egress.reasons.first;
	list_each (item, &box->plan.egress.allow) {
		if (str_equal(item->text, text)) {
			out_text(out, " (%s%s%s; %s)", str_shown(text), reason->text[0] ? ": " : "",
				 str_shown(reason->text), str_shown(line_of(box, &item->from)));
			return;
		}
		reason = reason->next;
	}
	out_text(out, " (%s)", str_shown(text));
}

// The loopback is the box's own; single ports of the host's appear in it.
static void why_loopback(struct box *box, const char *word, uint16_t port, struct out *out)
{
	list_each (item, &box->profile.loopback) {
		unsigned long long opened = 0;
		if (str_number(item->text, strlen(item->text), 1, 65535, &opened) &&
		    opened == port) {
			out_text(out, "%s, port %u, is the host's (%s)\n", word, port,
				 str_shown(line_of(box, &item->from)));
			return;
		}
	}
	out_text(out, "%s, port %u, %s\n  to reach the host's: --loopback %u\n", word, port,
		 box->plan.own_network ? "is the box's own" : "cannot be reached", port);
}

static int why_rules(struct box *box, const char *word, const struct host *host, uint16_t port,
		     struct out *out)
{
	static struct rules rules;
	struct list none = { 0 };
	struct refusal refusal;
	autoclose int routes = local_open();
	TRY(rules_compile(&box->plan, &none, &none, &rules));
	const struct rule *rule = rules_decide(&rules, host, port, routes, &refusal);
	out_text(out, "%s, port %u, ", word, port);
	if (rule) {
		out_text(out, "can be reached");
		why_allowed(box, rule->text, out);
		out_text(out, "\n");
	} else if (refusal.deny) {
		out_text(out, "is denied (%s)\n", str_shown(refusal.deny->text));
	} else {
		out_text(out, "cannot be reached: %s\n  to reach it: --allow-domain %s\n",
			 refusal.why, word);
	}
	return 0;
}

static const struct item *listed(const struct list *words, const struct host *host, uint16_t port)
{
	struct destination destination;
	list_each (item, words)
		if (destination_parse(item->text, &destination) &&
		    destination_matches(&destination, host, port))
			return item;
	return NULL;
}

// In mode host a guard goes by the lines as they are, and by addresses alone.
static void why_guard(struct box *box, const char *word, const struct host *host, uint16_t port,
		      struct out *out)
{
	const struct item *deny = listed(&box->profile.deny, host, port);
	const struct item *line = deny ? deny : listed(&box->profile.allow, host, port);
	out_text(out, "%s, port %u, ", word, port);
	if (host->kind == HOST_NAME)
		out_text(out,
			 "is a name: in mode host the guard judges the address that it leads to\n");
	else if (line)
		out_text(out, "%s (%s; %s)\n", deny ? "is denied" : "can be reached",
			 str_shown(line->text), str_shown(line_of(box, &line->from)));
	else
		out_text(out,
			 "cannot be reached: not in the allowlist\n  to reach it: --allow-domain "
			 "%s\n",
			 word);
}

static int why_host(struct box *box, const char *word, struct out *out)
{
	struct host host;
	uint16_t port = 443;
	if (!host_parse_port(word, strlen(word), &host, &port))
		return fail(0, "'%.80s' is no host; a file is written with a '/': ./%.80s",
			    str_shown(word), str_shown(word));
	switch (box->profile.network) {
	case NETWORK_NONE:
		out_text(out, "%s cannot be reached: the network is off (mode none)\n", word);
		out_text(out, "  to reach it: --network proxy --allow-domain %s\n", word);
		return 0;
	case NETWORK_HOST:
		if (box->profile.guard == ANSWER_YES)
			why_guard(box, word, &host, port, out);
		else
			out_text(out, "%s can be reached as on the host (mode host)\n", word);
		return 0;
	case NETWORK_PROXY:
		break;
	}
	if (host.kind == HOST_ADDRESS ? rules_is_loopback(&host.address)
				      : str_equal(host.name, "localhost"))
		why_loopback(box, word, port, out);
	else
		TRY(why_rules(box, word, &host, port, out));
	return 0;
}

static int why_variable(struct box *box, const char *name, struct out *out)
{
	for (unsigned i = 0; i < box->plan.variable_count; i++) {
		const struct variable *variable = &box->plan.variables[i];
		if (!str_equal(variable->name, name))
			continue;
		if (variable->value)
			out_text(out, "$%s is passed\n", name);
		else
			out_text(out, "$%s is withheld: %s\n", name, variable->why);
		if (!variable->value)
			out_text(out, "  to pass it: --pass-env %s\n", name);
		return 0;
	}
	out_text(out, "$%s is not set here\n", str_shown(name));
	return 0;
}

// A path has a slash or stands for one, or is a file that is there; the rest are names of hosts.
static bool is_path(const char *word)
{
	return strchr(word, '/') || word[0] == '~' || word[0] == '.' || access(word, F_OK) == 0;
}

int verb_why(char **words)
{
	struct box *box = box_new();
	struct out out = { 0 };
	if (box_read(box, VERB_WHY, words) < 0)
		return box_failed();
	if (box->invocation.help == ANSWER_YES)
		return help_verb(VERB_WHY, "why");
	char **asked = box->arguments.rest;
	static char *nothing[] = { NULL };
	box->invocation.command = nothing;
	if (!asked[0]) {
		fail(0, "nothing to explain; usage: sbx why [OPTION]... "
			"PATH|HOST[:PORT]|$VARIABLE...");
		return box_failed();
	}
	if (box_plan(box) < 0)
		return box_failed();
	if (box->plan.inside)
		out_text(&out, "inside a box of sbx: what that one refuses stays refused\n");
	for (; *asked; asked++) {
		int result = 0;
		if (**asked == '$')
			result = why_variable(box, *asked + 1, &out);
		else if (is_path(*asked))
			why_path(box, *asked, &out);
		else
			result = why_host(box, *asked, &out);
		if (result < 0)
			return box_failed();
	}
	return out_flush(&out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : STATUS_OK;
}
