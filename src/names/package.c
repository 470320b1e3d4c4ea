// Owns what of a package.json is no dependency.
#include "names/package.h"

#include <stdbool.h>

#include "base/str.h"
#include "text/json.h"

struct package_reader {
	const char *text;
	uint64_t hash;
	bool passed; // in a member that does not count
};

static void add(struct package_reader *reader, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		reader->hash = (reader->hash ^ (unsigned char)bytes[i]) * 1099511628211ULL;
	reader->hash = (reader->hash ^ 0x100) * 1099511628211ULL;
}

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
	const char place[] = { (char)at->kind, (char)at->depth };
	add(reader, place, sizeof(place));
	add(reader, at->key, at->key ? at->key_length : 0);
	if (at->kind > WALK_ARRAY)
		add(reader, reader->text + at->start, at->end - at->start);
	return true;
}

uint64_t package_hash(const char *text, size_t length)
{
	struct package_reader reader = { .text = text, .hash = 14695981039346656037ULL };
	return json_walk(text, length, step, &reader) ? reader.hash : 0;
}
