// Owns the threads that compare the directories of a tree with what an earlier look saw.
#include "trees/still.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/processor.h"
#include "trees/dirs.h"

// A thread takes about as long to start as 64 directories to be looked at.
enum { CHUNK = 64, BYTES_EACH = 1 << 15, STACK_BYTES = 1 << 16 };

struct sweep {
	const struct dirs *seen;
	int root;
	int64_t since;
	atomic_uint next; // chunk of rows that nobody has taken
	atomic_bool moved;
};

// The path of the row below the root, from that of the row before; false when it is none.
static bool go_to(char path[PATH_MAX], size_t ends[], const struct dirs_row *row)
{
	size_t length = row->depth > 1 ? ends[row->depth - 1] : 0, bytes = strlen(row->name);
	if (row->depth == 0)
		return true;
	if (length + bytes + 2 > PATH_MAX || bytes == 0)
		return false;
	if (length > 0)
		path[length++] = '/';
	memcpy(path + length, row->name, bytes + 1);
	ends[row->depth] = length + bytes;
	return true;
}

static bool is_still(const struct sweep *sweep, const struct dirs_row *row, const char *path)
{
	struct stat status;
	return fstatat(sweep->root, path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       dirs_is_same(row, &status, sweep->since);
}

// Each thread goes through all rows, as a path is made of those above it, and looks at the
// directories of the chunks that it takes.
static void *go_through(void *argument)
{
	struct sweep *sweep = argument;
	char path[PATH_MAX] __attribute__((uninitialized));
	size_t ends[DIRS_DEPTH_MAX + 1] = { 0 }, at = sweep->seen->begin;
	unsigned depth = 0, count = 0, own = atomic_fetch_add(&sweep->next, 1);
	struct dirs_row row;
	bool moved = false;
	memcpy(path, ".", sizeof("."));
	for (; !moved && dirs_next(sweep->seen->text, sweep->seen->length, &at, &row);
	     depth = row.depth, count++) {
		moved = row.always || (count > 0 && row.depth == 0) || row.depth > depth + 1 ||
			!go_to(path, ends, &row) || atomic_load(&sweep->moved) ||
			(count / CHUNK == own && !is_still(sweep, &row, path));
		if (count / CHUNK == own && count % CHUNK == CHUNK - 1)
			own = atomic_fetch_add(&sweep->next, 1);
	}
	if (moved || count == 0 || at != sweep->seen->length)
		atomic_store(&sweep->moved, true);
	return NULL;
}

// On other processors: beside this thread, not behind it.
static unsigned start(struct sweep *sweep, unsigned helpers, pthread_t threads[STILL_HELPERS_MAX])
{
	pthread_attr_t attributes;
	cpu_set_t others;
	unsigned worth = (unsigned)(sweep->seen->length / BYTES_EACH), count = 0;
	helpers = helpers < worth ? helpers : worth;
	unsigned there = helpers > 0 ? processor_others(&others) : 0;
	helpers = helpers < there ? helpers : there;
	if (helpers == 0 || pthread_attr_init(&attributes) != 0)
		return 0;
	if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
	    pthread_attr_setaffinity_np(&attributes, sizeof(others), &others) == 0)
		while (count < helpers && count < STILL_HELPERS_MAX &&
		       pthread_create(&threads[count], &attributes, go_through, sweep) == 0)
			count++;
	pthread_attr_destroy(&attributes);
	return count;
}

bool still_all(const struct dirs *seen, const char *root, int64_t since, unsigned helpers)
{
	pthread_t threads[STILL_HELPERS_MAX];
	autoclose int fd = open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct sweep sweep = { .seen = seen, .root = fd, .since = since };
	if (fd < 0)
		return false;
	unsigned count = start(&sweep, helpers, threads);
	go_through(&sweep);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return !atomic_load(&sweep.moved);
}
