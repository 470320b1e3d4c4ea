// Owns blocks of memory. Each is one reserved mapping, filled from the front.
#include "base/base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 16 };

struct arena {
	size_t used, size;
};

static struct shared_arena {
	struct shared_arena *next;
	struct arena *arena;
} *shared;

static _Noreturn void out_of_memory(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
	_exit(125);
}

static struct arena *map(size_t bytes, int sharing)
{
	struct arena *arena = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				   sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena == MAP_FAILED)
		out_of_memory("sbx: out of memory\n");
	arena->used = sizeof(*arena);
	arena->size = bytes;
	return arena;
}

struct arena *arena_new_shared(size_t bytes)
{
	struct shared_arena *one = malloc(sizeof(*one));
	if (!one)
		out_of_memory("sbx: out of memory\n");
	*one = (struct shared_arena){ shared, map(bytes, MAP_SHARED) };
	shared = one;
	return one->arena;
}

// Avoids huge pages: with transparent_hugepage=always the kernel would zero 2 MB at once.
struct arena *arena_new_of(size_t bytes)
{
	struct arena *arena = map(bytes, MAP_PRIVATE);
	madvise(arena, bytes, MADV_NOHUGEPAGE);
	return arena;
}

struct arena *arena_new(void)
{
	return arena_new_of(ARENA_BYTES_PLAN);
}

struct arena *arena_new_scratch(void)
{
	struct arena *arena = arena_new();
	madvise(arena, ARENA_BYTES_PLAN, MADV_DONTFORK); // a fork would copy it
	return arena;
}

void *arena_take(struct arena *arena, size_t size)
{
	size_t start = (arena->used + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (start > arena->size || size > arena->size - start)
		out_of_memory("sbx: too many paths or words for one plan or session\n");
	arena->used = start + size;
	return (char *)arena + start;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_take(arena, length + 1);
	memcpy(copy, text, length);
	return copy;
}

char *arena_text(struct arena *arena, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		out_of_memory("sbx: out of memory\n");
	char *text = arena_take(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void *arena_grow(struct arena *arena, void *list, unsigned count, unsigned *size, size_t each)
{
	if (count < *size)
		return list;
	*size = *size ? *size * 2 : 64;
	void *more = arena_take(arena, *size * each);
	if (count > 0)
		memcpy(more, list, count * each);
	return more;
}

void arena_clear(struct arena *arena)
{
	enum { WRITTEN_MAX = 256 << 10 };
	size_t used = arena->used - sizeof(*arena), size = arena->size;
	if (used <= WRITTEN_MAX)
		memset(arena + 1, 0, used);
	else
		madvise(arena, arena->used, MADV_DONTNEED);
	*arena = (struct arena){ sizeof(*arena), size };
}

size_t arena_left(const struct arena *arena)
{
	return arena->size - arena->used;
}

int arena_seal(struct arena *arena)
{
	return mprotect(arena, arena->size, PROT_READ) < 0 ? fail(errno, "seal the plan") : 0;
}

void arena_free(struct arena *arena)
{
	for (struct shared_arena **at = &shared; *at; at = &(*at)->next) {
		struct shared_arena *one = *at;
		if (one->arena != arena)
			continue;
		*at = one->next;
		free(one);
		break;
	}
	munmap(arena, arena->size);
}

void arena_forget(void)
{
	while (shared)
		arena_free(shared->arena);
}
