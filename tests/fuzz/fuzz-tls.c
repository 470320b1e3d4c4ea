// libFuzzer: any bytes as a TLS hello. More bytes never turn a name into another one.
#include <stddef.h>
#include <stdint.h>

#include "net/tls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct host whole, part;
	bool named, part_named;
	enum parse result = tls_hello(data, size, &named, &whole);
	for (size_t length = size > 64 ? size - 64 : 0; length < size; length++) {
		enum parse earlier = tls_hello(data, length, &part_named, &part);
		if (earlier == PARSE_DONE && (result != PARSE_DONE || part_named != named ||
					      (named && !host_equal(&whole, &part))))
			__builtin_trap();
		if (earlier == PARSE_BAD && result != PARSE_BAD)
			__builtin_trap();
	}
	return 0;
}
