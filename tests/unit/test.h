// What every unit test includes before anything else.
#pragma once

#include <setjmp.h> // cmocka wants these first
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail // cmocka's; ours records an error
