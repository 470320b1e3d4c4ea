// Owns the text and number of the first failure. Allocates nothing: also used after clone.
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
	char text[1024];
	int number;
} failure;

void err_record(int errnum, const char *format, ...)
{
	if (failure.text[0])
		return;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(failure.text, sizeof(failure.text), format, arguments);
	va_end(arguments);
	failure.number = errnum;
	size_t used = strlen(failure.text);
	if (errnum)
		snprintf(failure.text + used, sizeof(failure.text) - used, ": %s",
			 strerror(errnum));
}

const char *err_text(void)
{
	return failure.text;
}

int err_number(void)
{
	return failure.number;
}

void err_clear(void)
{
	failure.text[0] = '\0';
	failure.number = 0;
}
