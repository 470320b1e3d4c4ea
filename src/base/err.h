// The one error of a process: the first failure wins, main prints it.
//
// The room base owns what every room needs: memory, errors, descriptors, strings, paths, lists.
// Nothing of it knows of sandboxes. Uses: nothing else. Begin with err.h and fd.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { ERR_CHANGED = -1, ERR_HELP = -2 };

// Records why a function failed, unless something was recorded before, and returns -1.
// errnum is an errno value, whose text is appended, 0 when the text says everything,
// or ERR_CHANGED: another program changed a file meanwhile, and a second try can succeed,
// or ERR_HELP: nothing failed, the words ask for help (text: "screen" or "all"; main prints it).
#define fail(errnum, ...) (err_record(errnum, __VA_ARGS__), err_failed())

void err_record(int errnum, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
// In sight of compilers and analysers: what follows a failed TRY is not reached.
static inline int err_failed(void)
{
	return -1;
}

// The recorded text ("" when nothing failed) and its errno.
const char *err_text(void);
int err_number(void);

// A failure that is tolerated leaves no text behind, or the next one would be reported with it.
// What had failed before stays. The text is taken, for a report, and valid until the next is taken
// ...
const char *err_taken(void);
// ... or forgotten where it is `harmless`, or has this number, which is returned ...
bool err_tolerated(bool harmless);
bool err_forgive(int errnum);
// ... or never seen: the value of a call, or all that fails until the end of the block.
#define ATTEMPT(call)                                                                              \
	__extension__({                                                                            \
		__attribute__((cleanup(err_restore), unused)) const bool err_before_call =         \
			err_is_recorded();                                                         \
		(call);                                                                            \
	})
#define FORGIVING                                                                                  \
	__attribute__((cleanup(err_restore), unused)) const bool err_before = err_is_recorded()

bool err_is_recorded(void);
// Whether the recorded failure has this errno.
bool err_is(int errnum);
void err_restore(const bool *before); // for FORGIVING

// Returns from the calling function with -1 when the expression is negative.
#define TRY(expression)                                                                            \
	do {                                                                                       \
		if ((expression) < 0)                                                              \
			return -1;                                                                 \
	} while (0)
