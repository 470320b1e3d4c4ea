// trees/git_walk.c: what a box can make a sweep keep in memory is bounded.
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "trees/trees.h"

static char place[] = "/tmp/sbx-unit-sweep.XXXXXX";
static int top;

static int set_up(void **state)
{
	(void)state;
	top = mkdtemp(place) ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return top < 0;
}

static int tear_down(void **state)
{
	(void)state;
	return owned_remove_tree(AT_FDCWD, place);
}

static int make(int directory, const char *name)
{
	assert_int_equal(mkdirat(directory, name, 0700), 0);
	return fd_directory(directory, name);
}

// Of all directories that are too deep to search their common parent is kept.
static void too_deep(void **state)
{
	enum { DEPTH = 240, MANY = 200, MEMORY = 64 << 10 };
	static const char name[] = "eleven-long";
	static char path[PATH_MAX];
	char last[32];
	(void)state;
	size_t used = (size_t)snprintf(path, sizeof(path), "%s", place);
	int at = fcntl(top, F_DUPFD_CLOEXEC, 0);
	for (int i = 0; i < DEPTH; i++) {
		int below = make(at, name);
		close(at);
		at = below;
		used += (size_t)snprintf(path + used, sizeof(path) - used, "/%s", name);
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(last, sizeof(last), "d%d", i);
		assert_int_equal(mkdirat(at, last, 0700), 0);
	}
	close(at);
	struct arena *arena = arena_new();
	struct git_walk walk = { .arena = arena };
	size_t left = arena_left(arena);
	walk_tree(&walk, place);
	assert_string_equal(walk.lost, path);
	assert_in_range(left - arena_left(arena), 1, MEMORY);
	arena_free(arena);
	assert_int_equal(owned_remove_tree(top, name), 0);
}

static void count(struct git_walk *walk, int directory, const char *name, unsigned type)
{
	(void)directory;
	(void)name;
	(void)type;
	++*(unsigned *)walk->owner;
}

static unsigned rows_after(size_t bytes, unsigned *ret_seen)
{
	static struct tracked centre = { "", SHARE_NONE };
	const struct share share = { .tracked = &centre, .count = 1 };
	struct git_walk walk = { .share = &share,
				 .entry = count,
				 .owner = ret_seen,
				 .fresh_bytes = bytes,
				 .arena = arena_new() };
	*ret_seen = 0;
	walk_tree(&walk, place);
	arena_free(walk.arena);
	return walk.row_count;
}

// New directories wait for those of the index, until their paths fill this much; from then on each
// is read where it is met.
static void new_ones(void **state)
{
	enum { FRESH_BYTES = 128 << 20, MANY = 100 };
	char name[32];
	unsigned seen;
	(void)state;
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		autoclose int at = make(top, name);
		assert_int_equal(mkdirat(at, "e", 0700), 0);
	}
	assert_int_equal(rows_after(0, &seen), 2 * MANY);
	assert_int_equal(seen, 2 * MANY);
	assert_int_equal(rows_after(FRESH_BYTES - 4, &seen), 2);
	assert_int_equal(seen, 2 * MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(too_deep),
					    cmocka_unit_test(new_ones) };
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
