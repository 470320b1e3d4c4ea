// Owns the walk to the program of --ask-program, by descriptors: no box may write a directory on
// its path.
#include "outside/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"

enum { LINKS_MAX = 40, FIRST_LINE_MAX = 255 };

static int refuse(const char *shown, const char *place)
{
	return fail(0,
		    "--ask-program: '%s' is in '%s', where boxes may write; give a program that "
		    "they cannot change",
		    shown, str_shown(place));
}

static int check_directory(const struct plan *plan, int directory, const char *shown)
{
	const char *place;
	char real[PATH_MAX];
	enum outside outside = outside_look(plan, directory, &place);
	if (outside == OUTSIDE_UNKNOWN || outside_path(directory, real) < 0)
		return fail(errno, "--ask-program: '%s'", shown);
	if (outside != OUTSIDE_NOT)
		return refuse(shown, place);
	// Refuses the project: its other boxes may write there.
	if (plan->toplevel && path_within(real, plan->toplevel))
		return refuse(shown, plan->toplevel);
	return 0;
}

static int check_file(const struct plan *plan, const struct stat *status, const char *shown)
{
	if (!S_ISREG(status->st_mode))
		return fail(0, "--ask-program: '%s' is not a regular file", shown);
	if (outside_written(plan, status))
		return fail(0,
			    "--ask-program: '%s' is a file that the box may write; give a program "
			    "that it cannot change",
			    shown);
	if (status->st_nlink > 1 && status->st_uid == plan->uid)
		return fail(0,
			    "--ask-program: '%s' has another name, by which a box may reach it; "
			    "give a copy",
			    shown);
	return 0;
}

struct ask_way {
	const struct plan *plan;
	const char *shown;
	int at;
	char rest[PATH_MAX];
	unsigned links;
};

static int follow(struct ask_way *way, int link)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t length = readlinkat(link, "", target, sizeof(target) - 1);
	if (length <= 0 || way->links++ == LINKS_MAX)
		return fail(length <= 0 ? errno : ELOOP, "--ask-program: '%s'", way->shown);
	target[length] = '\0';
	if (!str_put(rest, sizeof(rest), "%s%s", target, way->rest))
		return fail(ENAMETOOLONG, "--ask-program: '%s'", way->shown);
	memcpy(way->rest, rest, strlen(rest) + 1);
	if (rest[0] != '/')
		return 0;
	fd_close(&way->at);
	way->at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return way->at < 0 ? fail(errno, "--ask-program: '/'") : 0;
}

static int go_on(struct ask_way *way, int *ret_fd)
{
	struct stat status;
	char name[NAME_MAX + 1];
	size_t skipped = strspn(way->rest, "/"), length = strcspn(way->rest + skipped, "/");
	if (length == 0 || length > NAME_MAX)
		return fail(0, "--ask-program: '%s' is not a program", way->shown);
	memcpy(name, way->rest + skipped, length);
	name[length] = '\0';
	memmove(way->rest, way->rest + skipped + length, strlen(way->rest + skipped + length) + 1);
	bool named = !str_equal(name, ".") && !str_equal(name, "..");
	if (named)
		TRY(check_directory(way->plan, way->at, way->shown));
	autoclose int fd = openat(way->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "--ask-program: '%s'", way->shown);
	if (S_ISLNK(status.st_mode))
		return follow(way, fd);
	if (S_ISDIR(status.st_mode)) {
		fd_close(&way->at);
		way->at = take(&fd);
		return 0;
	}
	if (way->rest[0])
		return fail(ENOTDIR, "--ask-program: '%s'", way->shown);
	TRY(check_file(way->plan, &status, way->shown));
	*ret_fd = take(&fd);
	return 1;
}

// Returns an O_PATH descriptor of a file that no box may write or replace.
static int walk(const struct plan *plan, const char *path)
{
	int fd = -1, found = 0;
	struct ask_way way = { .plan = plan, .shown = str_shown(path) };
	if (!str_put(way.rest, sizeof(way.rest), "%s", path))
		return fail(ENAMETOOLONG, "--ask-program: '%s'", way.shown);
	way.at = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (way.at < 0)
		return fail(errno, "--ask-program: '%s'", way.shown);
	while (found == 0)
		found = go_on(&way, &fd);
	fd_close(&way.at);
	return found < 0 ? -1 : fd;
}

// `file` is O_PATH. *ret_fd is readable, at offset 0.
static int read_first(int file, const char *shown, char line[FIRST_LINE_MAX + 1], int *ret_fd)
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	autoclose int fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, line, FIRST_LINE_MAX, 0);
	if (got < 0)
		return fail(errno, "--ask-program: '%s'", shown);
	line[got] = '\0';
	*ret_fd = take(&fd);
	return 0;
}

static int take_interpreter(const struct plan *plan, const char *path, struct ask_program *program)
{
	char line[FIRST_LINE_MAX + 1];
	autoclose int fd = -1, readable = -1;
	TRY(fd = walk(plan, path));
	TRY(read_first(fd, str_shown(path), line, &readable));
	if (str_starts(line, "#!"))
		return fail(0, "--ask-program: the interpreter '%s' is a script itself",
			    str_shown(path));
	fd_close(&program->program);
	program->program = take(&fd);
	return str_put(program->name, sizeof(program->name), "%s", path_name(path))
		       ? 0
		       : fail(ENAMETOOLONG, "--ask-program: '%s'", str_shown(path));
}

static int take_named(const struct plan *plan, const char *name, struct ask_program *program)
{
	char path[PATH_MAX], directory[PATH_MAX];
	if (!*name || *name == '-' || strpbrk(name, "=/ \t"))
		return fail(0, "--ask-program: the first line '#!.../env %s' is not env and a name",
			    str_shown(name));
	for (const char *list = ASK_PATH; path_list_next(&list, directory);)
		if (str_put(path, sizeof(path), "%s/%s", directory, name) &&
		    access(path, X_OK) == 0)
			return take_interpreter(plan, path, program);
	return fail(0,
		    "--ask-program: the interpreter '%s' is not in " ASK_PATH
		    "; name it by its path in the first line",
		    str_shown(name));
}

// Reads "#!INTERPRETER [ARGUMENT]" like execve(2).
static int take_script(const struct plan *plan, char *line, struct ask_program *program)
{
	char *end = strchr(line, '\n');
	if (!end)
		return fail(0, "--ask-program: the first line of the script is too long");
	while (end > line && strchr(" \t\n", *end))
		*end-- = '\0';
	char *path = line + 2 + strspn(line + 2, " \t"), *argument = path + strcspn(path, " \t");
	if (*argument)
		*argument++ = '\0';
	argument += strspn(argument, " \t");
	if (path[0] != '/')
		return fail(0, "--ask-program: the first line of the script names no path");
	if (str_equal(path_name(path), "env"))
		return take_named(plan, argument, program);
	if (strchr(argument, '/')) {
		if (argument[0] != '/')
			return fail(0,
				    "--ask-program: '%s' in the script's first line is not an "
				    "absolute path",
				    str_shown(argument));
		autoclose int checked = walk(plan, argument);
		TRY(checked);
	}
	snprintf(program->argument, sizeof(program->argument), "%s", argument);
	return take_interpreter(plan, path, program);
}

int ask_place(const struct plan *plan, const char *path, struct ask_program *program)
{
	char line[FIRST_LINE_MAX + 1];
	struct stat status;
	autoclose int readable = -1;
	TRY(program->program = walk(plan, path));
	if (fstat(program->program, &status) < 0 || !(status.st_mode & 0111))
		return fail(0, "--ask-program: '%s' is not executable; chmod +x it",
			    str_shown(path));
	snprintf(program->name, sizeof(program->name), "%s", path_name(path));
	TRY(read_first(program->program, str_shown(path), line, &readable));
	if (!str_starts(line, "#!"))
		return 0;
	TRY(take_script(plan, line, program));
	program->script = take(&readable);
	return 0;
}

void ask_place_end(struct ask_program *program)
{
	fd_close(&program->program);
	fd_close(&program->script);
}
