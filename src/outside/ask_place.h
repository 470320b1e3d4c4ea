// The program of --ask-program, found before the box starts and held by descriptors: nothing of its
// path is used afterwards.
#pragma once

#include <limits.h>

struct plan;

// What is executed: `program` by itself, or with a script as its argument.
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
