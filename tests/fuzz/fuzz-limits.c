// libFuzzer: any bytes as the kernel's words about groups and processes, and as D-Bus answers.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "limits/group.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct bus_reply reply;
	char path[64];
	if (text_group(text, size, "", path, sizeof(path)) &&
	    (path[0] != '/' || strstr(path, "/..")))
		__builtin_trap();
	text_group(text, size, "memory", path, sizeof(path));
	text_value(text, size, "max");
	text_sum(text, size, "rbytes");
	text_kilobytes(text, size, "MemTotal:");
	text_has(text, size, "io");
	for (size_t at = 0; bus_reply(data + at, size - at, &reply) > 0; at += reply.used)
		if (reply.used < 16 || reply.used > size - at ||
		    strnlen(reply.error, sizeof(reply.error)) >= sizeof(reply.error))
			__builtin_trap();
	return 0;
}
