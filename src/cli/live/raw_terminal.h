// The caller's terminal while a command of a box has one: each key passes as it is.
//
// The room cli/live owns commands in a box that lives: `sbx exec`, `sbx attach`. Uses: base boxes
// cli net/host nouns process report run. Begin with exec_verb.c.
#pragma once

#include <stdbool.h>
#include <termios.h>

#include "run.h"

struct raw_terminal {
	bool raw;
	struct termios before;
};

// The size of the terminal at stdin; 24 rows of 80 columns where it has none.
struct terminal_wish raw_terminal_size(void);
// Again after a stop: a shell has set its own modes meanwhile.
void raw_terminal_begin(struct raw_terminal *terminal);
void raw_terminal_end(struct raw_terminal *terminal);
// Whether it is the master of a pty.
bool raw_terminal_is_master(int fd);
// The master gets the size of the terminal at stdin.
void raw_terminal_copy_size(int master);
