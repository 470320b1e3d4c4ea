// Numbers with units, or "unlimited"; false when the text is none.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNLIMITED UINT64_MAX

// As it would be written: 2147483648 -> 2G, 90000 -> 90s, 1500 -> 1.5. `size` of 32 is enough.
enum unit { UNIT_SIZE, UNIT_TIME, UNIT_COUNT, UNIT_PROCESSORS };
void units_text(char *buffer, size_t size, uint64_t number, enum unit unit);
// For people, to two digits or so: 1.2G, 45M; 3.21s.
void units_rough(char *buffer, size_t size, uint64_t number, enum unit unit);
// An age for people: 119s, 119m, 47h, 3d. `size` of 32 is enough.
void units_age(char *buffer, size_t size, uint64_t milliseconds);

bool units_size(const char *text, uint64_t *ret_bytes);        // 10, 64K, 512M, 2G, 1T
bool units_time(const char *text, uint64_t *ret_milliseconds); // 500ms, 30s, 5m, 2h, 1d
bool units_count(const char *text, uint64_t *ret);
bool units_processors(const char *text, uint64_t *ret_thousandths); // 2, 1.5, 0.25
bool units_percent(const char *text, uint64_t *ret_percent);        // 75%
