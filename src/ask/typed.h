// Reads a person's answer on a terminal that a box shares.
#pragma once

#include <termios.h>

// An answer is one offered letter and Enter. Input before SILENCE_MILLISECONDS of silence is
// discarded: it was typed for the box, pasted, or sent by the terminal.

enum { SILENCE_MILLISECONDS = 300 };

struct typed {
	int terminal;
	int interrupt; // becomes readable to end the wait; -1: none
	const char *letters;
	const char *question;
	const char *again; // shown after a wrong answer
	const char *help;
};

enum typed_silence {
	SILENCE_FIRST,
	SILENCE_LATER, // the first line may come at once
};

// Turns off echo and line editing. `signals`: ISIG, or 0 to read ^C and ^Z as bytes. In the
// background it stops this process. Returns -1 with errno.
int typed_begin(int terminal, tcflag_t signals, struct termios *ret_before);

// Returns '\0' for ^C, ^D on an empty line, `interrupt`, or no terminal.
char typed_answer(const struct typed *typed, enum typed_silence silence);

// Escape sequences that make a question visible after any output of a box; "" if TERM has none.
const char *typed_reset(void);
