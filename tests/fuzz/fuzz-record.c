// libFuzzer: any bytes as the entry of a run's record.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "boxes/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// libFuzzer seldom makes so long an input: what it makes lies over an entry that is whole.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_entry entry = { .magic = RECORD_MAGIC, .supervisor = 1, .init = 1 }, read;
	if (record_parse(data, size, &read) && size != sizeof(read))
		__builtin_trap();
	size_t at = size > 2 ? (data[0] | (size_t)data[1] << 8) % sizeof(entry) : 0;
	size_t length = size > 2 ? size - 2 : 0;
	length = length < sizeof(entry) - at ? length : sizeof(entry) - at;
	memcpy((char *)&entry + at, data + (size > 2 ? 2 : 0), length);
	if (record_parse(&entry, sizeof(entry), &read) &&
	    (!memchr(read.place.boot, 0, sizeof(read.place.boot)) ||
	     !memchr(read.session, 0, sizeof(read.session)) ||
	     !memchr(read.project, 0, sizeof(read.project)) ||
	     !memchr(read.command, 0, sizeof(read.command)) || read.ports.count > RECORD_PORTS ||
	     (unsigned)read.network > RECORD_PROXY || (unsigned)read.end >= RECORD_ENDS ||
	     read.status > 255))
		__builtin_trap();
	return 0;
}
