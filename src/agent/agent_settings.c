// Owns the reading and writing of agents' settings files.
#include "agent/agent_settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agents.h"
#include "base/base.h"
#include "base/fd.h"
#include "text/json.h"

enum { MEMBERS_MAX = 3, CHAIN_MAX = MEMBERS_MAX + 4 };

static const char *variable(char *const *environment, const char *name)
{
	size_t length = name ? strlen(name) : 0;
	for (char *const *entry = environment; length && *entry; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=' &&
		    (*entry)[length + 1] == '/')
			return *entry + length + 1;
	return NULL;
}

static int parse(struct settings *settings)
{
	settings->shape = settings->text;
	if (str_ends(settings->agent->file, ".toml"))
		return 0;
	if (json_is_blank(settings->text, settings->length))
		settings->shape = arena_text(settings->arena, "%s{}%s", settings->text,
					     settings->length ? "" : "\n");
	else
		settings->shape = settings->text;
	if (json_parse(settings->arena, settings->shape, strlen(settings->shape),
		       &settings->root) == 0) {
		if (settings->root->type == JSON_OBJECT)
			return 0;
		return fail(0, "%s: not an object; nothing was written", settings->path);
	}
	return fail(0, "%s: %s; nothing was written", settings->path, err_taken());
}

int settings_read(struct settings *settings, char *const *environment)
{
	const struct agent *agent = settings->agent;
	const char *home = variable(environment, "HOME"),
		   *named = variable(environment, agent->home_variable);
	if (!home && !named)
		return fail(0, "HOME is not set");
	const char *directory =
		named ? arena_text(settings->arena, "%s%s", named, agent->below ? agent->below : "")
		      : path_below(settings->arena, home, agent->home);
	settings->directory = directory;
	TRY(owned_follow(settings->arena, path_below(settings->arena, directory, agent->file),
			 &settings->path));
	settings->mode = 0600;
	TRY(saved_read(settings->arena, settings->path, &settings->text, &settings->mode));
	settings->exists = settings->text != NULL;
	settings->text = settings->exists ? settings->text : "";
	settings->length = strlen(settings->text);
	TRY(parse(settings));
	return saved_find(settings);
}

// Returns the text that sbx writes into the settings. Exit status 2 of a hook denies the command.
static const char *our_value(const struct settings *settings)
{
	if (settings->agent->means == AGENT_MEMBER)
		return arena_text(settings->arena, "%s-shell", settings->program);
	return arena_text(settings->arena, "%s agent hook %s || exit 2",
			  quote_word(settings->arena, settings->program), settings->agent->name);
}

static const struct json *our_hook(const struct settings *settings, const char **ret_command,
				   unsigned ret_place[2])
{
	const char *tail =
		arena_text(settings->arena, " agent hook %s || exit 2", settings->agent->name);
	const struct json *list = json_at(settings->root, settings->agent->path);
	ret_place[0] = 0;
	for (const struct json *entry = list && list->type == JSON_ARRAY ? list->first : NULL;
	     entry; entry = entry->next, ret_place[0]++) {
		const struct json *hooks = json_member(entry, "hooks");
		ret_place[1] = 0;
		for (const struct json *hook = hooks ? hooks->first : NULL; hook;
		     hook = hook->next, ret_place[1]++) {
			const struct json *command = json_member(hook, "command");
			if (!command || command->type != JSON_STRING ||
			    !str_ends(command->string, tail))
				continue;
			*ret_command = command->string;
			return entry;
		}
	}
	return NULL;
}

const char *settings_command(const struct settings *settings)
{
	unsigned place[2];
	const char *command = NULL;
	if (settings->agent->means == AGENT_HOOK)
		return our_hook(settings, &command, place) ? command : NULL;
	const struct json *value = json_at(settings->root, settings->agent->path);
	return value && value->type == JSON_STRING && value->string[0] ? value->string : NULL;
}

enum settings_found settings_find(const struct settings *settings)
{
	const char *command = settings_command(settings);
	if (command)
		return str_equal(command, our_value(settings)) ? SETTINGS_OURS : SETTINGS_OTHER;
	bool other = settings->agent->means == AGENT_MEMBER &&
		     json_at(settings->root, settings->agent->path);
	return other ? SETTINGS_OTHER : SETTINGS_NONE;
}

static bool overrides(const struct settings *settings, const char *path)
{
	FORGIVING;
	const char *text;
	unsigned mode;
	struct json *root;
	const struct agent *agent = settings->agent;
	if (saved_read(settings->arena, path, &text, &mode) < 0 || !text ||
	    json_parse(settings->arena, text, strlen(text), &root) < 0)
		return false;
	if (agent->means == AGENT_MEMBER)
		return json_at(root, agent->path) != NULL;
	const struct json *off = agent->off[0] ? json_at(root, agent->off) : NULL;
	size_t length = off ? off->end - off->start : 0;
	return off && length == strlen(agent->off_value) &&
	       memcmp(text + off->start, agent->off_value, length) == 0;
}

const char *settings_overridden(const struct settings *settings, const char *project)
{
	const char *const *files = settings->agent->project;
	if (settings->agent->means == AGENT_HOOK && overrides(settings, settings->path))
		return settings->path;
	for (int i = 0; i < 3 && files[i]; i++) {
		const char *path = path_join(settings->arena, project ? project : "/", files[i]);
		if (!str_equal(path, settings->path) && overrides(settings, path))
			return path;
	}
	return NULL;
}

char *settings_with(const struct settings *settings)
{
	struct arena *arena = settings->arena;
	const struct agent *agent = settings->agent;
	const char *text = settings->shape, *words = json_quote(arena, our_value(settings));
	char *changed;
	if (agent->means == AGENT_MEMBER)
		changed = json_set(arena, text, settings->root, agent->path, words);
	else
		changed = json_append(arena, text, settings->root, agent->path,
				      arena_text(arena,
						 "{\"matcher\": %s, \"hooks\": [{\"type\": "
						 "\"command\", \"command\": %s}]}",
						 json_quote(arena, agent->matcher), words));
	if (!changed)
		fail(0, "%s: '%s' does not have the form that %s documents; nothing was written",
		     settings->path, agent->path[0], agent->title);
	return changed;
}

enum hook_trust settings_trust(const struct settings *settings)
{
	FORGIVING;
	unsigned mode, place[2];
	const char *text, *command;
	struct arena *arena = settings->arena;
	const struct agent *agent = settings->agent;
	if (!agent->trust)
		return HOOK_TRUSTED;
	if (!our_hook(settings, &command, place) ||
	    saved_read(arena, path_below(arena, settings->directory, agent->trust), &text, &mode) <
		    0)
		return HOOK_UNTRUSTED;
	return trust_of(arena, text ? text : "",
			path_below(arena, settings->directory, agent->file), place[0], place[1]);
}

// True if `value` has more than `own` children, or a comment.
static bool has_more(const char *text, const struct json *value, unsigned own)
{
	size_t at = value->start;
	for (const struct json *child = value->first; child; at = child->end, child = child->next)
		if (own-- == 0 || memchr(text + at, '/', child->begin - at))
			return true;
	return memchr(text + at, '/', value->end - at) != NULL;
}

// Collects the values from the root down to sbx's. Returns their number, or 0.
static unsigned find_chain(const struct settings *settings, const struct json *chain[CHAIN_MAX])
{
	unsigned count = 0, place[2];
	const char *command;
	const struct agent *agent = settings->agent;
	chain[count++] = settings->root;
	for (int i = 0; i < MEMBERS_MAX && agent->path[i]; i++) {
		chain[count] = json_member(chain[count - 1], agent->path[i]);
		if (!chain[count++])
			return 0;
	}
	const struct json *last = chain[count - 1];
	if (agent->means == AGENT_MEMBER) // an sbx in another directory counts, too
		return last->type == JSON_STRING && str_equal(path_name(last->string),
							      path_name(our_value(settings)))
			       ? count
			       : 0;
	const struct json *entry = our_hook(settings, &command, place);
	if (!entry)
		return 0;
	chain[count++] = entry;
	const struct json *hooks = json_member(entry, "hooks"), *hook = hooks->first;
	if (!has_more(settings->text, entry, 2) && !has_more(settings->text, hooks, 1))
		return count;
	for (; place[1] > 0; place[1]--)
		hook = hook->next;
	chain[count++] = hooks;
	chain[count++] = hook;
	return count;
}

// Returns the index of the outermost value that the file lacked before sbx.
static unsigned outermost(const struct settings *settings, const struct json *const *chain,
			  unsigned last, const struct json *before)
{
	const char *path[CHAIN_MAX] = { NULL };
	for (; last > 1 && before; last--) {
		const struct json *parent = chain[last - 1];
		if (last - 1 > MEMBERS_MAX || has_more(settings->text, parent, 1))
			break;
		memcpy(path, settings->agent->path, (last - 1) * sizeof(*path));
		path[last - 1] = NULL;
		if (json_at(before, path))
			break;
	}
	return last;
}

char *settings_without(const struct settings *settings)
{
	const struct json *chain[CHAIN_MAX], *old;
	struct json *before = NULL;
	struct arena *arena = settings->arena;
	const struct agent *agent = settings->agent;
	const char *text = settings->before ? settings->before : "";
	bool blank = json_is_blank(text, strlen(text));
	char *undone = settings->written && !blank
			       ? json_revert(arena, text, settings->written, settings->text)
			       : NULL;
	if (undone)
		return undone;
	unsigned count = find_chain(settings, chain);
	if (count == 0) {
		fail(0, "%s has nothing of sbx", settings->path);
		return NULL;
	}
	text = blank ? "{}" : text;
	if (!settings->written || ATTEMPT(json_parse(arena, text, strlen(text), &before)) < 0)
		before = NULL;
	if (agent->means == AGENT_MEMBER && (old = json_at(before, agent->path)))
		return json_set(arena, settings->text, settings->root, agent->path,
				arena_copy(arena, text + old->start, old->end - old->start));
	unsigned last = outermost(settings, chain, count - 1, before);
	return json_cut(arena, settings->text, chain[last - 1], chain[last]);
}

static int make_directories(struct arena *arena, const char *path)
{
	const char *parent = path_parent(arena, path);
	if (mkdir(parent, 0700) == 0 || errno == EEXIST)
		return 0;
	if (errno != ENOENT)
		return fail(errno, "make '%s'", parent);
	TRY(make_directories(arena, parent));
	return mkdir(parent, 0700) == 0 || errno == EEXIST ? 0 : fail(errno, "make '%s'", parent);
}

int settings_write(const struct settings *settings, const char *text)
{
	const char *now;
	unsigned mode;
	TRY(saved_read(settings->arena, settings->path, &now, &mode));
	if ((now != NULL) != settings->exists || (now && !str_equal(now, settings->text)))
		return fail(0, "'%s' was changed just now; nothing was written", settings->path);
	if (text) {
		TRY(make_directories(settings->arena, settings->path));
		return owned_replace(AT_FDCWD, settings->path, text, settings->mode);
	}
	return unlink(settings->path) < 0 && errno != ENOENT
		       ? fail(errno, "remove '%s'", settings->path)
		       : 0;
}
