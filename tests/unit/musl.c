// What replaces musl's own in the static program, against libc's.
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Under other names: this program keeps its libc's.
#define memcpy        own_memcpy
#define memmove       own_memmove
#define __memcpy_chk  own_memcpy_chk
#define __sprintf_chk own_sprintf_chk
#define __fdelt_chk   own_fdelt_chk
void *own_memcpy(void *restrict to, const void *restrict from, size_t length);
void *own_memmove(void *to, const void *from, size_t length);
#include "base/musl.c"
#undef memcpy
#undef memmove

enum { BYTES = 256, LENGTH_MOST = 80, SHIFT_MOST = 20 };

static void fill(unsigned char *bytes)
{
	for (int i = 0; i < BYTES; i++)
		bytes[i] = (unsigned char)(i * 7 + 1);
}

static void copies(void **state)
{
	unsigned char from[BYTES], own[BYTES], wanted[BYTES];
	(void)state;
	fill(from);
	for (size_t length = 0; length <= LENGTH_MOST; length++)
		for (size_t in = 0; in < 16; in++)
			for (size_t out = 0; out < 16; out++) {
				memset(own, 0, sizeof(own));
				memset(wanted, 0, sizeof(wanted));
				assert_ptr_equal(own_memcpy(own + out, from + in, length),
						 own + out);
				memcpy(wanted + out, from + in, length);
				assert_memory_equal(own, wanted, sizeof(own));
			}
}

static void overlapping(void **state)
{
	unsigned char own[BYTES], wanted[BYTES];
	(void)state;
	for (size_t length = 0; length <= LENGTH_MOST; length++)
		for (size_t to = 0; to <= 2 * SHIFT_MOST; to++) {
			fill(own);
			fill(wanted);
			assert_ptr_equal(own_memmove(own + to, own + SHIFT_MOST, length), own + to);
			memmove(wanted + to, wanted + SHIFT_MOST, length);
			assert_memory_equal(own, wanted, sizeof(own));
		}
}

static int too_much(int what)
{
	char small[8] = "";
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		if (what == 0)
			own_memcpy_chk(small, "0123456789", 9, sizeof(small));
		else if (what == 1)
			own_sprintf_chk(small, 1, sizeof(small), "%d", 12345678);
		else
			own_fdelt_chk(1024);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void bounds(void **state)
{
	char small[8];
	(void)state;
	assert_ptr_equal(own_memcpy_chk(small, "1234567", 8, sizeof(small)), small);
	assert_string_equal(small, "1234567");
	assert_int_equal(own_sprintf_chk(small, 1, sizeof(small), "%d", 7654321), 7);
	assert_string_equal(small, "7654321");
	assert_int_equal(own_fdelt_chk(1023), 1023 / (8 * (long)sizeof(long)));
	for (int what = 0; what < 3; what++)
		assert_int_equal(too_much(what), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(copies), cmocka_unit_test(overlapping),
					    cmocka_unit_test(bounds) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
