// Owns the object names of file contents.
#include "git/gitindex.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

void gitblob_name(struct arena *arena, const char *text, size_t length, unsigned bytes,
		  struct gitblob *ret_blob)
{
	enum { FRONT = 32 };
	char front[FRONT], *body = (char *)arena_take(arena, length + FRONT) + FRONT;
	ret_blob->bytes = bytes;
	bool ends = memmem(text, length, "\r\n", 2) != NULL;
	for (int round = 0; round < 1 + ends; round++) {
		size_t used = 0;
		for (size_t i = 0; i < length; i++)
			if (round == 0 || text[i] != '\r' || i + 1 == length || text[i + 1] != '\n')
				body[used++] = text[i];
		size_t before = (size_t)snprintf(front, sizeof(front), "blob %zu", used) + 1;
		memcpy(body - before, front, before);
		if (bytes == SHA1_BYTES)
			sha1(body - before, before + used, ret_blob->names[round]);
		else
			sha256(body - before, before + used, ret_blob->names[round]);
	}
	if (!ends)
		memcpy(ret_blob->names[1], ret_blob->names[0], bytes);
}

bool gitblob_is(const struct gitblob *blob, const unsigned char *name)
{
	return memcmp(blob->names[0], name, blob->bytes) == 0 ||
	       memcmp(blob->names[1], name, blob->bytes) == 0;
}
