// What the kernel says of groups and processes, D-Bus messages, numbers as they are written.
#include "test.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/process_stat.h"
#include "limits/group.h"

static void groups(void **state)
{
	static const struct {
		const char *text, *controller, *path; // NULL: none
	} rows[] = {
		{ "0::/user.slice/x.scope\n", "", "/user.slice/x.scope" },
		{ "9:name=systemd:/\n4:memory:/a/b\n0::/c\n", "memory", "/a/b" },
		{ "3:cpu,cpuacct:/x\n", "cpu", "/x" },
		{ "3:cpu,cpuacct:/x\n", "cpuacct", "/x" },
		{ "3:cpuset:/x\n", "cpu", NULL },
		{ "0::/", "", "/" },
		{ "0::/../up\n", "", NULL }, // outside of this cgroup namespace
		{ "0::/a/../b\n", "", NULL },
		{ "0::relative\n", "", NULL },
		{ "0::/a:b\n", "", "/a:b" },
		{ "0::\n", "", NULL },
		{ "", "", NULL },
		{ "garbage", "", NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char path[32];
		bool found = text_group(rows[i].text, strlen(rows[i].text), rows[i].controller,
					path, sizeof(path));
		if (found != (rows[i].path != NULL) || (found && strcmp(path, rows[i].path) != 0))
			fail_msg("row %zu: %s", i, found ? path : "none");
	}
	char tight[4];
	assert_false(text_group("0::/abc", 7, "", tight, sizeof(tight)));
	assert_true(text_group("0::/ab", 6, "", tight, sizeof(tight)));
}

static void numbers(void **state)
{
	static const char events[] = "low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\noom_group_kill 1\n";
	static const char io[] = "8:0 rbytes=10 wbytes=20 rios=1\n253:0 rbytes=5 wbytes=7\n";
	(void)state;
	assert_int_equal(text_value(events, strlen(events), "oom_kill"), 3);
	assert_int_equal(text_value(events, strlen(events), "oom"), 1);
	assert_int_equal(text_value(events, strlen(events), "kill"), 0);
	assert_int_equal(text_value("max 99999999999999999999999999", 30, "max"), UINT64_MAX / 10);
	assert_int_equal(text_sum(io, strlen(io), "rbytes"), 15);
	assert_int_equal(text_sum(io, strlen(io), "wbytes"), 27);
	assert_int_equal(text_sum(io, strlen(io), "bytes"), 0);
	static const char memory[] =
		"MemTotal:  16 kB\nMemFree: 3 kB\nAnon: x kB\nBig: 99999999999999999999 kB";
	assert_int_equal(text_kilobytes(memory, strlen(memory), "MemTotal:"), 16384);
	assert_int_equal(text_kilobytes(memory, strlen(memory), "MemFree:"), 3072);
	assert_int_equal(text_kilobytes(memory, strlen(memory), "Anon:"), 0);
	assert_int_equal(text_kilobytes(memory, strlen(memory), "Total:"), 0);
	assert_int_equal(text_kilobytes(memory, 12, "MemTotal:"), 1024); // cut off
	assert_int_equal(text_kilobytes(memory, strlen(memory), "Big:"), UINT64_MAX);
	static const char sockets[] = "sockets: used 412\nTCP: inuse 1 orphan 0\n";
	assert_int_equal(text_value(sockets, strlen(sockets), "sockets: used"), 412);
	assert_true(text_has("cpu io memory pids\n", 19, "pids"));
	assert_true(text_has("cpu io memory pids\n", 19, "cpu"));
	assert_false(text_has("cpuset io\n", 10, "cpu"));
	assert_false(text_has("", 0, "cpu"));
}

static void processes(void **state)
{
	static const char stat[] = "12 (a) b) (c) S 1 12 12 0 -1 4194560 100 0 0 0 11 22 33 44 20 "
				   "0 5 0 9999 1000 77 18446 1\n";
	struct process_stat process;
	char file[64];
	(void)state;
	int fd = fd_memory("stat", MEMORY_PLAIN);
	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	assert_false(process_stat_at(AT_FDCWD, file, &process));
	assert_int_equal(write(fd, stat, 30), 30);
	assert_false(process_stat_at(AT_FDCWD, file, &process));
	assert_int_equal(write(fd, stat + 30, strlen(stat) - 30), strlen(stat) - 30);
	assert_true(process_stat_at(AT_FDCWD, file, &process));
	assert_string_equal(process.name, "a) b) (c");
	assert_int_equal(process.ticks, 11 + 22 + 33 + 44);
	assert_int_equal(process.threads, 5);
	assert_int_equal(process.start, 9999);
	assert_int_equal(process.pages, 77);
	close(fd);
}

static void calls(void **state)
{
	struct bus_message message;
	struct bus_reply reply;
	(void)state;
	bus_call(&message, 7, "a.b", "/c", "d.e", "F", "s");
	bus_put(&message, "s", "hello");
	size_t properties = bus_open(&message);
	bus_put(&message, "(sgt", "N", "t", (uint64_t)5);
	bus_close(&message, properties);
	bus_finish(&message);
	assert_false(message.full);
	assert_int_equal(message.bytes[0], 'l');
	assert_int_equal(message.bytes[1], 1);
	assert_int_equal(message.bytes[8], 7);
	// Taken apart again: a call is no answer, but its frame holds.
	assert_int_equal(bus_reply(message.bytes, message.used, &reply), 1);
	assert_int_equal(reply.used, message.used);
	assert_int_equal(reply.kind, BUS_OTHER);
	for (size_t length = 0; length < message.used; length++)
		assert_int_equal(bus_reply(message.bytes, length, &reply), 0);
	// What does not fit is noticed.
	for (int i = 0; i < 200; i++)
		bus_put(&message, "(sgs", "Description", "s", "a box of sbx");
	assert_true(message.full);
}

static void answers(void **state)
{
	// An error with its name, and the serial of the call.
	static const uint8_t error[] = { 'l', 3, 1, 1, 0,   0,   0,   0,    9,   0,   0, 0, 23,  0,
					 0,   0, 5, 1, 'u', 0,   4,   0,    0,   0,   4, 1, 's', 0,
					 6,   0, 0, 0, 'a', '.', 'b', '\n', 'x', 'y', 0, 0 };
	uint8_t bytes[sizeof(error)];
	struct bus_reply reply;
	(void)state;
	assert_int_equal(bus_reply(error, sizeof(error), &reply), 1);
	assert_int_equal(reply.kind, BUS_ERROR);
	assert_int_equal(reply.serial, 4);
	assert_string_equal(reply.error, "a.b?xy");
	memcpy(bytes, error, sizeof(error));
	bytes[0] = 'B';
	assert_int_equal(bus_reply(bytes, sizeof(bytes), &reply), -1);
	memcpy(bytes, error, sizeof(error));
	bytes[28] = 200; // a string that is longer than the fields
	assert_int_equal(bus_reply(bytes, sizeof(bytes), &reply), -1);
	memcpy(bytes, error, sizeof(error));
	bytes[7] = 1; // a body of 16 MiB
	assert_int_equal(bus_reply(bytes, sizeof(bytes), &reply), -1);
}

static void written(void **state)
{
	static const struct {
		uint64_t number;
		enum unit unit;
		const char *text, *rough;
	} rows[] = {
		{ 2147483648, UNIT_SIZE, "2G", "2.0G" },
		{ 1500, UNIT_PROCESSORS, "1.5", NULL },
		{ 2000, UNIT_PROCESSORS, "2", NULL },
		{ 250, UNIT_PROCESSORS, "0.25", NULL },
		{ 10000, UNIT_PROCESSORS, "10", NULL },
		{ 90000, UNIT_TIME, "90s", "90.000 s" },
		{ 250, UNIT_TIME, "250ms", "0.250 s" },
		{ 7200000, UNIT_TIME, "2h", NULL },
		{ 0, UNIT_SIZE, "0", "0" },
		{ 4096, UNIT_COUNT, "4096", "4096" },
		{ UNLIMITED, UNIT_SIZE, "unlimited", NULL },
		{ 1536, UNIT_SIZE, "1536", "1.5K" },
	};
	uint64_t number;
	char text[32];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		units_text(text, sizeof(text), rows[i].number, rows[i].unit);
		assert_string_equal(text, rows[i].text);
		if (!rows[i].rough)
			continue;
		units_rough(text, sizeof(text), rows[i].number, rows[i].unit);
		assert_string_equal(text, rows[i].rough);
	}
	assert_true(units_processors("1.5", &number) && number == 1500);
	assert_true(units_processors("0.025", &number) && number == 25);
	assert_true(units_processors("3", &number) && number == 3000);
	assert_true(units_processors("unlimited", &number) && number == UNLIMITED);
	assert_false(units_processors("1.", &number));
	assert_false(units_processors("1.2345", &number));
	assert_false(units_processors(".5", &number));
	assert_false(units_processors("1.5x", &number));
	assert_false(units_processors("-1", &number));
	assert_true(units_percent("75%", &number) && number == 75);
	assert_false(units_percent("0%", &number));
	assert_false(units_percent("101%", &number));
	assert_false(units_percent("75", &number));
}

// Processes that share 8 MiB: they count for each of them, and once when they are weighed.
static void sharing(void **state)
{
	enum { CHILDREN = 4, BYTES = 8 << 20 };
	pid_t children[CHILDREN];
	int ready[2];
	struct process_tree tree;
	(void)state;
	char *shared = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED && pipe(ready) == 0);
	memset(shared, 1, BYTES);
	for (int i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		if (children[i] > 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		volatile char sum = 0;
		for (int at = 0; at < BYTES; at += 4096)
			sum = (char)(sum + shared[at]);
		(void)!write(ready[1], "", 1);
		for (;;)
			pause();
	}
	for (int i = 0; i < CHILDREN; i++) {
		char byte;
		assert_int_equal(read(ready[0], &byte, 1), 1);
	}
	tree_count(getpid(), &tree);
	uint64_t memory, shmem;
	assert_int_equal(tree.processes, CHILDREN + 1);
	assert_true(tree.memory >= (CHILDREN + 1) * (uint64_t)BYTES);
	while (!tree_weigh(&memory, &shmem))
		;
	assert_true(memory >= BYTES && memory < 3 * (uint64_t)BYTES && shmem >= BYTES / 2);
	uint64_t again;
	assert_true(tree_weigh(&again, &shmem) && again == memory);
	for (int i = 0; i < CHILDREN; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),  cmocka_unit_test(numbers), cmocka_unit_test(processes),
		cmocka_unit_test(sharing), cmocka_unit_test(calls),   cmocka_unit_test(answers),
		cmocka_unit_test(written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
