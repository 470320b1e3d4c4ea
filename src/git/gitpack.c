// Owns the reading of packs and of their indexes, as git writes them (version 2).
#include "git/gitindex.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "text/sha.h"

enum { INDEX_HEAD = 8, FANOUT = 256 * 4, PACK_HEAD = 12, HEAD_ROOM = 32 };
enum { COMMIT = 1, TREE, BLOB, TAG, OFFSET_DELTA = 6, NAME_DELTA };
// Of each object beside its bytes; git's own limit for a chain is 4095.
enum { PRICE = 256, CHAIN = 4096, SLOTS = 1 << 16 };
// Four of the largest: a base stays while the object that is made of it is written behind it.
#define ROOM_MAX ((size_t)GITPACK_OBJECT_MAX + HEAD_ROOM)
#define RING     (4 * ROOM_MAX)

struct pack_part { // of a pack
	unsigned type;
	size_t size; // unpacked
	uint64_t base;
	const unsigned char *packed;
	size_t length; // up to the pack's end
};

void gitpack_begin(struct arena *arena, struct gitpack *pack)
{
	pack->slots = arena_take(arena, SLOTS * sizeof(*pack->slots));
	pack->chain = arena_take(arena, CHAIN * sizeof(*pack->chain));
	pack->ring = arena_take(arena, RING);
	pack->delta = arena_take(arena, GITPACK_OBJECT_MAX);
}

static uint32_t read_32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static const unsigned char *name_of(const struct gitpack *pack, uint32_t number)
{
	return pack->index + INDEX_HEAD + FANOUT + (size_t)number * pack->hash;
}

// With no more large offsets than objects no length is that of both kinds of names.
static bool is_so_long(const struct gitpack *pack, size_t hash)
{
	size_t least = INDEX_HEAD + FANOUT + (size_t)pack->count * (hash + 8) + 2 * hash;
	size_t large = pack->index_length - least;
	return pack->index_length >= least && large % 8 == 0 && large / 8 <= pack->count;
}

// Fan-out and order are what git searches by: an object that it does not find is not believed.
static bool read_head(struct gitpack *pack)
{
	const unsigned char *index = pack->index;
	if (pack->index_length < INDEX_HEAD + FANOUT || memcmp(index, "\377tOc\0\0\0\2", 8) != 0 ||
	    pack->length < PACK_HEAD || memcmp(pack->bytes, "PACK\0\0\0\2", 8) != 0)
		return false;
	pack->count = read_32(index + INDEX_HEAD + FANOUT - 4);
	pack->hash = is_so_long(pack, SHA1_BYTES)     ? SHA1_BYTES
		     : is_so_long(pack, SHA256_BYTES) ? SHA256_BYTES
						      : 0;
	return pack->hash && read_32(pack->bytes + 8) == pack->count;
}

static uint64_t offset_of(const struct gitpack *pack, uint32_t number)
{
	const unsigned char *offsets = name_of(pack, pack->count) + (size_t)pack->count * 4;
	const unsigned char *large = offsets + (size_t)pack->count * 4;
	uint32_t offset = read_32(offsets + (size_t)number * 4);
	if (!(offset >> 31))
		return offset;
	size_t at = (size_t)(offset & 0x7fffffff) * 8;
	if (at >= pack->index_length - (size_t)(large - pack->index) - 2 * (size_t)pack->hash)
		return UINT64_MAX;
	return (uint64_t)read_32(large + at) << 32 | read_32(large + at + 4);
}

// As git searches.
static uint64_t find(const struct gitpack *pack, const unsigned char *name)
{
	const unsigned char *fanout = pack->index + INDEX_HEAD;
	uint32_t low = name[0] ? read_32(fanout + 4 * (name[0] - 1)) : 0;
	uint32_t high = read_32(fanout + 4 * name[0]);
	while (low < high && high <= pack->count) {
		uint32_t middle = low + (high - low) / 2;
		int order = memcmp(name, name_of(pack, middle), pack->hash);
		if (order == 0)
			return offset_of(pack, middle);
		*(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
	}
	return UINT64_MAX;
}

static bool read_part(const struct gitpack *pack, uint64_t offset, struct pack_part *part)
{
	if (offset < PACK_HEAD || offset >= pack->length)
		return false;
	const unsigned char *at = pack->bytes + offset, *end = pack->bytes + pack->length;
	*part = (struct pack_part){ .type = *at >> 4 & 7, .size = *at & 15 };
	for (unsigned shift = 4; *at++ & 0x80; shift += 7) {
		if (at == end || shift > 53)
			return false;
		part->size |= (size_t)(*at & 0x7f) << shift;
	}
	if (part->type == NAME_DELTA && (size_t)(end - at) > pack->hash) {
		part->base = find(pack, at);
		at += pack->hash;
	} else if (part->type == OFFSET_DELTA) {
		uint64_t back = 0;
		do {
			if (at == end || back >> 48)
				return false;
			back = back << 7 | (*at & 0x7f);
			back += *at & 0x80 ? 1 : 0;
		} while (*at++ & 0x80);
		part->base = back < offset ? offset - back : 0;
	} else if (part->type < COMMIT || part->type > TAG) {
		return false;
	}
	part->packed = at;
	part->length = (size_t)(end - at);
	return true;
}

static struct gitpack_slot *slot_of(const struct gitpack *pack, uint64_t offset)
{
	return &pack->slots[(offset * 0x9e3779b97f4a7c15ULL >> 40) % SLOTS];
}

static unsigned char *bytes_of(const struct gitpack *pack, const struct gitpack_slot *slot)
{
	return pack->ring + slot->start % RING;
}

static struct gitpack_slot *take_slot(struct gitpack *pack, uint64_t offset, size_t length)
{
	struct gitpack_slot *slot = slot_of(pack, offset);
	if (RING - pack->used % RING < HEAD_ROOM + length)
		pack->used += RING - pack->used % RING;
	*slot = (struct gitpack_slot){ .offset = offset,
				       .start = pack->used + HEAD_ROOM,
				       .length = length };
	pack->used += HEAD_ROOM + length;
	return slot;
}

static bool is_kept(const struct gitpack *pack, const struct gitpack_slot *slot, uint64_t offset)
{
	return slot->type && slot->offset == offset &&
	       slot->start + RING >= pack->used + 2 * ROOM_MAX;
}

static bool unpack_to(const struct pack_part *part, unsigned char *buffer)
{
	size_t length = 0;
	return inflate_all(part->packed, part->length, buffer, part->size, &length) == 0 &&
	       length == part->size;
}

// A number of 7 bits a byte, the lowest first.
static size_t read_size(const unsigned char **at, const unsigned char *end)
{
	size_t size = 0;
	for (unsigned shift = 0; *at < end && shift < 56; shift += 7) {
		unsigned char byte = *(*at)++;
		size |= (size_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return size;
}

static size_t read_bits(const unsigned char **at, const unsigned char *end, unsigned bits,
			unsigned bytes)
{
	size_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		if (bits >> i & 1 && *at < end)
			value |= (size_t)*(*at)++ << 8 * i;
	return value;
}

static bool apply(const unsigned char *at, const unsigned char *end, const unsigned char *base,
		  size_t base_length, unsigned char *to, size_t left)
{
	while (at < end) {
		unsigned char code = *at++;
		if (code & 0x80) {
			size_t from = read_bits(&at, end, code, 4);
			size_t size = read_bits(&at, end, code >> 4 & 7, 3);
			size = size ? size : 0x10000;
			if (from > base_length || size > base_length - from || size > left)
				return false;
			memcpy(to, base + from, size);
			to += size;
			left -= size;
		} else {
			if (code == 0 || code > end - at || code > left)
				return false;
			memcpy(to, at, code);
			at += code;
			to += code;
			left -= code;
		}
	}
	return left == 0;
}

// 0, 1 too large, -1. `base` may be the slot that is taken.
static int unpack_delta(struct gitpack *pack, uint64_t offset, const struct pack_part *part,
			struct gitpack_slot base)
{
	const unsigned char *at = pack->delta, *end = at + part->size;
	if (!unpack_to(part, pack->delta) || read_size(&at, end) != base.length)
		return -1;
	size_t length = read_size(&at, end);
	if (length > GITPACK_OBJECT_MAX)
		return 1;
	struct gitpack_slot *slot = take_slot(pack, offset, length);
	if (!apply(at, end, bytes_of(pack, &base), base.length, bytes_of(pack, slot), length))
		return -1;
	slot->type = base.type;
	return 0;
}

// 0 and the slot that has it, 1 too large, -1 no such object.
static int unpack(struct gitpack *pack, uint64_t offset, struct gitpack_slot **ret_slot)
{
	struct pack_part part;
	unsigned depth = 0;
	struct gitpack_slot *slot;
	for (;; offset = part.base) {
		slot = slot_of(pack, offset);
		if (is_kept(pack, slot, offset))
			break;
		if (!read_part(pack, offset, &part))
			return -1;
		if (part.size > GITPACK_OBJECT_MAX || depth == CHAIN)
			return 1;
		if (part.type <= TAG) {
			slot = take_slot(pack, offset, part.size);
			if (!unpack_to(&part, bytes_of(pack, slot)))
				return -1;
			slot->type = part.type;
			break;
		}
		pack->chain[depth++] = offset;
	}
	while (depth > 0) {
		offset = pack->chain[--depth];
		if (!read_part(pack, offset, &part))
			return -1;
		int result = unpack_delta(pack, offset, &part, *slot);
		if (result != 0)
			return result;
		slot = slot_of(pack, offset);
	}
	*ret_slot = slot;
	return 0;
}

// A name is the hash of the bytes, with a head before them.
static bool has_name(const struct gitpack *pack, const struct gitpack_slot *slot,
		     const unsigned char *name)
{
	static const char *const types[] = { "", "commit", "tree", "blob", "tag" };
	char head[HEAD_ROOM];
	unsigned char hash[SHA256_BYTES];
	int length = snprintf(head, sizeof(head), "%s %zu", types[slot->type], slot->length) + 1;
	unsigned char *bytes = bytes_of(pack, slot) - length;
	memcpy(bytes, head, (size_t)length);
	(pack->hash == SHA1_BYTES ? sha1 : sha256)(bytes, slot->length + (size_t)length, hash);
	return memcmp(hash, name, pack->hash) == 0;
}

void gitpack_compare(struct gitpack *pack, size_t most)
{
	struct gitpack_slot *slot;
	size_t start = pack->used;
	pack->wrong = !read_head(pack);
	for (size_t price = 0; !pack->wrong && pack->at < pack->count; pack->at++) {
		uint32_t number = (uint32_t)(((uint64_t)pack->first + pack->at) % pack->count);
		if (pack->used - start + price > most)
			return;
		price += PRICE;
		int result = unpack(pack, offset_of(pack, number), &slot);
		pack->left += result == 1;
		pack->wrong =
			result < 0 || (result == 0 && !has_name(pack, slot, name_of(pack, number)));
	}
}
