// A person's answer on a terminal that a box could use.
#pragma once

#include <termios.h>

// Each question of sbx on a terminal comes here. What waits in the terminal, and what comes until
// it is silent, answers nothing: it was typed for a program of the box, pasted, or written by the
// terminal itself. An answer is a line that stands alone: one offered letter and Enter.

enum { SILENCE_MILLISECONDS = 300 };

struct typed {
	int terminal;         // in the modes of typed_begin()
	int interrupt;        // readable ends the wait; -1: none
	const char *letters;  // that are offered, in small letters
	const char *question; // shown first
	const char *again;    // shown when the first answer was none
	const char *help;     // before it; a line
};

enum typed_silence {
	SILENCE_FIRST, // before the first answer as well
	SILENCE_LATER, // the question before had it
};

// Each byte as it is typed, not echoed; `signals` (ISIG or 0): whether ^C and ^Z are signals. Stops
// a process in the background until it is in front. -1 with errno.
int typed_begin(int terminal, tcflag_t signals, struct termios *ret_before);

// The letter, or '\0': ^C, ^D on an empty line, `interrupt`, or the terminal is gone.
char typed_answer(const struct typed *typed, enum typed_silence silence);

// Undoes what a box may have left on a terminal so that the words of a question are not seen: "" on
// a terminal that knows no such bytes.
const char *typed_reset(void);
