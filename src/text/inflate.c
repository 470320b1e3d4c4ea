// Owns the unpacking of zlib's data, whole from memory to memory.
#include "text/sha.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BITS_MAX = 15, LITERALS = 288, DISTANCES = 30, LENGTHS = 19, END = 256 };

struct inflate_stream {
	const unsigned char *bytes;
	size_t length, at;
	uint32_t kept; // bits of bytes that were read
	unsigned count;
	bool bad; // it ended too early
	unsigned char *buffer;
	size_t used, most;
};

// Symbols in the order of their codes, and how many codes have each length.
struct inflate_code {
	uint16_t counts[BITS_MAX + 1], symbols[LITERALS];
};

static unsigned take_bits(struct inflate_stream *stream, unsigned count)
{
	while (stream->count < count) {
		stream->bad = stream->bad || stream->at >= stream->length;
		if (stream->bad)
			return 0;
		stream->kept |= (uint32_t)stream->bytes[stream->at++] << stream->count;
		stream->count += 8;
	}
	unsigned value = stream->kept & ((1U << count) - 1);
	stream->kept >>= count;
	stream->count -= count;
	return value;
}

// -1 when no code begins so.
static int take_symbol(struct inflate_stream *stream, const struct inflate_code *code)
{
	int value = 0, first = 0, index = 0;
	for (unsigned bits = 1; bits <= BITS_MAX && !stream->bad; bits++) {
		value |= (int)take_bits(stream, 1);
		int count = code->counts[bits];
		if (value - count < first)
			return code->symbols[index + value - first];
		index += count;
		first = (first + count) * 2;
		value *= 2;
	}
	return -1;
}

// False when more codes of a length are wanted than there are.
static bool make_code(struct inflate_code *code, const unsigned char *lengths, unsigned count)
{
	uint16_t places[BITS_MAX + 2] = { 0 };
	int left = 1;
	memset(code, 0, sizeof(*code));
	for (unsigned i = 0; i < count; i++)
		code->counts[lengths[i]]++;
	code->counts[0] = 0;
	for (unsigned i = 1; i <= BITS_MAX; i++) {
		left = left * 2 - code->counts[i];
		if (left < 0)
			return false;
		places[i + 1] = (uint16_t)(places[i] + code->counts[i]);
	}
	for (unsigned i = 0; i < count; i++)
		if (lengths[i])
			code->symbols[places[lengths[i]]++] = (uint16_t)i;
	return true;
}

static int put_again(struct inflate_stream *stream, size_t distance, size_t length)
{
	if (distance > stream->used)
		return -1;
	if (length > stream->most - stream->used)
		return 1;
	for (; length > 0; length--, stream->used++)
		stream->buffer[stream->used] = stream->buffer[stream->used - distance];
	return 0;
}

static int take_block(struct inflate_stream *stream, const struct inflate_code *literals,
		      const struct inflate_code *distances)
{
	static const uint16_t lengths[] = { 3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
					    15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
					    67, 83, 99, 115, 131, 163, 195, 227, 258 };
	static const uint16_t far[] = { 1,    2,    3,    4,     5,     7,    9,    13,
					17,   25,   33,   49,    65,    97,   129,  193,
					257,  385,  513,  769,   1025,  1537, 2049, 3073,
					4097, 6145, 8193, 12289, 16385, 24577 };
	for (int result = 0;;) {
		int symbol = take_symbol(stream, literals);
		if (symbol == END || symbol < 0 || symbol >= END + 30)
			return symbol == END ? 0 : -1;
		if (symbol < END) {
			if (stream->used == stream->most)
				return 1;
			stream->buffer[stream->used++] = (unsigned char)symbol;
			continue;
		}
		unsigned at = (unsigned)symbol - END - 1;
		size_t length =
			lengths[at] + take_bits(stream, at < 8 || at == 28 ? 0 : at / 4 - 1);
		int distance = take_symbol(stream, distances);
		if (distance < 0 || distance >= DISTANCES)
			return -1;
		size_t back = far[distance] +
			      take_bits(stream, distance < 4 ? 0 : (unsigned)distance / 2 - 1);
		result = stream->bad ? -1 : put_again(stream, back, length);
		if (result != 0)
			return result;
	}
}

static int take_stored(struct inflate_stream *stream)
{
	stream->kept = stream->count = 0;
	if (stream->length - stream->at < 4)
		return -1;
	const unsigned char *head = stream->bytes + stream->at;
	size_t size = (size_t)head[0] | (size_t)head[1] << 8;
	stream->at += 4;
	if ((head[0] ^ head[2]) != 0xff || (head[1] ^ head[3]) != 0xff ||
	    size > stream->length - stream->at)
		return -1;
	if (size > stream->most - stream->used)
		return 1;
	memcpy(stream->buffer + stream->used, stream->bytes + stream->at, size);
	stream->used += size;
	stream->at += size;
	return 0;
}

// The two codes of a block, as it says them.
static bool read_codes(struct inflate_stream *stream, struct inflate_code *literals,
		       struct inflate_code *distances)
{
	static const unsigned char order[LENGTHS] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
						      11, 4,  12, 3, 13, 2, 14, 1, 15 };
	unsigned char lengths[LITERALS + 32] = { 0 };
	unsigned first = take_bits(stream, 5) + 257, second = take_bits(stream, 5) + 1;
	unsigned all = first + second, count = take_bits(stream, 4) + 4;
	for (unsigned i = 0; i < count; i++)
		lengths[order[i]] = (unsigned char)take_bits(stream, 3);
	if (first > LITERALS - 2 || !make_code(literals, lengths, LENGTHS))
		return false;
	memset(lengths, 0, sizeof(lengths));
	for (unsigned at = 0; at < all;) {
		int symbol = take_symbol(stream, literals);
		if (symbol < 0 || (symbol == 16 && at == 0))
			return false;
		unsigned char value = symbol < 16    ? (unsigned char)symbol
				      : symbol == 16 ? lengths[at - 1]
						     : 0;
		unsigned again = symbol < 16    ? 1
				 : symbol == 16 ? 3 + take_bits(stream, 2)
				 : symbol == 17 ? 3 + take_bits(stream, 3)
						: 11 + take_bits(stream, 7);
		if (again > all - at)
			return false;
		memset(lengths + at, value, again);
		at += again;
	}
	return !stream->bad && make_code(literals, lengths, first) &&
	       make_code(distances, lengths + first, second);
}

static bool fixed_codes(struct inflate_code *literals, struct inflate_code *distances)
{
	unsigned char lengths[LITERALS];
	memset(lengths, 8, 144);
	memset(lengths + 144, 9, 112);
	memset(lengths + 256, 7, 24);
	memset(lengths + 280, 8, 8);
	bool good = make_code(literals, lengths, LITERALS);
	memset(lengths, 5, DISTANCES);
	return make_code(distances, lengths, DISTANCES) && good;
}

int inflate_all(const void *bytes, size_t length, unsigned char *buffer, size_t most,
		size_t *ret_length)
{
	struct inflate_stream stream = {
		.bytes = bytes, .length = length, .at = 2, .buffer = buffer, .most = most
	};
	struct inflate_code literals, distances;
	if (length < 2 || (stream.bytes[0] & 0xf) != 8 || stream.bytes[1] & 0x20 ||
	    (stream.bytes[0] << 8 | stream.bytes[1]) % 31 != 0)
		return -1;
	for (bool last = false; !last;) {
		last = take_bits(&stream, 1);
		unsigned kind = take_bits(&stream, 2);
		int result = -1;
		if (kind == 0)
			result = take_stored(&stream);
		else if (kind == 1 ? fixed_codes(&literals, &distances)
				   : kind == 2 && read_codes(&stream, &literals, &distances))
			result = take_block(&stream, &literals, &distances);
		if (result != 0 || stream.bad)
			return stream.bad ? -1 : result;
	}
	*ret_length = stream.used;
	return 0;
}
