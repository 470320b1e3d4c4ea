// Owns the list of parts.
#include "session/archive/tar.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"

enum { PARTS_MAX = 4000000 };

static void add(struct arena *arena, struct sparse *sparse, uint64_t at, uint64_t size)
{
	if (sparse->count == sparse->size) {
		unsigned most = sparse->size ? sparse->size * 2 : 64;
		struct sparse_part *list = arena_take(arena, most * sizeof(*list));
		if (sparse->count > 0)
			memcpy(list, sparse->list, sparse->count * sizeof(*list));
		sparse->list = list;
		sparse->size = most;
	}
	sparse->list[sparse->count++] = (struct sparse_part){ at, size };
	sparse->bytes += size;
}

// A file system that knows nothing of holes has one part, up to the end.
void sparse_find(struct arena *arena, int fd, uint64_t size, struct sparse *ret_sparse)
{
	struct sparse sparse = { .count = 0 };
	for (uint64_t at = 0; at < size;) {
		off_t data = lseek(fd, (off_t)at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		off_t hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
		uint64_t first = data < 0 ? at : (uint64_t)data / TAR_BLOCK * TAR_BLOCK,
			 end = hole < 0 || sparse.count == PARTS_MAX - 1 ? size : (uint64_t)hole;
		end = (end + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		end = end < size ? end : size;
		first = first > at ? first : at;
		add(arena, &sparse, first, end - first);
		at = end;
	}
	// One that ends with a hole has an empty part there: so says its size who reads no other.
	if (sparse.count == 0 ||
	    sparse.list[sparse.count - 1].at + sparse.list[sparse.count - 1].size < size)
		add(arena, &sparse, size, 0);
	*ret_sparse = sparse;
}

void sparse_put(struct out *out, const struct sparse *sparse)
{
	static const char zeros[TAR_BLOCK];
	size_t before = out->used;
	out_text(out, "%u\n", sparse->count);
	for (unsigned i = 0; i < sparse->count; i++)
		out_text(out, "%llu\n%llu\n", (unsigned long long)sparse->list[i].at,
			 (unsigned long long)sparse->list[i].size);
	out_bytes(out, zeros, (TAR_BLOCK - (out->used - before) % TAR_BLOCK) % TAR_BLOCK);
}

// The first number is how many pairs follow. Parts are in order, and none is outside of the file.
static bool take_number(struct arena *arena, struct sparse *sparse, uint64_t size)
{
	uint64_t number = sparse->number;
	struct sparse_part *last = sparse->count > 0 ? &sparse->list[sparse->count - 1] : NULL;
	sparse->number = 0;
	sparse->digits = false;
	if (sparse->numbers++ == 0)
		return number <= PARTS_MAX;
	if (sparse->numbers % 2 == 0) {
		if (number > size || (last && number < last->at + last->size))
			return false;
		add(arena, sparse, number, 0);
		return true;
	}
	if (number > size - last->at)
		return false;
	last->size = number;
	sparse->bytes += number;
	return true;
}

int sparse_feed(struct arena *arena, struct sparse *sparse, const char *block, uint64_t size)
{
	for (unsigned i = 0; i < TAR_BLOCK; i++) {
		bool digit = block[i] >= '0' && block[i] <= '9';
		if (digit && sparse->number < UINT64_MAX / 100) {
			sparse->number = sparse->number * 10 + (uint64_t)(block[i] - '0');
			sparse->digits = true;
			if (sparse->numbers == 0)
				sparse->wanted = sparse->number;
			continue;
		}
		if (block[i] != '\n' || !sparse->digits || !take_number(arena, sparse, size))
			return fail(0, "the archive's list of a sparse file is damaged");
		if (sparse->numbers == 2 * sparse->wanted + 1)
			return 1;
	}
	return 0;
}
