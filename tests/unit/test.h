// What every unit test includes before anything else.
#pragma once

#include <setjmp.h> // cmocka wants these first
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail // cmocka's; ours records an error
#undef fail_msg
#define fail_msg(...)                                                                              \
	do {                                                                                       \
		print_error(__VA_ARGS__);                                                          \
		print_error("\n");                                                                 \
		_fail(__FILE__, __LINE__);                                                         \
	} while (0)
