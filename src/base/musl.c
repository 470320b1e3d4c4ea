// What a program linked with musl needs besides. Checks that static archives call which were
// compiled against glibc, as glibc makes them (Linux Standard Base, __memcpy_chk(3)); and memcpy:
// musl's begins with rep movsq, 20 ns for any length (1.2.3, x86_64), and a plan copies 2,000 short
// names.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__memcpy_chk(void *to, const void *from, size_t length, size_t room);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
long __fdelt_chk(long fd);

// Unaligned, of any type.
typedef uint64_t __attribute__((may_alias, aligned(1))) word;

// The compiler would make calls of memcpy of these loops.
#define NO_IDIOM() __asm__ volatile("" : : : "memory")

static void forward(unsigned char *out, const unsigned char *in, size_t length)
{
	for (; length >= sizeof(word);
	     out += sizeof(word), in += sizeof(word), length -= sizeof(word)) {
		*(word *)out = *(const word *)in;
		NO_IDIOM();
	}
	for (; length > 0; length--) {
		*out++ = *in++;
		NO_IDIOM();
	}
}

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
	forward(to, from, length);
	return to;
}

void *memmove(void *to, const void *from, size_t length)
{
	unsigned char *out = to;
	const unsigned char *in = from;
	if ((uintptr_t)to - (uintptr_t)from >= length) {
		forward(to, from, length);
		return to;
	}
	while (length-- > 0) {
		out[length] = in[length];
		NO_IDIOM();
	}
	return to;
}

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
