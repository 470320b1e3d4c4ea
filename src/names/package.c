// Owns what of a package.json is no dependency.
#include "names/trusted.h"

#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "text/json.h"
#include "text/sha.h"

struct package_reader {
	const char *text;
	struct out kept;
	bool passed; // in a member that does not count
};

static bool step(void *owner, const struct json_step *at)
{
	static const char dependencies[] =
		"dependencies devDependencies optionalDependencies "
		"peerDependencies bundleDependencies bundledDependencies";
	struct package_reader *reader = owner;
	if (at->depth <= 1)
		reader->passed = at->key && str_has_word(dependencies, at->key, at->key_length);
	if (reader->passed)
		return true;
	size_t key = at->key ? at->key_length : 0;
	size_t value = at->kind > WALK_ARRAY ? at->end - at->start : 0;
	out_text(&reader->kept, "%d %d %zu %zu ", (int)at->kind, (int)at->depth, key, value);
	if (key > 0)
		out_bytes(&reader->kept, at->key, key);
	if (value > 0)
		out_bytes(&reader->kept, reader->text + at->start, value);
	return true;
}

// By SHA-256, as a box may search for a text with the same number.
uint64_t package_hash(const char *text, size_t length)
{
	struct package_reader reader = { .text = text };
	unsigned char name[SHA256_BYTES];
	uint64_t hash = 0;
	if (json_walk(text, length, step, &reader)) {
		sha256(reader.kept.text ? reader.kept.text : "", reader.kept.used, name);
		memcpy(&hash, name, sizeof(hash));
	}
	out_free(&reader.kept);
	return hash;
}
