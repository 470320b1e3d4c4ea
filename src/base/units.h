// Numbers with units, or "unlimited"; false when the text is none.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define UNLIMITED UINT64_MAX

bool units_size(const char *text, uint64_t *ret_bytes); // 10, 64K, 512M, 2G, 1T
bool units_time(const char *text, uint64_t *ret_milliseconds); // 500ms, 30s, 5m, 2h, 1d
bool units_count(const char *text, uint64_t *ret);
