// One block of memory for profile and plan; freed as a whole, sealed when decided.
#pragma once

#include <stddef.h>

struct arena;

// Out of memory aborts the process with one line on stderr: nothing has run yet.
struct arena *arena_new(void);
// For more than a plan: so much address space, of which what is used takes memory.
struct arena *arena_new_of(size_t bytes);
// The same for this process alone, which costs less.
struct arena *arena_new_own(size_t bytes);
// For what is needed only while a plan is made: a child does not have it.
struct arena *arena_new_scratch(void);
// A child that is made from now on has a copy of it.
void arena_pass_on(struct arena *scratch);
void *arena_take(struct arena *arena, size_t size) __attribute__((malloc, returns_nonnull));
// A list with room for one more than `count` things of `each` bytes; *size is how many it holds,
// and is doubled when it is full. The old one stays in the arena.
void *arena_grow(struct arena *arena, void *list, unsigned count, unsigned *size, size_t each);
char *arena_copy(struct arena *arena, const char *text, size_t length);
char *arena_text(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

// Makes all of it read-only in this process: a later write is a SIGSEGV.
int arena_seal(struct arena *arena);
void arena_free(struct arena *arena);
