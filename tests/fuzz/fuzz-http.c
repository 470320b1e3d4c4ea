// libFuzzer: any bytes as the head of a request, of a response, as chunks; and what must hold then.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_request(const char *text, size_t size)
{
	struct http_request request, again;
	char *to = malloc(size + 1);
	if (http_request(text, size, &request) == PARSE_DONE) {
		if (request.head > size ||
		    http_request(text, request.head - 1, &again) == PARSE_DONE)
			__builtin_trap();
		// What is sent on is read by a server as it was read here: to the same host, as
		// long.
		if ((request.absolute || request.other_upgrade) && !request.connect) {
			size_t length = http_rewrite(text, &request, "", "", to);
			if (length > request.head ||
			    http_request(to, length, &again) != PARSE_DONE || again.absolute ||
			    again.body != request.body || again.length != request.length)
				__builtin_trap();
			if (again.has_host && !host_equal(&again.host, &request.host))
				__builtin_trap();
		}
		// What parses is taken for HTTP, also in a tunnel.
		if (opening_burst((const uint8_t *)text, size, &(struct opening_read){ 0 }) !=
		    OPENING_HTTP)
			__builtin_trap();
		if (opening_body((const uint8_t *)text, size, &(struct opening_read){ 0 }) !=
		    PARSE_DONE)
			__builtin_trap();
	}
	free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct http_response response;
	size_t used, at = 0;
	uint64_t content;
	if (size > HTTP_HEAD_MAX)
		return 0;
	check_request(text, size);
	for (int head = 0; head < 2; head++)
		if (http_response(text, size, head, &response) == PARSE_DONE &&
		    response.head > size)
			__builtin_trap();
	for (enum http_chunk state = CHUNK_SIZE; state != CHUNK_DONE;) {
		if (http_chunk(text + at, size - at, &state, &used, &content) != PARSE_DONE)
			break;
		if (used == 0 || used > size - at)
			__builtin_trap();
		at += used;
		if (content > size - at)
			break;
		at += (size_t)content;
		state = content ? CHUNK_END : state;
	}
	return 0;
}
