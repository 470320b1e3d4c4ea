// Owns the reading of a live run's file. Pure.
#include "net/host/roll.h"

#include <string.h>

const char *const roll_ends[ROLL_ENDS] = {
	[ROLL_LIVES] = "",        [ROLL_KILLED] = "",     [ROLL_EXIT] = "exit",
	[ROLL_SIGNAL] = "signal", [ROLL_LIMIT] = "limit", [ROLL_FAILED] = "failed",
};

static bool is_text(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

bool roll_parse(const void *bytes, size_t length, struct roll_entry *ret_entry)
{
	struct roll_entry entry;
	if (length != sizeof(entry))
		return false;
	memcpy(&entry, bytes, sizeof(entry));
	if (entry.magic != ROLL_MAGIC || entry.supervisor <= 0 || entry.init <= 0 ||
	    (unsigned)entry.network > ROLL_PROXY || entry.ports.count > ROLL_PORTS ||
	    (unsigned)entry.ended >= ROLL_ENDS || entry.landlock > 1 || entry.status < 0 ||
	    entry.status > 255 || !is_text(entry.place.boot, sizeof(entry.place.boot)) ||
	    !is_text(entry.session, sizeof(entry.session)) ||
	    !is_text(entry.project, sizeof(entry.project)) ||
	    !is_text(entry.command, sizeof(entry.command)))
		return false;
	*ret_entry = entry;
	return true;
}
