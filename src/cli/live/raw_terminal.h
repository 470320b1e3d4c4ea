// The caller's terminal is raw while a command of a box uses it: each key passes.
//
// The room cli/live owns commands in a box that lives: `sbx exec`, `sbx attach`. Uses: base, boxes,
// cli, net/host, nouns, process, report, run. Begin with exec_verb.c.
#pragma once

#include <stdbool.h>
#include <termios.h>

#include "run.h"

struct raw_terminal {
	bool raw;
	struct termios before;
};

// Returns the size of the terminal at stdin, or 24 rows of 80 columns.
struct terminal_wish raw_terminal_size(void);
// Call it also after a stop: the shell has changed the modes.
void raw_terminal_begin(struct raw_terminal *terminal);
void raw_terminal_end(struct raw_terminal *terminal);
bool raw_terminal_is_master(int fd);
void raw_terminal_copy_size(int master);
