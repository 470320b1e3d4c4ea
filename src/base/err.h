// The one error of a process: the first failure wins, main prints it.
#pragma once

#include <stddef.h>

// Records why a function failed, unless something was recorded before, and returns -1.
// errnum is an errno value, whose text is appended, or 0 when the text says everything.
int fail(int errnum, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

// The recorded text ("" when nothing failed) and its errno. Valid until err_clear().
const char *err_text(void);
int err_number(void);
void err_clear(void);

// Returns from the calling function with -1 when the expression is negative.
#define TRY(expression)                                                                            \
	do {                                                                                       \
		if ((expression) < 0)                                                              \
			return -1;                                                                 \
	} while (0)
