// A person's answer on a terminal that a box could use.
#pragma once

#include <termios.h>

// Each question of sbx on a terminal comes here. Input before a silence is discarded: it was typed
// for the box, pasted, or sent by the terminal. An answer is one offered letter and Enter, alone on
// a line.

enum { SILENCE_MILLISECONDS = 300 };

struct typed {
	int terminal;
	int interrupt; // a readable descriptor that ends the wait; -1: none
	const char *letters;
	const char *question;
	const char *again; // shown after a wrong answer
	const char *help;
};

enum typed_silence {
	SILENCE_FIRST,
	SILENCE_LATER, // the previous question had it
};

// Unbuffered, without echo. `signals`: ISIG, or 0 to read ^C and ^Z as bytes. Stops a background
// process until it is in the foreground. -1 with errno.
int typed_begin(int terminal, tcflag_t signals, struct termios *ret_before);

// '\0': ^C, ^D on an empty line, `interrupt`, or the terminal is gone.
char typed_answer(const struct typed *typed, enum typed_silence silence);

// Undoes what could hide a question on a terminal; "" on terminals without such sequences.
const char *typed_reset(void);
