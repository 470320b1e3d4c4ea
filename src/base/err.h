// The one error of a process: the first failure wins, main prints it.
#pragma once

#include <stddef.h>

enum { ERR_CHANGED = -1 };

// Records why a function failed, unless something was recorded before, and returns -1.
// errnum is an errno value, whose text is appended, 0 when the text says everything,
// or ERR_CHANGED: another program changed a file meanwhile, and a second try can succeed.
#define fail(errnum, ...) (err_record(errnum, __VA_ARGS__), err_failed())

void err_record(int errnum, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
// In sight of compilers and analysers: what follows a failed TRY is not reached.
static inline int err_failed(void)
{
	return -1;
}

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
