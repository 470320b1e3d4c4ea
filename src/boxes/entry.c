// Owns the content of a run's record. Pure.
#include "boxes/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"

const char *const record_ends[RECORD_ENDS] = {
	[RECORD_LIVES] = "",        [RECORD_OVER] = "",       [RECORD_EXIT] = "exit",
	[RECORD_SIGNAL] = "signal", [RECORD_LIMIT] = "limit", [RECORD_FAILED] = "failed",
};

#define IS_TEXT(text) (memchr((text), '\0', sizeof(text)) != NULL)

bool record_parse(const void *bytes, size_t length, struct record_entry *ret_entry)
{
	struct record_entry entry;
	if (length != sizeof(entry))
		return false;
	memcpy(&entry, bytes, sizeof(entry));
	if (entry.magic != RECORD_MAGIC || entry.supervisor <= 0 || entry.init <= 0 ||
	    (unsigned)entry.network > RECORD_PROXY || entry.ports.count > RECORD_PORTS ||
	    (unsigned)entry.end >= RECORD_ENDS || entry.landlock > 1 || entry.killed > 1 ||
	    entry.status < 0 || entry.status > 255 || !IS_TEXT(entry.place.boot) ||
	    !IS_TEXT(entry.session) || !IS_TEXT(entry.project) || !IS_TEXT(entry.command))
		return false;
	*ret_entry = entry;
	return true;
}

void record_command(char *const *command, char text[RECORD_COMMAND])
{
	size_t used = 0;
	for (; *command && used < RECORD_COMMAND - 1; command++) {
		size_t left = RECORD_COMMAND - 1 - (used += used > 0);
		size_t length = strnlen(*command, left);
		if (used > 0)
			text[used - 1] = ' ';
		memcpy(text + used, *command, length);
		used += length;
	}
}

// `name` is PID-TIME. TIME is hexadecimal: seconds, then 8 digits of nanoseconds.
int64_t record_begun(const char *name)
{
	enum { NANOSECONDS_BITS = 32, MILLISECOND = 1000000 };
	const char *dash = strchr(name, '-');
	uint64_t time = dash ? strtoull(dash + 1, NULL, 16) : 0;
	return (int64_t)((time >> NANOSECONDS_BITS) * 1000 + (uint32_t)time / MILLISECOND);
}

bool record_moved(const char *name, const char *id)
{
	enum { STAMP = 15 };
	struct tm date;
	char stamp[STAMP + 1], run[32];
	const time_t begun = (time_t)(record_begun(name) / 1000);
	if (!begun || !str_put(run, sizeof(run), "-%.*s-", (int)strcspn(name, "-"), name))
		return false;
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", gmtime_r(&begun, &date));
	return strlen(id) > STAMP && strncmp(id, stamp, STAMP) >= 0 && str_starts(id + STAMP, run);
}
