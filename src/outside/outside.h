// The room outside owns where a report is written and a program is started outside. Uses: base,
// nouns. Begin with outside_look().
#pragma once

#include <limits.h>
#include <stdbool.h>

struct mount;
struct plan;
struct stat;

enum outside {
	OUTSIDE_NOT,
	OUTSIDE_BOXES, // in a directory that sbx owns, or that this box or its session writes
	OUTSIDE_BOX,   // this box may write it or a parent, by any name
	OUTSIDE_UNKNOWN,
};
enum outside outside_look(const struct plan *plan, int directory, const char **ret_place);
// Whether the box may write `path`, a resolved path of its view.
bool outside_writes(const struct plan *plan, const char *path);
// Returns the mount by which the box may write this inode, or NULL.
const struct mount *outside_written(const struct plan *plan, const struct stat *status);
// Whether the box may write the home, or a dot directory of it.
bool outside_steers(const struct plan *plan);
// Writes a descriptor's path, as the kernel names it. Returns -1 with errno.
int outside_path(int fd, char path[PATH_MAX]);

// The program of --ask-program, opened before the box starts. Its path is not used again.

struct ask_program {
	int program;
	int script; // read by `program`, or -1
	char name[NAME_MAX + 1];
	char argument[NAME_MAX + 1]; // from the script's first line, or ""
};

#define ASK_PATH "/usr/local/bin:/usr/bin:/bin"

// Fails if a box may write the program, its interpreter, or a directory or link of their paths.
int ask_place(const struct plan *plan, const char *path, struct ask_program *program);
void ask_place_end(struct ask_program *program);

// --report-fd and --status-fd: opens the caller's descriptor again. Fails if the box may write
// there.
int event_place(const struct plan *plan, int *ret_fd, bool *ret_socket);
