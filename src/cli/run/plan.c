// sbx plan: what a run would do, as text or JSON.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "report/print_fields.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "limits/group.h"
#include "net/setup/netns.h"
#include "policy/keys.h"
#include "probe/machine.h"
#include "view/paths/wishes.h"

static const char *mount_word(const struct mount *mount)
{
	static const char *const kinds[] = {
		[MOUNT_DIRECTORY] = "directory", [MOUNT_LINK] = "link",
		[MOUNT_TMPFS] = "tmpfs",         [MOUNT_LAYERS] = "session",
		[MOUNT_SCRATCH] = "overlay",     [MOUNT_MASK] = "hide",
		[MOUNT_SELF] = "read-only",      [MOUNT_PROC] = "proc",
		[MOUNT_PTS] = "devpts",          [MOUNT_TEXT] = "own",
		[MOUNT_COPY] = "copy",           [MOUNT_BIND] = NULL,
	};
	static const char *const accesses[] = { [ACCESS_READ] = "read",
						[ACCESS_WRITE] = "write",
						[ACCESS_DEVICE] = "device",
						[ACCESS_NOTHING] = "hide" };
	const char *kind = kinds[mount->kind];
	return kind ? kind : mount->cache ? "cache" : accesses[mount->access];
}

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

static void put_mounts(struct out *out, const struct plan *plan)
{
	char size[32], mode[32];
	print_members(out, WORDS("files\n"));
	print_open(out, "mounts", '[');
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->kind == MOUNT_DIRECTORY && !out->json)
			continue;
		bool leads = mount->kind == MOUNT_LINK || mount->cache;
		units_text(size, sizeof(size), mount->size, UNIT_SIZE);
		snprintf(mode, sizeof(mode), "%04o", mount->mode);
		print_one(out, SHOWN("kind", mount_word(mount), "  ", -10, " "),
			  SHOWN("target", mount->target, "", 0, ""),
			  MEMBER("source", mount->source),
			  SHOWN(NULL, leads ? mount->source : NULL, " -> ", 0, ""),
			  NUMBER_IF(mount->size, "size", mount->size),
			  SHOWN(NULL, mount->size ? size : NULL, " size=", 0, ""),
			  NUMBER_IF(mount->mode, "mode", mount->mode),
			  SHOWN(NULL, mount->mode ? mode : NULL, " mode=", 0, ""),
			  MEMBER("from", mount->from.file),
			  NUMBER_IF(mount->from.line, "line", mount->from.line), WORDS("\n"));
	}
	print_close(out, ']');
}

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

static void put_environment(struct out *out, const struct plan *plan)
{
	int column = 13;
	print_members(out, WORDS("environment\n  passed     "));
	for (unsigned i = 0; i < plan->variable_count && !out->json; i++)
		if (plan->variables[i].value)
			listed_word(out, &column, str_shown(plan->variables[i].name));
	print_members(out, WORDS("\n"));
	print_open(out, "environment", '[');
	for (unsigned i = 0; i < plan->variable_count; i++) {
		const struct variable *variable = &plan->variables[i];
		if (out->json || !variable->value)
			print_one(out, SHOWN("name", variable->name, "  withheld   ", 0, ": "),
				  MEMBER_FLAG("passed", variable->value != NULL),
				  SHOWN("why", variable->why, "", 0, "\n"));
	}
	print_close(out, ']');
}

static const char *inside_name(const struct plan *plan, const char *path)
{
	if (plan->project && str_equal(path, plan->project))
		return ".";
	if (plan->project && path_within(path, plan->project))
		path += strlen(plan->project) + 1;
	return str_shown(path);
}

static const char *below(const struct box *box, const struct place *place, const char *name)
{
	return path_below(box->arena, place->path, name);
}

// Puts the names that the check after the run only reports (`reported`), or the others.
static void put_names(struct out *out, const struct box *box, bool reported, const char *title)
{
	const struct plan *plan = &box->plan;
	int column = 0;
	for (unsigned i = 0; i < plan->place_count; i++)
		list_each (item, &plan->places[i].names) {
			if (item->from.line == ACT_OPENED ||
			    reported != (item->from.line < ACT_QUARANTINE))
				continue;
			out_text(out, "%s", column ? "" : title);
			column = column ? column : 13;
			listed_word(out, &column,
				    inside_name(plan, below(box, &plan->places[i], item->text)));
		}
	out_text(out, "%s", column ? "\n" : "");
}

static void put_places(struct out *out, const struct box *box)
{
	const struct plan *plan = &box->plan;
	int column = 13;
	print_open(out, "places", '[');
	for (unsigned i = 0; out->json && i < plan->place_count; i++)
		json_string(out, NULL, plan->places[i].path);
	print_close(out, ']');
	if (plan->place_count == 0 || out->json)
		return;
	out_text(out, "checked for when the run ends\n");
	put_names(out, box, false, "  absent     ");
	put_names(out, box, true, "  reported   ");
	out_text(out, "  listed     ");
	for (unsigned i = 0; i < plan->place_count; i++)
		if (plan->places[i].role != PLACE_NAMED)
			listed_word(out, &column, inside_name(plan, plan->places[i].path));
	out_text(out, ": names by the table of sbx profile names, and git's own\n");
}

static void put_limits(struct out *out, const struct box *box)
{
	int column = 13;
	char digits[32];
	print_members(out, WORDS("limits       "));
	print_open(out, "limits", '{');
	for (const struct key *key = next_limit(NULL); key; key = next_limit(key)) {
		uint64_t limit = limit_of(&box->plan, key);
		units_text(digits, sizeof(digits), limit, value_unit(key));
		if (!out->json && limit != UNLIMITED)
			listed_word(out, &column,
				    arena_text(box->arena, "%s=%s", key->name, digits));
		else if (limit == UNLIMITED)
			print_members(out, MEMBER(key->name, "unlimited"));
		else
			print_members(out, MEMBER_NUMBER(key->name, limit));
	}
	print_close(out, '}');
	print_members(out, WORDS(column == 13 ? "none" : ""),
		      SHOWN("kept_by", means_text(&box->plan), "\n  enforced   by ", 0, "\n"));
	if (box->plan.keeping.means == MEANS_GROUP)
		print_members(out, SHOWN(NULL, box->plan.keeping.parents[HIERARCHY_ONE],
					 "  cgroup     ", 0, "\n"));
}

// People see the list if `matters` and it is not empty.
static void put_list(struct out *out, bool matters, const char *title, const struct list *words)
{
	int column = 13;
	print_members(out, MEMBER_LIST(title, words));
	if (out->json || !words->first || !matters)
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
	{ "raw-port", offsetof(struct profile, raw_ports) }, // no effect where nothing is allowed
	{ "upload", offsetof(struct profile, upload) },
	{ "download", offsetof(struct profile, download) },
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

static void put_secrets(struct out *out, const struct plan *plan)
{
	static const char *const kinds[] = { [SECRET_VARIABLE] = "env", [SECRET_FILE] = "file" };
	print_open(out, "secrets", '[');
	for (unsigned i = 0; i < plan->credential_count; i++) {
		const struct credential *secret = &plan->credentials[i];
		print_open(out, NULL, '{');
		print_members(out, SHOWN("name", secret->name, "  secret     ", 0, ""),
			      WORDS(": a placeholder in"), MEMBER("kind", kinds[secret->kind]),
			      MEMBER("source", secret->source),
			      MEMBER_LIST("variables", &secret->variables),
			      MEMBER_LIST("hosts", &secret->hosts),
			      MEMBER_LIST("headers", &secret->headers),
			      MEMBER_FLAG("only", !secret->others));
		list_each (item, &secret->variables)
			print_members(out, SHOWN(NULL, item->text, " ", 0, ""));
		print_members(out, SHOWN(NULL, kinds[secret->kind], "; from ", 0, " "),
			      SHOWN(NULL, secret->source, "", 0, ", for"));
		list_each (item, &secret->hosts)
			print_members(out, SHOWN(NULL, item->text, " ", 0, ""));
		print_members(out, WORDS("\n"));
		print_close(out, '}');
	}
	print_close(out, ']');
	print_members(out, SHOWN(NULL, plan->roots_path, "  trusted    ", 0,
				 ", and this box's own certificate\n"));
}

// For people: puts each word of a group with its reason on a line, and all other words together.
static void put_allowed(struct out *out, const struct plan *plan)
{
	struct list own = { 0 };
	const struct item *reason = plan->egress.reasons.first;
	list_each (item, &plan->egress.allow) {
		if (reason->text[0])
			print_members(out, SHOWN(NULL, item->text, "  allow      ", 0, ": "),
				      SHOWN(NULL, reason->text, "", 0, "\n"));
		else
			list_add(&own, plan->arena, item->text, item->from);
		reason = reason->next;
	}
	put_list(out, true, "allow", &own);
}

static void put_network(struct out *out, const struct plan *plan)
{
	const struct profile *profile = plan->profile;
	bool on = plan->egress.on, any = plan->egress.allow.first != NULL;
	bool guard = profile->guard == TOGGLE_YES;
	bool listed = guard && profile->network == NETWORK_HOST && !out->json;
	print_members(out,
		      SHOWN("network", network_words[profile->network], "network      ", 0, "\n"),
		      WORDS(guard ? "  bpf        BPF programs on the box's cgroup\n" : ""));
	if (on && !out->json)
		put_allowed(out, plan);
	else
		put_list(out, listed, "allow", listed ? &profile->allow : &plan->egress.allow);
	put_list(out, on || listed, "deny", listed ? &profile->deny : &plan->egress.deny);
	print_members(out, WORDS(on && !any ? "  allow      nothing\n" : ""));
	for (int i = 0; i < NETWORK_ROWS; i++)
		put_list(out, on && (any || i > 0), network_rows[i].name, network_list(plan, i));
	bool ech = on && profile->ech == ECH_PASS;
	bool private = on && profile->network_private == TOGGLE_YES;
	print_members(
		out, WORDS(ech ? "  ech        TLS clients may hide another server name\n" : ""),
		WORDS(private ? "  private    allowed names may lead to private addresses\n" : ""),
		WORDS(on && plan->egress.upstream ? "  upstream   your own proxy\n" : ""));
	if (on || out->json)
		put_secrets(out, plan);
}

static void put_texts(struct out *out, const char *key, const char *title, const struct list *texts)
{
	print_members(out, MEMBER_LIST(key, texts));
	list_each (item, texts)
		print_members(out, SHOWN(NULL, title, "", -12, " "),
			      SHOWN(NULL, item->text, "", 0, "\n"));
}

static void put_supervisor(struct out *out, const struct plan *plan)
{
	print_members(out, WORDS("supervisor   starts no program\n"));
	print_open(out, "supervisor", '[');
	for (const struct lock_right *right = lock_rights; right->name; right++)
		if (lock_keeps(plan, right))
			print_one(out, SHOWN("right", right->name, "  ", -10, " "),
				  SHOWN("why", right->why, "", 0, "\n"));
	print_close(out, ']');
}

static void put_plan(struct out *out, const struct box *box)
{
	const struct plan *plan = &box->plan;
	const char *user =
		arena_text(box->arena, "uid %u, gid %u%s, no capabilities", (unsigned)plan->uid,
			   (unsigned)plan->gid, plan->as_root ? " (as uid 0, gid 0)" : "");
	const char *landlock = arena_text(box->arena, "ABI %d", plan->landlock);
	print_begin(out, "plan", NULL);
	print_members(out, MEMBER("project", plan->project ? plan->project : ""),
		      SHOWN(NULL, plan->project ? plan->project : "none", "project      ", 0, ""),
		      SHOWN("access", project_words[plan->profile->project], " (", 0, ")\n"),
		      SHOWN("directory", plan->directory, "directory    ", 0, "\n"));
	put_network(out, plan);
	print_members(out, SHOWN(NULL, user, "user         ", 0, "\n"),
		      MEMBER_NUMBER("uid", plan->uid), MEMBER_NUMBER("gid", plan->gid),
		      SHOWN("caller_capabilities", probe_capabilities(plan->arena), "  outside    ",
			    0, "\n"),
		      MEMBER("command_capabilities", "none"),
		      MEMBER_NUMBER("landlock", (unsigned)plan->landlock),
		      SHOWN(NULL, plan->landlock ? landlock : "off", "landlock     ", 0, "\n"),
		      COUNTED(NULL, plan->filter.count, "filter       ", 0, " instructions\n"));
	put_supervisor(out, plan);
	put_limits(out, box);
	put_mounts(out, plan);
	put_places(out, box);
	put_environment(out, plan);
	put_texts(out, "warnings", "warning", &plan->warnings);
	put_texts(out, "notes", "note", &plan->notes);
	print_open(out, "command", '[');
	for (char *const *word = plan->command; *word && out->json; word++)
		json_string(out, NULL, *word);
	print_close(out, ']');
	print_end(out, NULL);
}

// Notes host programs that listen in the project (/proc/net/unix). The kernel may list a relative
// name.
static void note_sockets(struct plan *plan)
{
	enum { LISTENS = 0x10000, BYTES_MAX = 4 << 20 }; // LISTENS: __SO_ACCEPTCON
	char *text = arena_take(plan->arena, BYTES_MAX);
	if (!plan->project || plan->session ||
	    !file_kernel(AT_FDCWD, "/proc/net/unix", text, BYTES_MAX))
		return;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		struct stat status;
		unsigned flags = 0;
		int at = 0;
		sscanf(line, "%*s %*s %*s %x %*s %*s %*s %n", &flags, &at);
		const char *path = path_join(plan->arena, plan->project, line + at);
		if ((flags & LISTENS) && path_within(path, plan->project) &&
		    lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) &&
		    judge_path(plan, path).verdict == PATH_WRITE)
			list_add(&plan->notes, plan->arena,
				 arena_text(plan->arena, "a program outside answers the box at %s",
					    str_shown(path)),
				 (struct origin){ .file = "socket" });
	}
}

int verb_plan(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_PLAN, words) < 0)
		return box_failed();
	if (box->invocation.shell_string)
		box_use_shell(box, box->invocation.shell_string, box->arguments.rest);
	if (box_plan(box) < 0)
		return box_failed();
	note_sockets(&box->plan);
	struct out out = { .json = box->invocation.json == TOGGLE_YES };
	put_plan(&out, box);
	return box_done(&out, 0);
}
