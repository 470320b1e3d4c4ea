// Where boxes may write, by this run's plan: for files that sbx writes, reads or starts outside of
// the live box.
//
// The room outside owns where that may lie. Uses: base nouns. Begin with outside_look().
#pragma once

#include <limits.h>
#include <stdbool.h>

struct mount;
struct plan;
struct stat;

enum outside {
	OUTSIDE_NOT,
	OUTSIDE_BOXES, // sbx's state, a session's part, or this box's place
	OUTSIDE_BOX,   // this box writes it or a parent, by any name
	OUTSIDE_UNKNOWN,
};
enum outside outside_look(const struct plan *plan, int directory, const char **ret_place);
// `path`: a resolved one, in the decided view.
bool outside_writes(const struct plan *plan, const char *path);
// The mount by which the box writes this inode, or NULL.
const struct mount *outside_written(const struct plan *plan, const struct stat *status);
// True if the box writes a dot directory of the home.
bool outside_steers(const struct plan *plan);
// As the kernel knows it. -1 with errno.
int outside_path(int fd, char path[PATH_MAX]);

// The program of --ask-program: descriptors from before the box's start. Its path is not used
// again.

struct ask_program {
	int program;
	int script; // argument of `program`; -1: not a script
	char name[NAME_MAX + 1];
	char argument[NAME_MAX + 1]; // of the script's first line, or ""
};

#define ASK_PATH "/usr/local/bin:/usr/bin:/bin"

// -1 with the reason said: a box may write the program, its interpreter, or a directory or link on
// the way.
int ask_place(const struct plan *plan, const char *path, struct ask_program *program);
void ask_place_end(struct ask_program *program);

// Where the lines of --report-fd and --status-fd go.

// Opens the caller's descriptor again. -1 with the error said: the box may write there.
int event_place(const struct plan *plan, int *ret_fd, bool *ret_socket);
