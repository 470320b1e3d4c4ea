// Owns the groups and the reading of hosts out of configuration files.
#include "policy/find.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "text/host.h"

enum { FILE_MAX = 256 * 1024, FOUND_MAX = 64 };

struct group_reader {
	struct arena *arena;
	const char *home, *project;
	struct list *into, *reasons;
	unsigned found;
};

static void add(struct group_reader *reader, const char *text, const char *reason)
{
	if (list_has(reader->into, text))
		return;
	list_add(reader->into, reader->arena, text, (struct origin){ .file = "group" });
	list_add(reader->reasons, reader->arena, reason, (struct origin){ .file = "group" });
}

// http://[user:password@]host[:port]/... : the host and port alone; what else is there is secret
// or of no use.
static void add_url(struct group_reader *reader, const char *url, size_t length, const char *file)
{
	struct host host;
	uint16_t port = 0;
	char name[HOST_NAME_BYTES_MAX + 1];
	const char *at = memrchr(url, '@', length), *begin = at ? at + 1 : url;
	if (reader->found == FOUND_MAX ||
	    !host_parse_port(begin, length - (size_t)(begin - url), &host, &port))
		return;
	reader->found++;
	host_text(&host, name);
	bool bracket = strchr(name, ':') != NULL;
	const char *text =
		!port ? arena_text(reader->arena, "%s", name)
		      : arena_text(reader->arena, bracket ? "[%s]:%u" : "%s:%u", name, port);
	add(reader, text, arena_text(reader->arena, "this machine uses it: %s", file));
}

static void read_line(struct group_reader *reader, const char *line, const char *word,
		      const char *file)
{
	const char *text = line + strspn(line, " \t");
	if (*text == '#' || *text == ';' || (word && !strcasestr(line, word)))
		return;
	for (const char *scheme = strstr(text, "://"); scheme; scheme = strstr(text, "://")) {
		text = scheme + 3;
		size_t authority =
			strcspn(text, text[0] == '[' ? "/?#\"'<> \t,;|" : "/?#\"'<> \t,;|]");
		add_url(reader, text, authority, file);
		text += authority;
	}
}

// Cuts the text at its newlines.
static void read_lines(struct group_reader *reader, char *text, const char *word, const char *file)
{
	char *next;
	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		read_line(reader, line, word, file);
	}
}

// A file of the caller's or of root's that nobody else can write; else it is passed over: a group
// is a convenience, and a file of somebody else's must not open anything.
static void read_file(struct group_reader *reader, const char *path, const char *word)
{
	struct stat status;
	char text[FILE_MAX + 1];
	if (reader->project && path_within(path, reader->project))
		return;
	autoclose int fd = file_open(AT_FDCWD, path, FILE_LINK, &status);
	if (fd < 0 || (status.st_mode & (S_IWGRP | S_IWOTH)) ||
	    (status.st_uid != 0 && status.st_uid != geteuid()))
		return;
	ssize_t got = fd_read_all(fd, text, FILE_MAX);
	if (got <= 0 || memchr(text, '\0', (size_t)got))
		return;
	text[got] = '\0';
	read_lines(reader, text, word, path);
}

// "PATH" or "PATH WORD": only lines with the word. A last "*" stands for every file there.
static void read_named(struct group_reader *reader, const char *value)
{
	size_t length = strcspn(value, " ");
	const char *word = value[length] ? value + length + 1 : NULL;
	const char *path = arena_copy(reader->arena, value, length);
	if (str_starts(path, "~/"))
		path = path_join(reader->arena, reader->home, path + 2);
	if (!str_ends(path, "/*")) {
		read_file(reader, path, word);
		return;
	}
	const char *directory = arena_copy(reader->arena, path, strlen(path) - 2);
	DIR *stream = opendir(directory);
	struct dirent *each = stream ? readdir(stream) : NULL;
	for (; each; each = readdir(stream))
		if (each->d_name[0] != '.')
			read_file(reader, path_join(reader->arena, directory, each->d_name), word);
	if (stream)
		closedir(stream);
}

int groups_add(struct arena *arena, const char *home, const char *project, const struct item *name,
	       struct list *into, struct list *reasons)
{
	struct group_reader reader = { arena, home, project, into, reasons, 0 };
	const char *known = "";
	bool found = false;
	for (unsigned i = 0; i < group_rows.count; i++) {
		const struct ini_row row = ini_at(&group_rows, i);
		if (i == 0 || !str_equal(row.section, ini_at(&group_rows, i - 1).section))
			known = arena_text(arena, "%s %s", known, row.section);
		if (!str_equal(row.section, name->text))
			continue;
		found = true;
		if (str_equal(row.name, "file"))
			read_named(&reader, row.value);
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
