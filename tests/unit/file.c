// base/fd.h: what is read, what is refused, and that nothing waits; report/output_ring.h: times.
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "boxes/record.h"
#include "report/output_ring.h"

enum { MOST = 8 };

static char place[] = "/tmp/sbx-unit-file.XXXXXX";
static int directory;

static void make(const char *name, const char *text)
{
	autoclose int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

static int set_up(void **state)
{
	(void)state;
	directory = mkdtemp(place) ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	make("small", "1234567");
	make("exact", "12345678");
	make("large", "123456789");
	make("empty", "");
	make("secret", "x");
	assert_int_equal(fchmodat(directory, "secret", 0, 0), 0);
	assert_int_equal(symlinkat("small", directory, "link"), 0);
	assert_int_equal(symlinkat("nothing", directory, "lost"), 0);
	assert_int_equal(symlinkat(".", directory, "around"), 0);
	assert_int_equal(mkfifoat(directory, "fifo", 0600), 0);
	assert_int_equal(mkdirat(directory, "directory", 0700), 0);
	return directory < 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "small", "exact",  "large", "empty", "link",
					     "lost",  "around", "fifo",  "secret" };
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlinkat(directory, names[i], 0);
	unlinkat(directory, "directory", AT_REMOVEDIR);
	close(directory);
	return rmdir(place);
}

// Both ways to the same text, or to the same errno.
static void check(const char *name, unsigned flags, int wanted, const char *text, int problem)
{
	static struct arena *arena;
	const char *got;
	char buffer[MOST + 1];
	size_t length = 99;
	arena = arena ? arena : arena_new();
	errno = 0;
	assert_int_equal(file_read_into(directory, name, flags, buffer, sizeof(buffer), &length),
			 wanted);
	if (wanted < 0)
		assert_int_equal(errno, problem);
	assert_string_equal(buffer, text);
	assert_int_equal(length, strlen(text));
	if (flags & FILE_PART)
		return;
	errno = 0;
	length = 99;
	assert_int_equal(file_read(directory, name, flags, MOST, arena, &got, &length), wanted);
	if (wanted < 0)
		assert_int_equal(errno, problem);
	if (wanted >= 0)
		assert_string_equal(got, text);
	assert_int_equal(length, strlen(text));
}

static void sizes(void **state)
{
	(void)state;
	check("small", 0, 1, "1234567", 0);
	check("exact", 0, 1, "12345678", 0);
	check("large", 0, -1, "", EFBIG);
	check("large", FILE_PART, 1, "12345678", 0);
	check("empty", 0, 1, "", 0);
}

static void missing(void **state)
{
	(void)state;
	check("nothing", 0, 0, "", 0);
	check("small/below", 0, 0, "", 0);
	check("lost", FILE_LINK, 0, "", 0);
	check("nothing", FILE_BENEATH, 0, "", 0);
}

static void links(void **state)
{
	(void)state;
	check("link", 0, -1, "", ELOOP);
	check("link", FILE_BENEATH, -1, "", ELOOP);
	check("link", FILE_LINK, 1, "1234567", 0);
	check("around/small", 0, 1, "1234567", 0); // only the end of a name is no link
	check("around/small", FILE_BENEATH, -1, "", ELOOP);
	check("../x", FILE_BENEATH, -1, "", EXDEV);
	check("small", FILE_BENEATH, 1, "1234567", 0);
}

// A test that waits is killed.
static void other_kinds(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char path[64];
	(void)state;
	alarm(5);
	check("fifo", 0, -1, "", EINVAL);
	check("fifo", FILE_LINK, -1, "", EINVAL);
	check("directory", 0, -1, "", EINVAL);
	check("/dev/null", 0, -1, "", EINVAL);
	check("/dev/zero", FILE_PART, -1, "", EINVAL);
	autoclose int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(path, sizeof(path), "%s/socket", place);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	check("socket", 0, -1, "", ENXIO);
	unlink(path);
	alarm(0);
}

static void unreadable(void **state)
{
	(void)state;
	if (geteuid() == 0)
		check("secret", 0, 1, "x", 0);
	else
		check("secret", 0, -1, "", EACCES);
	directory = -directory;
	check("small", 0, -1, "", EBADF);
	directory = -directory;
}

// They state a size of 0 and have one.
static void without_a_size(void **state)
{
	char text[4096], few[4];
	const char *got;
	size_t length;
	struct arena *arena = arena_new();
	(void)state;
	assert_int_equal(
		file_read(AT_FDCWD, "/proc/self/status", 0, sizeof(text), arena, &got, &length), 1);
	assert_memory_equal(got, "Name:", 5);
	assert_int_equal(length, strlen(got));
	assert_int_equal(
		file_read_into(AT_FDCWD, "/proc/self/status", 0, text, sizeof(text), &length), 1);
	assert_memory_equal(text, "Name:", 5);
	assert_int_equal(
		file_read_into(AT_FDCWD, "/proc/self/status", 0, few, sizeof(few), &length), -1);
	assert_int_equal(errno, EFBIG);
	assert_string_equal(few, "");
	assert_int_equal(file_read(AT_FDCWD, "/proc/self/status", 0, 3, arena, &got, &length), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(file_kernel(AT_FDCWD, "/proc/self/status", few, sizeof(few)), 3);
	assert_string_equal(few, "Nam");
	assert_int_equal(file_kernel(AT_FDCWD, "/proc/self/nothing", few, sizeof(few)), 0);
	assert_string_equal(few, "");
	arena_free(arena);
}

static void words(void **state)
{
	static const struct {
		int problem;
		const char *text;
	} rows[] = {
		{ EINVAL, "x: is not a regular file" },
		{ EFBIG, "x: is larger than 2 KiB" },
		{ EACCES, "x: cannot be read: Permission denied" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		errno = rows[i].problem;
		assert_int_equal(file_failed("x", 2048), -1);
		assert_string_equal(err_text(), rows[i].text);
		err_taken();
	}
}

// The kernel refuses ".." below a directory at each rename that another process does meanwhile.
static void beside_renames(void **state)
{
	enum { RENAMES = 20000 };
	(void)state;
	make("moved", "");
	pid_t child = fork();
	for (unsigned i = 0; child == 0 && i < RENAMES; i++)
		if (renameat(directory, i % 2 ? "other" : "moved", directory,
			     i % 2 ? "moved" : "other") < 0)
			_exit(1);
	if (child == 0)
		_exit(0);
	unsigned failed = 0;
	while (waitpid(child, NULL, WNOHANG) == 0) {
		autoclose int fd = sys_openat2(directory, "directory/../small", O_PATH | O_CLOEXEC,
					       RESOLVE_BENEATH);
		failed += fd < 0;
	}
	unlinkat(directory, "moved", 0);
	assert_int_equal(failed, 0);
}

// Marks of time become coarser, the newest last; no line of a time is lost.
static void ring_marks(void **state)
{
	enum { WRITES = 5000, LINE = 10, HOUR = 3600 * 1000 };
	char line[LINE + 1];
	struct ring_head head;
	(void)state;
	autoclose int ring = ring_make(directory, &head);
	const int64_t begin = wall_now();
	for (int i = 0; i < WRITES; i++) {
		head.last_mark_begun = 0; // each has a mark, or would have
		snprintf(line, sizeof(line), "%09d\n", i);
		ring_write(ring, &head, line, LINE);
		assert_true(head.mark_count <= RING_MARKS);
	}
	assert_true(head.mark_count > RING_MARKS / 2);
	assert_int_equal(ring_since(ring, begin - HOUR), 0);
	assert_int_equal(ring_since(ring, wall_now() + HOUR), WRITES * LINE);
	const int64_t middle = wall_now();
	usleep(300000);
	ring_write(ring, &head, line, LINE);
	assert_int_equal(ring_since(ring, middle + 100), WRITES * LINE);
	uint64_t offset = ring_since(ring, begin);
	assert_int_equal(ring_read(ring, &offset, line, LINE), LINE);
	assert_memory_equal(line, "000000000\n", LINE);
	unlinkat(directory, RECORD_OUTPUT, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),      cmocka_unit_test(missing),
		cmocka_unit_test(links),      cmocka_unit_test(other_kinds),
		cmocka_unit_test(unreadable), cmocka_unit_test(without_a_size),
		cmocka_unit_test(words),      cmocka_unit_test(beside_renames),
		cmocka_unit_test(ring_marks),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
