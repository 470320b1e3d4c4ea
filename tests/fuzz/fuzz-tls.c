// libFuzzer: any bytes as a TLS hello, as a server's answer, as the first bytes of either side.
// More bytes never turn a name into another one.
#include <stddef.h>
#include <stdint.h>

#include "net/parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tls_hello whole, part;
	bool retry, part_retry;
	enum opening client = opening_client(data, size),
		     burst = opening_burst(data, size, &(struct opening_read){ 0 });
	enum greeting server = opening_server(data, size);
	if (opening_ssh(data, size) == PARSE_DONE && client != OPENING_SSH)
		__builtin_trap();
	// A body that passed in pieces would have passed whole.
	struct opening_read burst_read = { 0 }, body_read = { 0 };
	enum parse body = opening_body(data, size, &(struct opening_read){ 0 });
	for (size_t length = size > 64 ? size - 64 : 0; length < size; length++) {
		// What is read piece by piece is judged as the whole.
		enum parse piece = opening_body(data, length, &body_read);
		if (piece != opening_body(data, length, &(struct opening_read){ 0 }) ||
		    (piece == PARSE_BAD && body == PARSE_DONE))
			__builtin_trap();
	}
	enum parse result = tls_hello(data, size, &whole), answer = tls_answer(data, size, &retry);
	for (size_t length = size > 64 ? size - 64 : 0; length < size; length++) {
		enum parse earlier = tls_hello(data, length, &part);
		if (earlier == PARSE_DONE &&
		    (result != PARSE_DONE || part.named != whole.named || part.used != whole.used ||
		     part.encrypted != whole.encrypted ||
		     (part.named && !host_equal(&whole.host, &part.host))))
			__builtin_trap();
		if (earlier == PARSE_BAD && result != PARSE_BAD)
			__builtin_trap();
		if (earlier == PARSE_MORE && result != PARSE_MORE && size < part.used)
			__builtin_trap();
		// What was decided stays so.
		enum opening early = opening_client(data, length);
		if (early != OPENING_MORE && early != client)
			__builtin_trap();
		early = opening_burst(data, length, &burst_read);
		if (early != opening_burst(data, length, &(struct opening_read){ 0 }) ||
		    (early != OPENING_MORE && early != burst))
			__builtin_trap();
		enum greeting heard = opening_server(data, length);
		if (heard != GREETING_MORE && heard != server)
			__builtin_trap();
		earlier = tls_answer(data, length, &part_retry);
		if ((earlier == PARSE_DONE && (answer != PARSE_DONE || retry != part_retry)) ||
		    (earlier == PARSE_BAD && answer != PARSE_BAD))
			__builtin_trap();
	}
	return 0;
}
