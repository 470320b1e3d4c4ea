// Packs of git's: whether each object that one lists has the name of its content. Pure; memory of
// an arena. By gitformat-pack(5).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

// Objects, or differences, of more bytes than this are not compared. GITPACK_ARENA: what an arena
// for one needs.
enum { GITPACK_OBJECT_MAX = 16 << 20, GITPACK_ARENA = 88 << 20 };

struct gitpack_slot {
	uint64_t offset; // in the pack
	size_t start;    // of all bytes that were unpacked into the ring, the number of its first
	size_t length;
	unsigned type; // 0: none
};

struct gitpack {
	const unsigned char *index, *bytes; // the two files
	size_t index_length, length;
	uint32_t first; // the object to begin with
	// What gitpack_compare() finds:
	bool wrong;     // git does not write such an index or pack, or a name is not its object's
	uint32_t count; // objects in it
	uint32_t at;    // that were compared, or left out
	uint32_t left;  // that were too large
	unsigned hash;  // bytes of a name
	// Private: the objects unpacked last, as bases of others.
	struct gitpack_slot *slots;
	unsigned char *ring, *delta;
	uint64_t *chain;
	size_t used;
};

// Takes the memory of one.
void gitpack_begin(struct arena *arena, struct gitpack *pack);
// Goes on until it has unpacked `most` bytes, or one object more. Ended where `at` is `count`, or
// where one is wrong.
void gitpack_compare(struct gitpack *pack, size_t most);
