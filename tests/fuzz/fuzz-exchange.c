// libFuzzer: what a client and a server say in a connection that is opened, in pieces of any size.
// A key never goes to the client; to the server it goes where a placeholder stood, and nowhere
// else.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "secrets/dialogue/dialogue.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char value[] = "ghp_KEYkeyKEYkeyKEY1", placeholder[] = "ghp_PLACEholderPLACE";
static const char foreign[] = "sk-OTHERotherOTHERother",
		  foreign_placeholder[] = "sk-THIRDthirdTHIRDthird";

static void fill(struct keyring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->count = 2;
	ring->secrets[0] = (struct secret){
		{ .name = "a", .host_count = 1 }, sizeof(value) - 1, value, placeholder
	};
	ring->secrets[1] = (struct secret){
		{ .name = "b", .host_count = 1 }, sizeof(foreign) - 1, foreign, foreign_placeholder
	};
	destination_parse("a.test:443", &ring->secrets[0].rule.hosts[0]);
	destination_parse("b.test:443", &ring->secrets[1].rule.hosts[0]);
}

struct pipe {
	char *to;
	size_t used, size;
};

static void put(struct pipe *pipe, const char *bytes, size_t length)
{
	if (pipe->used + length > pipe->size)
		__builtin_trap(); // more came out than this could become
	memcpy(pipe->to + pipe->used, bytes, length);
	pipe->used += length;
}

// One direction: `step` bytes more are there each time.
static bool feed(struct exchange *exchange, bool up, const char *in, size_t *start, size_t *end,
		 size_t length, size_t step, struct pipe *out)
{
	static char room[EXCHANGE_OUT];
	size_t most = *end + step < length ? *end + step : length;
	most = most - *start > EXCHANGE_IN ? *start + EXCHANGE_IN : most;
	struct passage stream = { .in = in + *start,
				  .length = most - *start,
				  .out = room,
				  .room = sizeof(room),
				  .ended = most == length };
	enum exchange_turn turn =
		up ? exchange_up(exchange, &stream) : exchange_down(exchange, &stream);
	if (stream.used > stream.length || stream.wrote > stream.room)
		__builtin_trap();
	put(out, room, stream.wrote);
	*start += stream.used;
	*end = most;
	return turn == EXCHANGE_WAIT || turn == EXCHANGE_MOVED;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct exchange exchange;
	struct keyring ring;
	struct host host = { .kind = HOST_NAME, .name = "a.test" };
	if (size < 3 || size > EXCHANGE_IN)
		return 0;
	const char *bytes = (const char *)data + 3;
	size_t left = size - 3, up = left * data[0] / 255, down = left - up,
	       most = size * 64 + 65536;
	struct pipe server = { malloc(most), 0, most }, client = { malloc(most), 0, most };
	size_t up_start = 0, up_end = 0, down_start = 0, down_end = 0;
	bool goes_on = true;
	fill(&ring);
	exchange_begin(&exchange, &ring, &host, 443);
	for (unsigned i = 0; goes_on && i < 2 * size + 16; i++) {
		goes_on =
			feed(&exchange, true, bytes, &up_start, &up_end, up, 1 + data[1], &server);
		goes_on = goes_on && feed(&exchange, false, bytes + up, &down_start, &down_end,
					  down, 1 + data[2], &client);
	}
	if (memmem(client.to, client.used, value, sizeof(value) - 1) ||
	    memmem(client.to, client.used, foreign, sizeof(foreign) - 1))
		__builtin_trap();
	// Of another host no key goes, unless the client has it from elsewhere.
	if (!memmem(bytes, left, foreign, sizeof(foreign) - 1) &&
	    memmem(server.to, server.used, foreign, sizeof(foreign) - 1))
		__builtin_trap();
	if (!memmem(bytes, left, placeholder, sizeof(placeholder) - 1) &&
	    !memmem(bytes, left, value, sizeof(value) - 1) &&
	    memmem(server.to, server.used, value, sizeof(value) - 1))
		__builtin_trap();
	free(server.to);
	free(client.to);
	return 0;
}
