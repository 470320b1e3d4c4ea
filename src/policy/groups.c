// Owns the groups of destinations, and the reading of hosts from configuration files.
#include "policy/find.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "text/destination.h"

enum { FILE_MAX = 256 * 1024, FOUND_MAX = 64 };

struct group_reader {
	struct arena *arena;
	const char *home, *project;
	struct plan *plan;
	struct list *into, *reasons;
	unsigned found;
	const char *elsewhere; // a setting that the box does not see, or NULL
};

static void add(struct group_reader *reader, const char *text, const char *reason)
{
	if (list_has(reader->into, text))
		return;
	list_add(reader->into, reader->arena, text, (struct origin){ .file = "group" });
	list_add(reader->reasons, reader->arena, reason, (struct origin){ .file = "group" });
}

// Adds host and port of http://[user:password@]host[:port]/... The rest may be secret.
static void add_url(struct group_reader *reader, const char *url, size_t length, const char *source)
{
	struct host host;
	uint16_t port = 0;
	char text[HOST_PORT_TEXT_MAX];
	const char *at = memrchr(url, '@', length), *begin = at ? at + 1 : url;
	if (reader->found == FOUND_MAX ||
	    !host_parse_port(begin, length - (size_t)(begin - url), &host, &port))
		return;
	reader->found++;
	host_port_text(&host, port, text);
	add(reader, arena_text(reader->arena, "%s", text),
	    arena_text(reader->arena, GROUPS_OF_MACHINE "%s", source));
}

// Reads lines with `word`, and those after a line that ends in '='. Without `word` reads all lines.
static void add_hosts(struct group_reader *reader, const char *source, const char *text,
		      const char *word)
{
	bool goes_on = false;
	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *line = arena_copy(reader->arena, text, length), *at = line;
		text += length + (text[length] != '\0');
		bool wanted = !word || strcasestr(line, word) || (goes_on && strchr(" \t", *line));
		while (length > 0 && strchr(" \t\r", line[length - 1]))
			length--;
		goes_on = wanted && length > 0 && (line[length - 1] == '=' || goes_on);
		while (wanted && (at = strstr(at, "://"))) {
			at += strlen("://");
			const char *ends = at[0] == '[' ? "/?#\"'<> \t\r,;|" : "/?#\"'<> \t\r,;|]";
			add_url(reader, at, strcspn(at, ends), source);
		}
	}
}

static unsigned addresses(const char *text)
{
	unsigned count = 0;
	for (; (text = strstr(text, "://")); text++)
		count++;
	return count;
}

// Notes `source` if it has an address that the box does not see: the box would ask other servers
// for private names.
static void compare(struct group_reader *reader, const char *source, const char *text,
		    const char *word, const char *seen)
{
	if (addresses(text) > addresses(seen ? seen : "") ||
	    (!seen && word && strcasestr(text, word)))
		reader->elsewhere = source;
}

static char *blank(char *at, const char *mark)
{
	const char *end = strstr(at, mark);
	for (; *at && at != end; at++)
		*at = *at == '\n' ? '\n' : ' ';
	return at;
}

// Blanks comments of XML and code. In other files a comment begins with '#', or ';' in formats
// without quotes, after white space and outside of quotes.
static void blank_comments(char *text, const char *path)
{
	bool xml = str_ends(path, ".xml") || str_ends(path, ".Config");
	bool code = str_ends(path, ".gradle") || str_ends(path, ".kts");
	bool quoted = code || str_ends(path, ".toml") || str_ends(path, "ml");
	char quote = '\0';
	for (char *at = text; *at; at++) {
		bool first = at == text || strchr(" \t\n", at[-1]);
		if (quote)
			quote = *at == quote || *at == '\n' ? '\0' : quote;
		else if (quoted && !xml && (*at == '"' || *at == '\'') &&
			 (first || strchr("=:[{,(", at[-1])))
			quote = *at;
		else if (xml ? str_starts(at, "<!--") : code && str_starts(at, "/*"))
			at = blank(at, xml ? "-->" : "*/") - 1;
		else if (code ? str_starts(at, "//")
			      : !xml && first && (*at == '#' || (*at == ';' && !quoted)))
			at = blank(at, "\n") - 1;
	}
}

// Returns the text that the box sees in this host file, or NULL.
static const char *seen_inside(const struct plan *plan, const char *path, const char *text)
{
	const struct mount *above = &plan->mounts[0];
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (path_within(path, plan->mounts[i].target))
			above = &plan->mounts[i];
	if (above->kind == MOUNT_TEXT && str_equal(above->target, path))
		return above->source;
	bool whole = above->kind == MOUNT_SCRATCH || (above->kind == MOUNT_BIND && !above->cache) ||
		     (above->kind == MOUNT_LAYERS && above->source);
	return whole ? text : NULL;
}

// Reads a file's hosts. One that others can write allows nothing.
static void read_file(struct group_reader *reader, const char *path, const char *word, bool decides)
{
	struct stat status;
	char text[FILE_MAX + 1], real[PATH_MAX];
	if (!realpath(path, real))
		return;
	if (reader->project && path_within(real, reader->project)) {
		if (decides && reader->plan && !seen_inside(reader->plan, real, ""))
			reader->elsewhere = path;
		return;
	}
	autoclose int fd = file_open(AT_FDCWD, path, FILE_LINK, &status);
	ssize_t got = fd < 0 ? -1 : fd_read_all(fd, text, FILE_MAX);
	if (got <= 0 || memchr(text, '\0', (size_t)got))
		return;
	text[got] = '\0';
	blank_comments(text, path);
	if (!(status.st_mode & (S_IWGRP | S_IWOTH)) &&
	    (status.st_uid == 0 || status.st_uid == geteuid()))
		add_hosts(reader, path, text, word);
	if (!decides || !reader->plan)
		return;
	const char *inside = seen_inside(reader->plan, real, text);
	char *seen = inside ? arena_copy(reader->arena, inside, strlen(inside)) : NULL;
	if (seen)
		blank_comments(seen, path);
	compare(reader, path, text, word, seen);
	if (got == FILE_MAX)
		reader->elsewhere = path;
}

// Expands "~/". "~/.config" is $XDG_CONFIG_HOME.
static const char *place_of(const struct group_reader *reader, const char *path)
{
	struct arena *arena = reader->arena;
	const char *config = "~/.config/";
	if (reader->plan && str_starts(path, config))
		return path_join(arena, path_parent(arena, reader->plan->config),
				 path + strlen(config));
	return str_starts(path, "~/") ? path_join(arena, reader->home, path + 2) : path;
}

// `value` is "PATH", or "PATH WORD" for lines with the word. A last "*" stands for every file
// there.
static void read_named(struct group_reader *reader, const char *value, bool decides)
{
	size_t length = strcspn(value, " ");
	const char *word = value[length] ? value + length + 1 : NULL;
	const char *path = place_of(reader, arena_copy(reader->arena, value, length));
	if (!str_ends(path, "/*")) {
		read_file(reader, path, word, decides);
		return;
	}
	const char *directory = arena_copy(reader->arena, path, strlen(path) - 2);
	DIR *stream = opendir(directory);
	struct dirent *each = stream ? readdir(stream) : NULL;
	for (; each; each = readdir(stream))
		if (each->d_name[0] != '.')
			read_file(reader, path_join(reader->arena, directory, each->d_name), word,
				  decides);
	if (stream)
		closedir(stream);
}

// `value` is "NAME", a variable with addresses or a path, or "NAME FILE", a file in that directory.
// A last "*" in NAME stands for any rest.
static void read_variable(struct group_reader *reader, const char *value)
{
	const struct plan *plan = reader->plan;
	size_t length = strcspn(value, " ");
	const char *pattern = arena_copy(reader->arena, value, length);
	for (unsigned i = 0; plan && i < plan->variable_count; i++) {
		const struct variable *variable = &plan->variables[i];
		const char *given = variable->entry ? strchr(variable->entry, '=') + 1 : "";
		if (!str_match(variable->name, pattern))
			continue;
		if (given[0] == '/') {
			const char *file =
				value[length] ? path_join(reader->arena, given, value + length + 1)
					      : given;
			read_file(reader, file, NULL, true);
			if (!variable->value && !reader->elsewhere && access(file, F_OK) == 0)
				reader->elsewhere = variable->name;
			continue;
		}
		add_hosts(reader, variable->name, given, NULL);
		compare(reader, variable->name, given, NULL, variable->value);
	}
}

static void close_name(struct group_reader *reader, const char *name)
{
	struct egress *egress = &reader->plan->egress;
	const char *source = reader->elsewhere, *flag = source[0] == '/' ? "read" : "pass-env";
	if (!egress->closed.first)
		list_add(&reader->plan->notes, reader->arena,
			 arena_text(reader->arena,
				    "'%s' names another registry, which the box does not see: "
				    "public ones are not opened; to show all of it: --%s '%s'",
				    source, flag, source),
			 (struct origin){ .file = "group" });
	list_add(&egress->closed, reader->arena, name, (struct origin){ .file = source });
}

int groups_add(struct arena *arena, const char *home, const char *project, struct plan *plan,
	       const struct item *name, struct list *into, struct list *reasons)
{
	struct group_reader reader = { arena, home, project, plan, into, reasons, 0, NULL };
	const char *known = "";
	bool found = false;
	for (unsigned i = 0; i < group_rows.count; i++) {
		const struct ini_row row = ini_at(&group_rows, i);
		if (i == 0 || !str_equal(row.section, ini_at(&group_rows, i - 1).section))
			known = arena_text(arena, "%s %s", known, row.section);
		if (!str_equal(row.section, name->text))
			continue;
		found = true;
		if (str_equal(row.name, "file") || str_equal(row.name, "settings"))
			read_named(&reader, row.value, row.name[0] == 's');
		else if (str_equal(row.name, "variable"))
			read_variable(&reader, row.value);
		else if (reader.elsewhere)
			close_name(&reader, row.name);
		else
			add(&reader, row.name, row.value);
	}
	return found ? 0
		     : fail(0, "%sno group '%.40s', expected one of%s",
			    origin_text(arena, name->from), name->text, known);
}

bool groups_has(const char *name)
{
	for (unsigned i = 0; i < group_rows.count; i++)
		if (str_equal(ini_at(&group_rows, i).section, name))
			return true;
	return false;
}

bool groups_decides(const char *name)
{
	for (unsigned i = 0; i < group_rows.count; i++) {
		const struct ini_row row = ini_at(&group_rows, i);
		if (str_equal(row.section, name) && str_equal(row.name, "settings"))
			return true;
	}
	return false;
}

const char *groups_find(const char *host)
{
	const char *colon = strrchr(host, ':');
	size_t length = colon ? (size_t)(colon - host) : strlen(host);
	struct host parsed;
	if (!host_parse(host, length, &parsed) || parsed.kind != HOST_NAME)
		return NULL;
	for (unsigned i = 0; i < group_rows.count; i++) {
		const char *name = ini_at(&group_rows, i).name;
		if (str_equal(name, parsed.name) ||
		    (str_starts(name, "*.") && host_within(parsed.name, name + 2)))
			return ini_at(&group_rows, i).section;
	}
	return NULL;
}
