// Owns the meaning of sandbox-runtime's and Claude Code's settings, which are JSON.
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "policy/import/import.h"
#include "text/json.h"

// What becomes of a member of an object: the values of a list, or a comment.
struct import_row {
	const char *member;
	int (*take)(struct import *import, const char *key, const char *value);
	const char *key; // of the profile; of import_note() the reason
};

static const struct import_row network_rows[] = {
	{ "allowedDomains", import_host, "allow" },
	{ "deniedDomains", import_host, "deny" },
	{ "allowUnixSockets", import_path, "socket" },
	{ "allowLocalBinding", NULL, "not needed: a box has its own loopback" },
	{ "allowAllUnixSockets", NULL, "a profile names each: socket = PATH" },
	{ "httpProxyPort", NULL, "not taken: a box has its own proxy" },
	{ "socksProxyPort", NULL, "not taken: a box has its own proxy" },
	{ NULL, NULL, NULL }
};

// "//x" is "/x", and a relative path begins at the base (code.claude.com/docs, settings: sandbox
// path prefixes).
static int based_path(struct import *import, const char *key, const char *path)
{
	bool whole = strchr("/~$", path[0]) || str_equal(path, ".") || str_starts(path, "**/");
	path += str_starts(path, "//");
	if (whole || str_equal(import->base, "."))
		return import_path(import, key, path);
	path += str_starts(path, "./") ? strlen("./") : 0;
	return import_path(import, key, arena_text(import->arena, "%s/%s", import->base, path));
}

static const struct import_row file_rows[] = {
	{ "denyRead", based_path, "hide" },
	{ "allowRead", based_path, "read" },
	{ "allowWrite", based_path, "write" },
	{ "denyWrite", based_path, "protect" },
	{ NULL, NULL, NULL },
};

static int each_string(struct import *import, const struct import_row *row,
		       const struct json *member)
{
	if (!row->take)
		return import_note(import, member->key, row->key);
	if (member->type != JSON_ARRAY)
		return import_note(import, member->key, "not taken: the value is not a list");
	for (const struct json *one = member->first; one; one = one->next)
		if (one->type == JSON_STRING)
			TRY(row->take(import, row->key, one->string));
		else
			TRY(import_note(import, member->key, "not taken: the value is not text"));
	return 0;
}

static int each_member(struct import *import, const struct import_row *rows,
		       const struct json *object)
{
	for (const struct json *one = object->first; one; one = one->next) {
		const struct import_row *row = rows;
		while (row->member && !str_equal(row->member, one->key))
			row++;
		TRY(row->member
			    ? each_string(import, row, one)
			    : import_note(import, one->key, "not taken: a box has no such thing"));
	}
	return 0;
}

// The network and filesystem of both; the rest is a comment.
static int both(struct import *import, const struct json *object)
{
	for (const struct json *one = object->first; one; one = one->next) {
		bool section = one->type == JSON_OBJECT;
		if (section && str_equal(one->key, "network"))
			TRY(each_member(import, network_rows, one));
		else if (section && str_equal(one->key, "filesystem"))
			TRY(each_member(import, file_rows, one));
		else
			TRY(import_note(import, one->key, "not taken: a box has no such thing"));
	}
	return 0;
}

static int read_object(struct import *import, const char *text, size_t length,
		       struct json **ret_root)
{
	TRY(json_parse(import->arena, text, length, ret_root));
	if ((*ret_root)->type != JSON_OBJECT)
		return fail(0, "the settings are not a JSON object");
	return 0;
}

int import_srt(struct import *import, const char *text, size_t length)
{
	struct json *root;
	TRY(read_object(import, text, length, &root));
	import->project = "read"; // until allowWrite names "."
	TRY(both(import, root));
	return import_note(import, "reading",
			   "srt shows every file that is not denied, a box only what 'read' names");
}

// Tool(what): the tools that have a meaning for files and hosts.
struct rule_row {
	const char *list, *begin;
	int (*take)(struct import *import, const char *key, const char *value);
	const char *key;
};

// Of rules "/x" begins at the base, and "x" and "./x" where the agent works (the same,
// permissions).
static int rule_path(struct import *import, const char *key, const char *path)
{
	bool grants = str_equal(key, "read") || str_equal(key, "write");
	if (str_starts(path, "//"))
		return import_path(import, key, path + 1);
	if (path[0] == '/')
		return import_path(import, key,
				   arena_text(import->arena, "%s%s", import->base, path));
	// As in .gitignore a name alone is meant in every directory.
	if (!strchr(path, '/') && !str_starts(path, "~") && !str_equal(path, "."))
		return grants ? import_note(
					import, path,
					"not taken: a name in every directory cannot be allowed")
			      : import_path(import, key, arena_text(import->arena, "**/%s", path));
	return import_path(import, key, path);
}

static const struct rule_row rule_rows[] = {
	{ "allow", "Read(", rule_path, "read" },
	{ "allow", "Edit(", rule_path, "write" },
	{ "allow", "Write(", rule_path, "write" },
	{ "allow", "WebFetch(domain:", import_host, "allow" },
	{ "deny", "Read(", rule_path, "hide" },
	{ "deny", "Edit(", rule_path, "protect" },
	{ "deny", "Write(", rule_path, "protect" },
	{ "deny", "WebFetch(domain:", import_host, "deny" },
};

static int one_rule(struct import *import, const char *list, const char *rule)
{
	for (size_t i = 0; i < sizeof(rule_rows) / sizeof(*rule_rows); i++) {
		const struct rule_row *row = &rule_rows[i];
		if (!str_equal(list, row->list) || !str_starts(rule, row->begin) ||
		    !str_ends(rule, ")"))
			continue;
		const char *what = rule + strlen(row->begin);
		return row->take(import, row->key,
				 arena_copy(import->arena, what, strlen(what) - 1));
	}
	return import_note(
		import, rule,
		arena_text(import->arena, "a rule of '%.8s' that is of the agent alone", list));
}

static int one_directory(struct import *import, const char *list, const char *path)
{
	(void)list;
	return import_path(import, "write", path);
}

static const struct import_row permission_rows[] = {
	{ "allow", one_rule, "allow" }, { "deny", one_rule, "deny" },
	{ "ask", one_rule, "ask" },     { "additionalDirectories", one_directory, "write" },
	{ NULL, NULL, NULL },
};

int import_claude(struct import *import, const char *text, size_t length)
{
	struct json *root;
	TRY(read_object(import, text, length, &root));
	for (const struct json *one = root->first; one; one = one->next) {
		bool section = one->type == JSON_OBJECT;
		if (section && str_equal(one->key, "sandbox"))
			TRY(both(import, one));
		else if (section && str_equal(one->key, "permissions"))
			TRY(each_member(import, permission_rows, one));
		else
			TRY(import_note(import, one->key, "not about files or hosts"));
	}
	return 0;
}
