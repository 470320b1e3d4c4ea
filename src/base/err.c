// Owns the text and number of the first failure. Allocates nothing: works after clone().
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
	char text[1024];
	int number;
} failure;

static void append_visible(const char *text)
{
	char shown[STR_SHOWN_MAX];
	size_t used = strlen(failure.text), length;
	for (; *text && used + STR_SHOWN_MAX < sizeof(failure.text); text += length) {
		length = str_next(text, shown);
		size_t more = shown[0] ? strlen(shown) : length;
		memcpy(failure.text + used, shown[0] ? shown : text, more);
		used += more;
	}
	failure.text[used] = '\0';
}

void err_record(int errnum, const char *format, ...)
{
	if (failure.text[0])
		return;
	char text[sizeof(failure.text)];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	failure.number = errnum;
	append_visible(text);
	if (errnum <= 0)
		return;
	append_visible(": ");
	append_visible(strerror(errnum));
}

const char *err_text(void)
{
	return failure.text;
}

int err_number(void)
{
	return failure.number;
}

static void clear(void)
{
	failure.text[0] = '\0';
	failure.number = 0;
}

const char *err_taken(void)
{
	static char taken[sizeof(failure.text)];
	memcpy(taken, failure.text, sizeof(taken));
	clear();
	return taken;
}

bool err_tolerated(bool harmless)
{
	if (harmless)
		clear();
	return harmless;
}

bool err_forgive(int errnum)
{
	return err_tolerated(failure.number == errnum);
}

bool err_is(int errnum)
{
	return err_is_recorded() && failure.number == errnum;
}

bool err_is_recorded(void)
{
	return failure.text[0] != '\0';
}

void err_restore(const bool *before)
{
	if (!*before)
		clear();
}
