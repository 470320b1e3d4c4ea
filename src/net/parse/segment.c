// Owns segments of TCP (RFC 9293 3.1) without data.
#include "net/parse/parse.h"

#include <netinet/in.h>
#include <string.h>

enum { HEADER = 20, V4_HEADER = 20, V6_HEADER = 40, SEQUENCE = 4, ACKNOWLEDGED = 8, OFFSET = 12 };
enum { FLAGS = 13, CHECKSUM = 16, RST_ACK = 0x14 };

static void write16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

bool segment_v6(const uint8_t *bytes, size_t length, struct segment *ret)
{
	size_t header = length >= HEADER ? (size_t)(bytes[OFFSET] >> 4) * 4 : 0;
	if (header < HEADER || header > length)
		return false;
	ret->ends.from_port = read16(bytes);
	ret->ends.to_port = read16(bytes + 2);
	ret->length = (uint32_t)header;
	memcpy(ret->bytes, bytes, header);
	return true;
}

bool segment_v4(const uint8_t *bytes, size_t length, struct segment *ret)
{
	size_t header = length >= V4_HEADER ? (size_t)(bytes[0] & 15) * 4 : 0;
	if (header < V4_HEADER || header > length ||
	    !segment_v6(bytes + header, length - header, ret))
		return false;
	ret->ends.from = address_v4(bytes + 12);
	ret->ends.to = address_v4(bytes + 16);
	return true;
}

void segment_refuse(const struct segment *first, struct segment *ret)
{
	const struct ends *ends = &first->ends;
	*ret = (struct segment){ .ends = { .from = ends->to,
					   .to = ends->from,
					   .from_port = ends->to_port,
					   .to_port = ends->from_port },
				 .length = HEADER };
	write16(ret->bytes, ends->to_port);
	write16(ret->bytes + 2, ends->from_port);
	memcpy(ret->bytes + ACKNOWLEDGED, first->bytes + SEQUENCE, 4);
	for (int i = 3; i >= 0 && ++ret->bytes[ACKNOWLEDGED + i] == 0; i--)
		;
	ret->bytes[OFFSET] = HEADER / 4 << 4;
	ret->bytes[FLAGS] = RST_ACK;
}

static uint32_t add_up(uint32_t sum, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i += 2)
		sum += read16(bytes + i);
	return sum;
}

size_t segment_packet(const struct segment *segment, uint8_t ret_packet[PACKET_MAX])
{
	const struct address *from = &segment->ends.from, *to = &segment->ends.to;
	bool v4 = address_is_v4(to);
	size_t size = v4 ? 4 : 16, header = v4 ? V4_HEADER : V6_HEADER, at = v4 ? 12 : 8;
	uint8_t *tcp = ret_packet + header;
	memset(ret_packet, 0, header);
	ret_packet[0] = v4 ? 0x45 : 0x60;
	if (!v4)
		write16(ret_packet + 4, segment->length);
	ret_packet[v4 ? 9 : 6] = IPPROTO_TCP;
	ret_packet[v4 ? 8 : 7] = 64;
	memcpy(ret_packet + at, from->bytes + 16 - size, size);
	memcpy(ret_packet + at + size, to->bytes + 16 - size, size);
	memcpy(tcp, segment->bytes, segment->length);
	write16(tcp + CHECKSUM, 0);
	uint32_t sum = add_up(IPPROTO_TCP + segment->length, ret_packet + at, 2 * size);
	sum = add_up(sum, tcp, segment->length);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	write16(tcp + CHECKSUM, ~sum & 0xffff);
	return header + segment->length;
}
