// Owns the process of the look, and the way of its findings back.
#include "postcheck/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/out.h"
#include "base/owned.h"
#include "report/findings.h"

enum { RECORDS_MAX = FINDING_KINDS * (FINDING_BYTES_MAX + (64 << 10)) };

static _Noreturn void run_child(void (*look)(void *argument), void *argument,
				struct findings *found, int back)
{
	size_t before = found->records.used; // the other process has them
	if (owned_override(OVER_ALL) < 0)
		_exit(1);
	look(argument);
	size_t length = found->records.used - before;
	if (fd_write_all(back, found->counts, sizeof(found->counts)) < 0 ||
	    fd_write_all(back, found->bytes, sizeof(found->bytes)) < 0 ||
	    fd_write_all(back, &length, sizeof(length)) < 0 ||
	    (length > 0 && fd_write_all(back, found->records.text + before, length) < 0))
		_exit(1);
	_exit(0);
}

static bool read_whole(int from, void *bytes, size_t size)
{
	return fd_read_all(from, bytes, size) == (ssize_t)size;
}

static bool read_findings(int from, struct findings *found)
{
	struct findings now = *found;
	char part[4096];
	size_t left, want;
	if (!read_whole(from, now.counts, sizeof(now.counts)) ||
	    !read_whole(from, now.bytes, sizeof(now.bytes)) ||
	    !read_whole(from, &left, sizeof(left)) || left > RECORDS_MAX)
		return false;
	for (; left > 0; left -= want) {
		want = left < sizeof(part) ? left : sizeof(part);
		if (!read_whole(from, part, want)) {
			found->records.used = now.records.used; // no half of a record
			return false;
		}
		out_bytes(&found->records, part, want);
	}
	memcpy(found->counts, now.counts, sizeof(now.counts));
	memcpy(found->bytes, now.bytes, sizeof(now.bytes));
	return true;
}

bool apart_run(void (*look)(void *argument), void *argument, struct findings *found)
{
	int ends[2], status = 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	pid_t child = fork();
	if (child == 0)
		run_child(look, argument, found, ends[1]);
	fd_close(&ends[1]);
	bool whole = child > 0 && read_findings(ends[0], found);
	fd_close(&ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
