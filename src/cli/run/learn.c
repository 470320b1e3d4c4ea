// sbx learn: runs a command with full enforcement, and proposes the lines that it lacked.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "run/run_command.h"
#include "cli/profile_file.h"
#include "report/print_fields.h"
#include "cli/verbs.h"
#include "net/rules/local_address.h"
#include "plan.h"
#include "policy/keys.h"
#include "policy/find.h"
#include "text/words.h"
#include "text/destination.h"
#include "view/paths/wishes.h"

extern char **environ;

// The file of -o. Its symlinks are resolved before the run: links that a box makes later have no
// effect.
static struct profile_file output;

static int read_before(struct arena *arena, const char **ret_text)
{
	*ret_text = "";
	return output.path ? profile_file_read(arena, &output, ret_text) : 0;
}

static bool is_of(const struct box *box, const struct list *list, const char *path)
{
	list_each (item, list) {
		char name[PATH_MAX], whole[PATH_MAX];
		const char *place = item->text + (item->text[0] == '?');
		size_t end = strcspn(place, "/");
		if (place[0] == '$' && str_put(name, PATH_MAX, "%.*s", (int)end - 1, place + 1) &&
		    getenv(name) && str_put(whole, PATH_MAX, "%s%s", getenv(name), place + end))
			place = whole;
		bool home = str_starts(place, "~/");
		size_t length = strlen(box->plan.home);
		if (home && path_within(path, box->plan.home) && path[length] == '/' &&
		    path_within(path + length, place + 1))
			return true;
		if (!home && place[0] == '/' && path_within(path, place))
			return true;
	}
	return false;
}

// Returns a warning for a path that a hostile command could ask for, or NULL.
static const char *path_caution(const struct box *box, const char *key, const char *path)
{
	struct judgement judgement = judge_path(&box->plan, path);
	bool kept = judgement.by && judgement.by->from.file &&
		    str_equal(judgement.by->from.file, "protect");
	if (is_of(box, &box->profile.secret, path))
		return "a secret";
	return kept && str_equal(key, "write") ? "your own tools run or trust it" : NULL;
}

static const char *host_caution(const char *text)
{
	struct host host;
	uint16_t port = 0;
	autoclose int routes = local_open();
	if (!host_parse_port(text, strlen(text), &host, &port) || host.kind != HOST_ADDRESS)
		return NULL;
	if (local_ask(routes, &host.address) != LOCAL_NOT)
		return "this machine itself";
	enum reach reach = address_reach(&host.address);
	return reach == REACH_NEVER     ? "a link or a metadata service"
	       : reach == REACH_PRIVATE ? "a private address"
					: NULL;
}

static void wish_for(const struct box *box, struct arena *arena, const struct denial *denial,
		     struct proposals *wishes)
{
	if (!denial->flag[0])
		return;
	if (str_equal(denial->flag, "allow")) {
		propose_host(arena, wishes, denial->value, host_caution(denial->value));
		return;
	}
	char real[PATH_MAX];
	const char *path = path_clean(arena, denial->value), *before = getenv("OLDPWD");
	// Uses the resolved path: a link of the command must not stand for another file.
	if (realpath(path, real))
		path = arena_copy(arena, real, strlen(real));
	// Shells ask for $OLDPWD at their start, runtimes for /sys and /proc, but none needs them.
	if (str_equal(denial->kind, "read") &&
	    ((before && str_equal(path, before)) || path_within(path, "/sys") ||
	     !strchr(path + 1, '/')))
		return;
	// A cache needs no line.
	if (is_of(box, &box->profile.cache, path))
		return;
	propose_path(arena, wishes, denial->flag, path, box->plan.home, box->plan.project,
		     path_caution(box, denial->flag, path));
}

// Turns the run's options into lines of a profile. "*" becomes the names that were used.
static void wish_for_options(const struct box *box, struct proposals *wishes)
{
	for (unsigned i = 0; i < box->arguments.count; i++) {
		const struct key *key = box->arguments.set[i].key;
		const char *value = box->arguments.set[i].value;
		bool every = str_equal(key->section, "network") && str_equal(value, "*");
		if (!every && value != output.whole && value != output.path &&
		    !str_equal(key->section, "report"))
			propose_line(wishes, key->section, key->name, value);
	}
}

static const char *head_of(const struct box *box, struct arena *arena)
{
	const char *name = path_name(box->invocation.command[0]);
	const char *text = arena_text(arena, "[profile]\ndescription = learned from %.60s\n",
				      str_visible(name) ? name : "a command");
	if (!box->invocation.profiles.first)
		return arena_text(arena, "%sextends = default\n", text);
	list_each (item, &box->invocation.profiles)
		text = arena_text(arena, "%sextends = %s\n", text, item->text);
	return text;
}

static void put_json(const struct proposals *wishes, const char *text, struct out *out)
{
	out->json = true;
	print_begin(out, "learned", NULL);
	print_members(out, MEMBER("file", output.path), MEMBER("profile", text));
	print_open(out, "lines", '[');
	for (const struct proposal *wish = wishes->all; wish < wishes->all + wishes->count; wish++)
		print_one(out, MEMBER("section", wish->section), MEMBER("key", wish->key),
			  MEMBER("value", wish->value), MEMBER("caution", wish->caution));
	print_end(out, "lines");
}

static void put_words(const char *before, const char *text, bool failed, struct out *out)
{
	if (output.path) {
		profile_file_say(&output, text, out);
		if (failed && !str_equal(before, text))
			out_text(out, "sbx: that allows this step; run the same again\n");
		return;
	}
	out_text(out,
		 failed ? "sbx: this profile would allow this step; write it with -o FILE, and "
			  "run the same again:\n"
			: "sbx: this profile would allow it (-o FILE writes it):\n");
	diff_lines(out, before, text);
}

static int propose(const struct box *box, const struct denials *denials, bool failed,
		   struct out *out)
{
	static struct proposals wishes;
	struct arena *arena = arena_new();
	const char *path = box->invocation.output, *before;
	wish_for_options(box, &wishes);
	for (unsigned i = 0; i < denials->count; i++)
		wish_for(box, arena, &denials->all[i], &wishes);
	// If sbx failed to execute the command, its file needs a line.
	struct denial itself = { .kind = "execute", .flag = "read" };
	if (failed && box->invocation.command[0][0] == '/' &&
	    access(box->invocation.command[0], X_OK) == 0 &&
	    str_put(itself.value, sizeof(itself.value), "%s", box->invocation.command[0]) &&
	    !judge_shows(&box->plan, itself.value))
		wish_for(box, arena, &itself, &wishes);
	TRY(read_before(arena, &before));
	// A command that changed the file could have written its own permissions.
	if (path && !str_equal(before, output.before))
		return fail(0,
			    "'%s' was changed while the command ran, and nothing was added; check "
			    "it, then run this again",
			    path);
	bool json = box->invocation.json == TOGGLE_YES;
	if (wishes.count == 0 && !json) {
		out_text(out, "sbx: nothing was denied: no line is needed\n");
		return 0;
	}
	const char *text = wishes.count == 0
				   ? before
				   : propose_text(arena, before, head_of(box, arena), &wishes);
	if (json)
		put_json(&wishes, text, out);
	else
		put_words(before, text, failed, out);
	return path && !str_equal(before, text)
		       ? profile_file_write(arena, box->plan.state, &output, text, out)
		       : 0;
}

static int after(struct box *box, const struct ending *ending, int status)
{
	struct out out = { 0 };
	int result = ending ? propose(box, ending->denials, status != 0, &out) : 0;
	struct patience *patience = ending ? &ending->outcome->patience : NULL;
	status = report_written(&box->plan, terminal_lines_say(&out, STDERR_FILENO, patience),
				status);
	return result < 0 ? box_failed() : status;
}

int verb_learn(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_LEARN, words) < 0)
		return box_failed();
	if (box->invocation.shell_string)
		box_use_shell(box, box->invocation.shell_string, box->arguments.rest);
	if (!box->invocation.command[0])
		fail(0, "no command given; usage: sbx learn [-o FILE] [OPTION]... [--] COMMAND "
			"[ARGUMENT]...");
	// Refuses, before the run, a file that cannot get lines.
	const char *file = box->invocation.output;
	if (!box->invocation.command[0] ||
	    (file && profile_file_find(box->arena, decide_config_directory(box->arena, environ),
				       file, &output) < 0) ||
	    read_before(box->arena, &output.before) < 0)
		return box_failed();
	// Protects the file. Without -p it is also the profile.
	if (file)
		box_set_first(box, "files", "protect", output.whole);
	if (file && !str_equal(output.whole, output.path))
		box_set_first(box, "files", "protect", output.path);
	if (output.before && output.before[0] && !box->invocation.profiles.first)
		list_add(&box->invocation.profiles, box->arena, output.given,
			 (struct origin){ .file = "--output" });
	box->invocation.explain = TOGGLE_YES;
	box->invocation.learn = TOGGLE_YES;
	box->after = after;
	return run_command(box);
}
