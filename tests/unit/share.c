// trees/: what is kept of a tree between runs, and when it counts.
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "trees/trees.h"

static int top;

enum { MANY = 2000, ENTRY = 72 };

// Of files in so many directories, whose names begin with a letter. In place.
static struct file_state write_index(char letter, unsigned count)
{
	static const char digits[] = "0123456789abcdef";
	static unsigned char text[MANY * ENTRY + 32];
	unsigned char *at = text;
	struct stat status;
	memset(text, 0, sizeof(text));
	memcpy(at, "DIRC\0\0\0\2\0\0", 10);
	at[10] = (unsigned char)(count >> 8);
	at[11] = (unsigned char)count;
	at += 12;
	for (unsigned i = 0; i < count; i++, at += ENTRY) {
		at[26] = 0x81, at[27] = 0xa4; // a file
		at[61] = 6;
		memcpy(at + 62,
		       (const char[]){ letter, digits[i >> 8 & 15], digits[i >> 4 & 15],
				       digits[i & 15], '/', 'f' },
		       6);
	}
	at += 20;
	autoclose int fd = openat(top, "index", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(pwrite(fd, text, (size_t)(at - text), 0), at - text);
	assert_int_equal(fstat(fd, &status), 0);
	return file_state(&status);
}

static char index_path[64], kept_path[64];

// The number of directories, and the first letter of the last one.
static unsigned read_share(const struct file_state *state, const char *file, char *ret_letter)
{
	struct arena *arena = arena_new_of((size_t)384 << 20);
	struct share share = { .count = 0 };
	if (!share_read(arena, index_path, state, file, &share))
		share.count = 0;
	*ret_letter = share.count > 0 ? share.tracked[share.count - 1].path[0] : '-';
	unsigned count = share.count;
	arena_free(arena);
	return count;
}

static void sleep_over_tick(void)
{
	const struct timespec pause = { .tv_nsec = 30000000 };
	nanosleep(&pause, NULL);
}

// Of an index that changed within the tick before it was read nothing is kept: it can change once
// more, and have the same times.
static void never_in_its_tick(void)
{
	enum { TRIES = 300, TICK = 20000000 };
	bool in_time = false;
	char letter;
	for (int i = 0; i < TRIES && !in_time; i++) {
		struct file_state state = write_index('a', 2);
		assert_int_equal(read_share(&state, kept_path, &letter), 2);
		in_time = times_now() < state.changed + TICK;
		assert_false(in_time && access(kept_path, F_OK) == 0);
		unlink(kept_path);
	}
	assert_true(in_time);
}

static void is_not_used(const struct file_state *state)
{
	char letter;
	assert_int_equal(read_share(state, kept_path, &letter), 0);
}

// Without an index nothing but the kept rows is there to read.
static void by_identity(const struct file_state *state)
{
	struct file_state others[5] = { *state, *state, *state, *state, *state };
	char letter;
	assert_int_equal(renameat(top, "index", top, "away"), 0);
	assert_int_equal(read_share(state, kept_path, &letter), MANY);
	assert_int_equal(read_share(state, NULL, &letter), 0);
	others[0].device++, others[1].inode++, others[2].size++, others[3].modified++;
	others[4].changed++;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		is_not_used(&others[i]);
	assert_int_equal(renameat(top, "away", top, "index"), 0);
}

// Each is what a stranger wishes, like the answer of the process that read the index.
static void by_form(const struct file_state *state)
{
	static char whole[MANY * 32], bad[MANY * 32];
	enum { ROWS = 64, NAME = ROWS + 12 };
	autoclose int fd = open(kept_path, O_RDWR | O_CLOEXEC);
	size_t size = (size_t)pread(fd, whole, sizeof(whole), 0);
	assert_in_range(size, MANY * 16, sizeof(whole) - 1);
	assert_string_equal(whole + NAME, "a000");
	assert_int_equal(renameat(top, "index", top, "away"), 0);
	for (int i = 0; i < 6; i++) {
		memcpy(bad, whole, size);
		memcpy(bad + NAME, (const char *[]){ "../a", "a//b", "/abc", "a\0bc" }[i & 3], 4);
		memcpy(bad + ROWS, i == 4 ? "\0\0\0\0" : whole + ROWS, 4); // its kind
		memcpy(bad + NAME, i < 4 ? bad + NAME : whole + NAME, 4);
		assert_int_equal(pwrite(fd, bad, size, 0), size);
		assert_int_equal(ftruncate(fd, (off_t)size - (i == 5 ? 17 : 0)), 0);
		is_not_used(state);
	}
	assert_int_equal(pwrite(fd, whole, size, 0), size);
	assert_int_equal(renameat(top, "away", top, "index"), 0);
}

// More rows than a sweep may have.
static void by_number(const struct file_state *state)
{
	enum { ROWS_MAX = 1 << 20, HEAD = 64, LENGTH = HEAD - 8, ROW = 14 };
	static char whole[HEAD + (ROWS_MAX + 1) * ROW];
	char letter;
	autoclose int fd = open(kept_path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pread(fd, whole, HEAD + ROW, 0), HEAD + ROW);
	memcpy(whole + HEAD + 8, "\1\0\0\0a", 6); // a name of one byte
	for (unsigned i = 1; i <= ROWS_MAX; i++)
		memcpy(whole + HEAD + i * ROW, whole + HEAD, ROW);
	assert_int_equal(renameat(top, "index", top, "away"), 0);
	for (unsigned more = 0; more < 2; more++) {
		const uint64_t size = HEAD + (ROWS_MAX + more) * ROW;
		memcpy(whole + LENGTH, &size, sizeof(size));
		assert_int_equal(pwrite(fd, whole, size, 0), size);
		assert_int_equal(read_share(state, kept_path, &letter), more ? 0 : ROWS_MAX);
	}
	assert_int_equal(renameat(top, "away", top, "index"), 0);
	unlink(kept_path);
}

static void kept(void **unused)
{
	(void)unused;
	char letter;
	char place[] = "/tmp/share-XXXXXX";
	assert_non_null(mkdtemp(place));
	top = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(top >= 0);
	snprintf(index_path, sizeof(index_path), "/proc/self/fd/%d/index", top);
	snprintf(kept_path, sizeof(kept_path), "/proc/self/fd/%d/state/kept", top);
	assert_int_equal(mkdirat(top, "state", 0700), 0);
	never_in_its_tick();
	struct file_state state = write_index('a', MANY);
	sleep_over_tick();
	assert_int_equal(read_share(&state, kept_path, &letter), MANY);
	assert_int_equal(access(kept_path, F_OK), 0);
	by_identity(&state);
	by_form(&state);
	by_number(&state);
	// Another one in its place, of its size and with its time.
	sleep_over_tick();
	struct file_state other = write_index('b', MANY);
	struct stat status;
	const struct timespec times[] = { times_of(state.modified), times_of(state.modified) };
	assert_int_equal(utimensat(top, "index", times, 0), 0);
	assert_int_equal(fstatat(top, "index", &status, 0), 0);
	other = file_state(&status);
	assert_true(other.size == state.size && other.modified == state.modified &&
		    other.inode == state.inode);
	assert_int_equal(read_share(&other, kept_path, &letter), MANY);
	assert_int_equal(letter, 'b');
	assert_int_equal(apart_end(), 0);
	apart_reap();
	assert_int_equal(owned_remove_tree(AT_FDCWD, place), 0);
}

static bool is_changed(const struct share *share, const char *root, int64_t since)
{
	struct git_walk walk = {
		.share = share, .since = since, .start = since, .probes = true, .arena = arena_new()
	};
	walk_tree(&walk, root);
	arena_free(walk.arena);
	return walk.cut;
}

// Two threads share so many, as they come: a change is seen by whichever has it, each time.
static void from_both_ends(void **state)
{
	enum { TRIES = 40, DIRECTORIES = 1500, LENGTH = 8 };
	static struct tracked tracked[DIRECTORIES + 1] = { { "", SHARE_NONE } };
	static char names[DIRECTORIES][LENGTH];
	const struct share share = { .tracked = tracked,
				     .count = DIRECTORIES + 1,
				     .directory = "" };
	char root[] = "/tmp/share-XXXXXX";
	struct stat status;
	(void)state;
	assert_non_null(mkdtemp(root));
	autoclose int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = 0; i < DIRECTORIES; i++) {
		snprintf(names[i], LENGTH, "d%04u", i % 10000);
		assert_int_equal(mkdirat(fd, names[i], 0700), 0);
		tracked[i + 1] = (struct tracked){ names[i], 0 };
	}
	for (unsigned at = 0; at < DIRECTORIES; at += (DIRECTORIES - 1) / 2) {
		sleep_over_tick();
		int64_t since = times_now() - 10000000;
		for (int i = 0; i < TRIES; i++)
			assert_false(is_changed(&share, root, since));
		assert_int_equal(fchmodat(fd, names[at], 0700, 0), 0);
		assert_int_equal(fstatat(fd, names[at], &status, 0), 0);
		assert_true(times_from(&status.st_ctim) >= since);
		for (int i = 0; i < TRIES; i++)
			assert_true(is_changed(&share, root, since));
	}
	assert_int_equal(owned_remove_tree(AT_FDCWD, root), 0);
}

static struct repos list_of(struct arena *arena, const char *text)
{
	struct repos list;
	char whole[256];
	int length = snprintf(whole, sizeof(whole), "sbx-repositories 1 - 1 0\n/p\n\n%s", text);
	assert_int_equal(repos_parse(arena, whole, (size_t)length, &list), 0);
	return list;
}

// Of two runs that end at once the later one drops what it saw gone, and has what the other added.
static void joined(void **state)
{
	struct arena *arena = arena_new();
	(void)state;
	struct repos before = list_of(arena, "r 1 1 1 gone/.git\nr 1 2 1 own/.git\n"),
		     now = list_of(arena, "r 1 2 1 own/.git\nr 1 3 1 two/.git\n"),
		     others = list_of(arena, "r 1 1 1 gone/.git\nm 1 4 1 one/.git\n"
					     "m 1 2 1 own/.git\nr 1 3 1 two/.git\n");
	repos_join(&now, &before, &others);
	assert_int_equal(now.count, 3);
	assert_null(repos_find(&now, "gone/.git"));
	assert_int_equal(repos_find(&now, "one/.git")->kind, REPOS_MADE);
	assert_int_equal(repos_find(&now, "own/.git")->kind, REPOS_MADE);
	assert_int_equal(repos_find(&now, "two/.git")->kind, REPOS_OWN);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kept),
					    cmocka_unit_test(from_both_ends),
					    cmocka_unit_test(joined) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
