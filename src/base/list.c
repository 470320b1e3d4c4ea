// Owns nothing: items live in the arena of their profile.
#include "base/base.h"

const char *origin_text(struct arena *arena, struct origin from)
{
	if (from.line == 0)
		return arena_text(arena, "%s: ", from.file);
	return arena_text(arena, "%s:%u: ", from.file, from.line);
}

bool list_has(const struct list *list, const char *text)
{
	list_each (item, list)
		if (str_equal(item->text, text))
			return true;
	return false;
}

unsigned list_count(const struct list *list)
{
	unsigned count = 0;
	list_each (item, list)
		count++;
	return count;
}

void list_add(struct list *list, struct arena *arena, const char *text, struct origin from)
{
	struct item *item = arena_take(arena, sizeof(*item));
	item->text = text;
	item->from = from;
	if (list->last)
		list->last->next = item;
	else
		list->first = item;
	list->last = item;
}
