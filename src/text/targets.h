// What a project's task runners can be asked for, read as text: nothing of it is evaluated.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct out;

enum { TARGETS_BYTES_MAX = 256 * 1024, TARGETS_MAX = 1000, TARGET_NAME_MAX = 80 };

// Letters, digits and _ . / @ + : , -: no shell reads anything in it but itself. Not '-' first.
bool target_is_plain(const char *name, size_t length);

// Each adds lines NAME to `names`, plain ones only, at most TARGETS_MAX. A text that is damaged or
// of another form gives what can be read of it. Pure but for memory.
void targets_of_make(const char *text, size_t length, struct out *names);
void targets_of_just(const char *text, size_t length, struct out *names);
// The scripts of a package.json.
void targets_of_package(const char *text, size_t length, struct out *names);
