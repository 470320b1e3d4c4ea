// Owns SHA-1 and SHA-256 of bytes in memory.
#include "text/sha.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, LENGTH_AT = 56 };

static uint32_t turn(uint32_t value, unsigned bits)
{
	return value << bits | value >> (32 - bits);
}

static uint32_t number(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void one_block1(uint32_t state[], const unsigned char *block)
{
	static const uint32_t keys[] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
	for (unsigned i = 0; i < 16; i++)
		w[i] = number(block + (size_t)4 * i);
	for (unsigned i = 16; i < 80; i++)
		w[i] = turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (unsigned i = 0; i < 80; i++) {
		uint32_t mixed = i < 20   ? (b & c) | (~b & d)
				 : i < 40 ? b ^ c ^ d
				 : i < 60 ? (b & c) | (b & d) | (c & d)
					  : b ^ c ^ d;
		uint32_t next = turn(a, 5) + mixed + e + keys[i / 20] + w[i];
		e = d;
		d = c;
		c = turn(b, 30);
		b = a;
		a = next;
	}
	const uint32_t added[] = { a, b, c, d, e };
	for (unsigned i = 0; i < 5; i++)
		state[i] += added[i];
}

static const uint32_t keys256[] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static void one_block256(uint32_t state[], const unsigned char *block)
{
	uint32_t w[64], s[8];
	memcpy(s, state, sizeof(s));
	for (unsigned i = 0; i < 16; i++)
		w[i] = number(block + (size_t)4 * i);
	for (unsigned i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (turn(w[i - 15], 25) ^ turn(w[i - 15], 14) ^ w[i - 15] >> 3) +
		       (turn(w[i - 2], 15) ^ turn(w[i - 2], 13) ^ w[i - 2] >> 10);
	for (unsigned i = 0; i < 64; i++) {
		uint32_t one = s[7] + (turn(s[4], 26) ^ turn(s[4], 21) ^ turn(s[4], 7)) +
			       ((s[4] & s[5]) ^ (~s[4] & s[6])) + keys256[i] + w[i];
		uint32_t two = (turn(s[0], 30) ^ turn(s[0], 19) ^ turn(s[0], 10)) +
			       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += one;
		s[0] = one + two;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += s[i];
}

static void all_blocks(const unsigned char *bytes, size_t length, uint32_t state[], unsigned words,
		       void (*one_block)(uint32_t state[], const unsigned char *block),
		       unsigned char *ret_name)
{
	unsigned char last[2 * BLOCK] = { 0 };
	size_t left = length % BLOCK, size = left < LENGTH_AT ? BLOCK : 2 * BLOCK;
	for (size_t i = 0; i + BLOCK <= length; i += BLOCK)
		one_block(state, bytes + i);
	if (left > 0)
		memcpy(last, bytes + length - left, left);
	last[left] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		last[size - 1 - i] = (unsigned char)((uint64_t)length * 8 >> 8 * i);
	for (size_t i = 0; i < size; i += BLOCK)
		one_block(state, last + i);
	for (unsigned i = 0; i < 4 * words; i++)
		ret_name[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha1(const void *bytes, size_t length, unsigned char ret_name[SHA1_BYTES])
{
	uint32_t state[] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	all_blocks(bytes, length, state, 5, one_block1, ret_name);
}

void sha256(const void *bytes, size_t length, unsigned char ret_name[SHA256_BYTES])
{
	uint32_t state[] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	all_blocks(bytes, length, state, 8, one_block256, ret_name);
}
