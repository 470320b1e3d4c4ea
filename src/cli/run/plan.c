// sbx plan: what a run would do, as text or JSON.
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "cli/run/plan_secrets.h"
#include "limits/means.h"
#include "policy/keys.h"
#include "policy/values.h"
#include "probe/machine.h"

static const char *mount_word(const struct mount *mount)
{
	switch (mount->kind) {
	case MOUNT_DIRECTORY:
		return "directory";
	case MOUNT_LINK:
		return "link";
	case MOUNT_TMPFS:
		return "tmpfs";
	case MOUNT_LAYERS:
		return "session";
	case MOUNT_SCRATCH:
		return "overlay";
	case MOUNT_MASK:
		return "hide";
	case MOUNT_SELF:
		return "read-only";
	case MOUNT_PROC:
		return "proc";
	case MOUNT_PTS:
		return "devpts";
	case MOUNT_TEXT:
		return "own";
	case MOUNT_COPY:
		return "copy";
	case MOUNT_BIND:
		break;
	}
	if (mount->cache)
		return "cache";
	switch (mount->access) {
	case ACCESS_READ:
		return "read";
	case ACCESS_WRITE:
		return "write";
	case ACCESS_DEVICE:
		return "device";
	case ACCESS_NOTHING:
		break;
	}
	return "hide";
}

static const char *const project_words[] = { "write", "read", "none" };
static const char *const network_words[] = { "none", "proxy", "host" };

// The keys of [limits] that are numbers; NULL behind the last.
static const struct key *next_limit(const struct key *key)
{
	for (key = key ? key + 1 : keys; key < keys + key_count; key++)
		if (key->section && str_equal(key->section, "limits") && key->kind != KEY_TEXT)
			return key;
	return NULL;
}

static uint64_t limit_of(const struct plan *plan, const struct key *key)
{
	uint64_t value;
	memcpy(&value, (const char *)plan->profile + key->offset, sizeof(value));
	return value;
}

static void text_mounts(struct out *out, const struct plan *plan)
{
	out_text(out, "files\n");
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->kind == MOUNT_DIRECTORY)
			continue;
		out_text(out, "  %-10s %s", mount_word(mount), str_shown(mount->target));
		if (mount->kind == MOUNT_LINK || mount->cache)
			out_text(out, " -> %s", str_shown(mount->source));
		if (mount->size) {
			char size[32];
			units_text(size, sizeof(size), mount->size, UNIT_SIZE);
			out_text(out, " size=%s", size);
		}
		if (mount->mode)
			out_text(out, " mode=%04o", mount->mode);
		out_text(out, "\n");
	}
}

// One more word of a list that begins at column 13 and is broken before column 80.
static void listed_word(struct out *out, int *column, const char *word)
{
	int length = (int)strlen(word);
	if (*column > 13 && *column + length + 1 >= 80) {
		out_text(out, "\n%13s", "");
		*column = 13;
	}
	out_text(out, "%s%s", *column > 13 ? " " : "", word);
	*column += length + (*column > 13);
}

static void text_environment(struct out *out, const struct plan *plan)
{
	int column = 13;
	out_text(out, "environment\n  passed     ");
	for (unsigned i = 0; i < plan->variable_count; i++)
		if (plan->variables[i].value)
			listed_word(out, &column, str_shown(plan->variables[i].name));
	out_text(out, "\n");
	for (unsigned i = 0; i < plan->variable_count; i++)
		if (!plan->variables[i].value)
			out_text(out, "  withheld   %s: %s\n", str_shown(plan->variables[i].name),
				 plan->variables[i].why);
}

// Names that do not exist, or are only reported: relative to the project where they lie in it.
static const char *guard_name(const struct plan *plan, const struct guard *guard)
{
	const char *path = guard->path;
	if (plan->project && path_within(path, plan->project) && !str_equal(path, plan->project))
		path += strlen(plan->project) + 1;
	return str_shown(path);
}

static const char *listed_name(const struct plan *plan, const struct guard *guard)
{
	struct guard directory = *guard;
	directory.path = path_parent(plan->arena, guard->path);
	return plan->project && str_equal(directory.path, plan->project)
		       ? "."
		       : guard_name(plan, &directory);
}

// By which of three ways; LISTED: directories in which any name of the table may be new. The
// fourth, PARTS, is not shown: other names show that directory.
static unsigned guard_way(const struct guard *guard)
{
	return guard->kind == GUARD_REPORTED                                     ? 1
	       : guard->kind == GUARD_LISTED || guard->kind == GUARD_LISTED_PART ? 2
	       : guard->kind == GUARD_PARTS                                      ? 3
										 : 0;
}

static void text_guards(struct out *out, const struct plan *plan)
{
	static const char *const titles[] = { "  absent     ", "  reported   ", "  listed     " };
	if (plan->guard_count == 0)
		return;
	out_text(out, "checked for when the run ends\n");
	for (unsigned way = 0; way < 3; way++) {
		int column = 13;
		out_text(out, "%s", titles[way]);
		for (unsigned i = 0; i < plan->guard_count; i++)
			if (guard_way(&plan->guards[i]) == way)
				listed_word(out, &column,
					    way == 2 ? listed_name(plan, &plan->guards[i])
						     : guard_name(plan, &plan->guards[i]));
		if (way == 2)
			out_text(out, ": by the table of sbx profile names");
		out_text(out, "\n");
	}
}

static void text_limits(struct out *out, const struct box *box)
{
	int column = 13;
	char digits[32];
	out_text(out, "limits       ");
	for (const struct key *key = next_limit(NULL); key; key = next_limit(key)) {
		uint64_t limit = limit_of(&box->plan, key);
		if (limit == UNLIMITED)
			continue;
		units_text(digits, sizeof(digits), limit, value_unit(key));
		listed_word(out, &column, arena_text(box->arena, "%s=%s", key->name, digits));
	}
	out_text(out, column == 13 ? "none\n" : "\n");
	out_text(out, "  enforced   by %s\n", means_text(&box->plan));
	if (box->plan.keeping.means == MEANS_GROUP)
		out_text(out, "  cgroup     %s\n",
			 str_shown(box->plan.keeping.parents[HIERARCHY_ONE]));
}

static void text_list(struct out *out, const char *title, const struct list *words)
{
	int column = 13;
	if (!words->first)
		return;
	out_text(out, "  %-10s ", title);
	list_each (item, words)
		listed_word(out, &column, str_shown(item->text));
	out_text(out, "\n");
}

static const struct network_row {
	const char *name;
	size_t offset; // of a list in struct profile
} network_rows[] = {
	{ "raw-port", offsetof(struct profile, raw_ports) }, // of no use where nothing is allowed
	{ "upload", offsetof(struct profile, upload) },
	{ "download", offsetof(struct profile, download) },
	{ "connect", offsetof(struct profile, connections) },
	{ "rate", offsetof(struct profile, rate) },
	{ "host-port", offsetof(struct profile, loopback) },
	{ "publish", offsetof(struct profile, publish) },
	{ "agent-key", offsetof(struct profile, agent_key) },
	{ "agent-host", offsetof(struct profile, agent_host) },
	{ "agent-sign", offsetof(struct profile, agent_sign) },
};
enum { NETWORK_ROWS = sizeof(network_rows) / sizeof(*network_rows) };

static const struct list *network_list(const struct plan *plan, int row)
{
	return (const struct list *)(const void *)((const char *)plan->profile +
						   network_rows[row].offset);
}

// Of groups each word with its reason, one a line; the rest together.
static void text_network(struct out *out, const struct plan *plan)
{
	struct list own = { 0 };
	out_text(out, "network      %s\n", network_words[plan->profile->network]);
	if (plan->profile->guard == ANSWER_YES)
		out_text(out, "  bpf        BPF programs on the box's cgroup\n");
	if (plan->profile->guard == ANSWER_YES && plan->profile->network == NETWORK_HOST) {
		text_list(out, "allow", &plan->profile->allow);
		text_list(out, "deny", &plan->profile->deny);
	}
	if (!plan->egress.on)
		return;
	const struct item *reason = plan->egress.reasons.first;
	list_each (item, &plan->egress.allow) {
		if (reason->text[0])
			out_text(out, "  allow      %s: %s\n", str_shown(item->text),
				 str_shown(reason->text));
		else
			list_add(&own, plan->arena, item->text, item->from);
		reason = reason->next;
	}
	text_list(out, "allow", &own);
	text_list(out, "deny", &plan->egress.deny);
	if (!plan->egress.allow.first)
		out_text(out, "  allow      nothing\n");
	for (int i = plan->egress.allow.first ? 0 : 1; i < NETWORK_ROWS; i++)
		text_list(out, network_rows[i].name, network_list(plan, i));
	if (plan->profile->ech == ECH_PASS)
		out_text(out, "  ech        TLS clients may hide another server name\n");
	if (plan->profile->network_private == ANSWER_YES)
		out_text(out, "  private    allowed names may lead to private addresses\n");
	if (plan->egress.upstream)
		out_text(out, "  upstream   your own proxy\n");
	plan_secrets_text(out, plan);
}

static void text_plan(struct out *out, const struct box *box)
{
	const struct plan *plan = &box->plan;
	out_text(out, "project      %s (%s)\n", plan->project ? str_shown(plan->project) : "none",
		 project_words[plan->profile->project]);
	out_text(out, "directory    %s\n", str_shown(plan->directory));
	text_network(out, plan);
	out_text(out, "user         uid %u, gid %u%s, no capabilities\n", (unsigned)plan->uid,
		 (unsigned)plan->gid, plan->as_root ? " (as uid 0, gid 0)" : "");
	out_text(out, "  yours      %s\n", probe_capabilities(plan->arena));
	out_text(out, "landlock     ");
	out_text(out, plan->landlock ? "ABI %d\n" : "off\n", plan->landlock);
	out_text(out, "filter       %u instructions\n", plan->filter.count);
	text_limits(out, box);
	text_mounts(out, plan);
	text_guards(out, plan);
	text_environment(out, plan);
	list_each (warning, &plan->warnings)
		out_text(out, "warning      %s\n", str_shown(warning->text));
	list_each (note, &plan->notes)
		out_text(out, "note         %s\n", str_shown(note->text));
}

static void json_mounts(struct out *out, const struct plan *plan)
{
	json_open(out, "mounts", '[');
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		json_open(out, NULL, '{');
		json_string(out, "kind", mount_word(mount));
		json_string(out, "target", mount->target);
		if (mount->source)
			json_string(out, "source", mount->source);
		if (mount->size)
			json_number(out, "size", mount->size);
		if (mount->mode)
			json_number(out, "mode", mount->mode);
		if (mount->from.file)
			json_string(out, "from", mount->from.file);
		if (mount->from.line)
			json_number(out, "line", mount->from.line);
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void json_environment(struct out *out, const struct plan *plan)
{
	json_open(out, "environment", '[');
	for (unsigned i = 0; i < plan->variable_count; i++) {
		json_open(out, NULL, '{');
		json_string(out, "name", plan->variables[i].name);
		json_flag(out, "passed", plan->variables[i].value != NULL);
		if (plan->variables[i].why)
			json_string(out, "why", plan->variables[i].why);
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void json_words(struct out *out, const char *name, const struct list *words)
{
	json_open(out, name, '[');
	list_each (item, words)
		json_string(out, NULL, item->text);
	json_close(out, ']');
}

static void json_plan(struct out *out, const struct box *box)
{
	const struct plan *plan = &box->plan;
	json_begin(out, "plan");
	json_string(out, "project", plan->project ? plan->project : "");
	json_string(out, "access", project_words[plan->profile->project]);
	json_string(out, "directory", plan->directory);
	json_string(out, "network", network_words[plan->profile->network]);
	json_words(out, "allow", &plan->egress.allow);
	json_words(out, "deny", &plan->egress.deny);
	for (int i = 0; i < NETWORK_ROWS; i++)
		json_words(out, network_rows[i].name, network_list(plan, i));
	plan_secrets_json(out, plan);
	json_number(out, "uid", plan->uid);
	json_number(out, "gid", plan->gid);
	json_string(out, "caller_capabilities", probe_capabilities(plan->arena));
	json_string(out, "command_capabilities", "none");
	json_number(out, "landlock", (unsigned)plan->landlock);
	json_open(out, "limits", '{');
	for (const struct key *key = next_limit(NULL); key; key = next_limit(key))
		if (limit_of(plan, key) == UNLIMITED)
			json_string(out, key->name, "unlimited");
		else
			json_number(out, key->name, limit_of(plan, key));
	json_close(out, '}');
	json_string(out, "kept_by", means_text(plan));
	json_mounts(out, plan);
	json_open(out, "guards", '[');
	for (unsigned i = 0; i < plan->guard_count; i++)
		json_string(out, NULL, plan->guards[i].path);
	json_close(out, ']');
	json_environment(out, plan);
	json_open(out, "warnings", '[');
	list_each (warning, &plan->warnings)
		json_string(out, NULL, warning->text);
	json_close(out, ']');
	json_open(out, "notes", '[');
	list_each (note, &plan->notes)
		json_string(out, NULL, note->text);
	json_close(out, ']');
	json_open(out, "command", '[');
	for (char *const *word = plan->command; *word; word++)
		json_string(out, NULL, *word);
	json_close(out, ']');
	json_end(out);
}

int verb_plan(char **words)
{
	struct box *box = box_new();
	struct out out = { 0 };
	if (box_read(box, VERB_PLAN, words) < 0)
		return box_failed();
	if (box->invocation.shell_string)
		box_use_shell(box, box->invocation.shell_string, box->arguments.rest);
	if (box_plan(box) < 0)
		return box_failed();
	if (box->invocation.json == ANSWER_YES)
		json_plan(&out, box);
	else
		text_plan(&out, box);
	return out_flush(&out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : STATUS_OK;
}
