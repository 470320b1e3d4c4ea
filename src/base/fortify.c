// What static archives that were compiled against glibc with its checks call, for a program that is
// linked with musl: the same checks, as glibc makes them (Linux Standard Base, __memcpy_chk(3)).
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__memcpy_chk(void *to, const void *from, size_t length, size_t room);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
long __fdelt_chk(long fd);

void *__memcpy_chk(void *to, const void *from, size_t length, size_t room)
{
	if (length > room)
		abort();
	return memcpy(to, from, length);
}

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
	va_list arguments;
	(void)flag;
	va_start(arguments, format);
	int length = vsnprintf(to, room, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= room)
		abort();
	return length;
}

long __fdelt_chk(long fd)
{
	enum { SET_SIZE = 1024, BITS = 8 * sizeof(long) };
	if (fd < 0 || fd >= SET_SIZE)
		abort();
	return fd / BITS;
}
