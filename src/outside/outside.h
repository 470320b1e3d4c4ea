// Where boxes may write, as far as this run's plan tells: for what sbx writes, reads or starts
// outside of the box while it lives. By descriptor, after the view was decided.
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
	OUTSIDE_BOXES,   // sbx's own state, a session's part, a place that this box writes
	OUTSIDE_BOX,     // this box writes it or one above it, by whatever name
	OUTSIDE_UNKNOWN, // errno says why
};
// Whether the directory is in such a place; `ret_place` is its path, for a message.
enum outside outside_look(const struct plan *plan, int directory, const char **ret_place);
// Whether the box writes what has this real path, in the view as it is decided.
bool outside_writes(const struct plan *plan, const char *path);
// The mount by which the box writes this very thing, or NULL.
const struct mount *outside_written(const struct plan *plan, const struct stat *status);
// Whether the box writes a directory of the home by which programs are steered: one with a dot.
bool outside_steers(const struct plan *plan);
// The path of a descriptor as the kernel has it. -1 with errno.
int outside_path(int fd, char path[PATH_MAX]);

// The program of --ask-program, found before the box starts and held by descriptors: nothing of its
// path is used afterwards.

// Executed: `program` by itself, or with a script as its argument.
struct ask_program {
	int program;                 // O_PATH; -1: none
	int script;                  // readable; -1: it is no script
	char name[NAME_MAX + 1];     // argv[0]
	char argument[NAME_MAX + 1]; // of the script's first line, or ""
};

#define ASK_PATH "/usr/local/bin:/usr/bin:/bin"

// -1 with the reason said: where a box may write the program, its interpreter, an argument of its
// first line, a directory or a link on the way to one of these.
int ask_place(const struct plan *plan, const char *path, struct ask_program *program);
void ask_place_end(struct ask_program *program);

// Where the lines of --report-fd and --status-fd go.

// The caller's descriptor opened again; `ret_fd` stays as it is without the option. -1 with the
// error said when the box may write there.
int event_place(const struct plan *plan, int *ret_fd, bool *ret_socket);
