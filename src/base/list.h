// Lists of words that remember where they were written.
#pragma once

#include <stdbool.h>

struct arena;

// "base.ini" and its line, or "--read" and line 0. The later of two that speak of the same thing
// wins: `order` counts up over files, the project's own (from ORDER_UNTRUSTED while nobody has
// trusted it), the project itself, then flags, then the administrator's file.
struct origin {
	const char *file;
	unsigned line, order;
};
enum {
	ORDER_UNTRUSTED = 1 << 28,
	ORDER_OWN_FILE = 1 << 29,
	ORDER_ELSEWHERE = (1 << 30) - 2, // of a warning: its file is a directory outside
	ORDER_PROJECT = (1 << 30) - 1,
	ORDER_FLAGS = 1 << 30,
	ORDER_LOCKED = ORDER_FLAGS + (1 << 29)
};

struct item {
	struct item *next;
	const char *text;
	struct origin from;
};

struct list {
	struct item *first, *last;
};

#define list_each(each, list) for (const struct item *each = (list)->first; each; each = each->next)

// Whether an item has this text.
bool list_has(const struct list *list, const char *text);
void list_add(struct list *list, struct arena *arena, const char *text, struct origin from);

// "base.ini:12: " or "--read: "; begins every message about a value.
const char *origin_text(struct arena *arena, struct origin from);
