// sbx log: the connections of past and present runs, for people or as they were written.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/str.h"
#include "cli/box.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "net/host/audit.h"
#include "net/host/control_socket.h"
#include "run/decide.h"

extern char **environ;

// The value of a key in a line that audit_write made: no nesting, strings escaped.
static const char *value_of(struct arena *arena, const char *line, const char *key)
{
	char wanted[32];
	snprintf(wanted, sizeof(wanted), "\"%s\":", key);
	const char *at = strstr(line, wanted);
	if (!at)
		return "";
	at += strlen(wanted);
	if (*at != '"')
		return arena_copy(arena, at, strcspn(at, ",}"));
	return arena_copy(arena, at + 1, strcspn(at + 1, "\""));
}

static void show_line(struct arena *arena, struct out *out, const char *line)
{
	const char *program = value_of(arena, line, "program"), *why = value_of(arena, line, "why");
	const char *name = value_of(arena, line, "name"), *port = value_of(arena, line, "port");
	// What is counted together has no destination.
	bool together = !*name;
	out_text(out, "%.19s %-7s %s%s%s %s%s%s%sx%s %s up %s down run %s\n",
		 value_of(arena, line, "time"), value_of(arena, line, "verdict"),
		 together ? "others" : name, together ? "" : ":", together ? "" : port, program,
		 *program ? " " : "", why, *why ? " " : "", value_of(arena, line, "connections"),
		 value_of(arena, line, "up"), value_of(arena, line, "down"),
		 value_of(arena, line, "run"));
}

static int show_file(struct box *box, struct out *out, const char *directory, const char *name,
		     const char *run)
{
	char *line = NULL;
	size_t size = 0;
	const char *path = arena_text(box->arena, "%s/%s", directory, name);
	FILE *file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? 0 : fail(errno, "'%s'", path);
	while (getline(&line, &size, file) > 0) {
		if (!str_printable(line) && !str_ends(line, "\n"))
			continue;
		if (run && !str_equal(value_of(box->arena, line, "run"), run))
			continue;
		if (box->invocation.json == ANSWER_YES)
			out_text(out, "%s", line);
		else
			show_line(box->arena, out, line);
		if (out->used > 1 << 20)
			TRY(out_flush(out, STDOUT_FILENO));
	}
	free(line);
	fclose(file);
	return 0;
}

static int is_log(const struct dirent *entry)
{
	return str_ends(entry->d_name, AUDIT_SUFFIX);
}

// Run by run, the oldest first.
static int show_files(struct box *box, struct out *out, const char *run)
{
	struct dirent **entries;
	const char *state = decide_state_directory(box->arena, environ);
	const char *directory = arena_text(box->arena, "%s/" AUDIT_DIRECTORY, state);
	int result = 0, count = scandir(directory, &entries, is_log, alphasort);
	if (count < 0)
		return errno == ENOENT ? 0 : fail(errno, "'%s'", directory);
	for (int i = 0; i < count; i++) {
		if (result == 0)
			result = show_file(box, out, directory, entries[i]->d_name, run);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static void show_runs(struct out *out)
{
	enum { RUNS_MOST = 1024, COMMAND_MOST = 200 };
	pid_t runs[RUNS_MOST];
	unsigned count = control_socket_runs(runs, RUNS_MOST);
	for (unsigned i = 0; i < count; i++) {
		char path[64], command[COMMAND_MOST + 1] = "";
		snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)runs[i]);
		autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got = fd < 0 ? 0 : read(fd, command, COMMAND_MOST);
		for (ssize_t j = 0; j < got; j++)
			if (!command[j] || command[j] == '\n')
				command[j] = ' ';
		if (got <= 0)
			continue;
		command[got] = '\0';
		out_text(out, "%d ", (int)runs[i]);
		out_visible(out, command, (size_t)got);
		out_text(out, "\n");
	}
}

int verb_log(char **words)
{
	struct box *box = box_new();
	struct out out = { 0 };
	int result = 0;
	if (box_read(box, VERB_LOG, words) < 0)
		return box_failed();
	if (box->invocation.help == ANSWER_YES)
		return help_verb(VERB_LOG, "log");
	const char *run = box->arguments.rest[0];
	if (box->invocation.runs == ANSWER_YES)
		show_runs(&out);
	else
		result = show_files(box, &out, run);
	if (result < 0)
		return box_failed();
	return out_flush(&out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : STATUS_OK;
}
