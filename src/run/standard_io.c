// Owns the caller's standard streams and descriptors: their flags and options, and their release.
#include "run/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"

// Opens the pipe at stdout again: the command cannot change the caller's flags, and sbx needs no
// copy, which would keep the pipe open.
static bool reopen_pipe(int flags)
{
	struct stat status;
	if (fstat(STDOUT_FILENO, &status) < 0 || !S_ISFIFO(status.st_mode) ||
	    (flags & O_ACCMODE) == O_RDONLY)
		return false;
	autoclose int own = open("/proc/self/fd/1", (flags & O_ACCMODE) | O_NONBLOCK | O_CLOEXEC);
	return own >= 0 && fcntl(own, F_SETFL, flags & ~O_ASYNC) == 0 &&
	       dup2(own, STDOUT_FILENO) == STDOUT_FILENO;
}

// With these socket options a box could make the caller's later calls fail, or lose bytes.
static const int options_kept[OPTIONS_KEPT] = { SO_SNDTIMEO, SO_RCVTIMEO, SO_LINGER, SO_RCVLOWAT };

static void note_options(int fd, struct kept_option kept[OPTIONS_KEPT])
{
	for (int i = 0; i < OPTIONS_KEPT; i++) {
		kept[i].size = sizeof(kept[i].value);
		if (getsockopt(fd, SOL_SOCKET, options_kept[i], kept[i].value, &kept[i].size) == 0)
			continue;
		kept[i].size = 0;
		return;
	}
}

int standard_io_host(const struct plan *plan, struct run *run)
{
	(void)plan;
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		run->flags[fd] = fcntl(fd, F_GETFL);
		note_options(fd, run->options[fd]);
	}
	if (reopen_pipe(run->flags[STDOUT_FILENO]))
		run->flags[STDOUT_FILENO] = -1;
	run->dev_null = open("/dev/null", O_RDWR | O_CLOEXEC);
	return run->dev_null < 0 ? fail(errno, "/dev/null") : 0;
}

int standard_io_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	fd_close(&run->dev_null);
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		int held = fd < STDERR_FILENO && run->held[fd] >= 0 ? run->held[fd] : fd;
		if (run->flags[fd] >= 0 && fcntl(held, F_GETFL) != run->flags[fd])
			fcntl(held, F_SETFL, run->flags[fd]);
		for (int i = 0; i < OPTIONS_KEPT && run->options[fd][i].size > 0; i++)
			setsockopt(held, SOL_SOCKET, options_kept[i], run->options[fd][i].value,
				   run->options[fd][i].size);
		if (held != fd)
			fd_close(&run->held[fd]);
	}
	return 0;
}

int standard_io_release(const struct plan *plan, struct run *run)
{
	for (int fd = 0; fd < STDERR_FILENO; fd++) {
		if (run->flags[fd] >= 0)
			run->held[fd] = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (dup2(run->dev_null, fd) < 0)
			return fail(errno, "dup2");
	}
	for (unsigned i = 0; i < plan->keep_count; i++)
		close(plan->keep[i]);
	fd_close(&run->dev_null);
	return 0;
}

static bool is_inherited(const struct plan *plan, int fd)
{
	if (fd <= STDERR_FILENO || fd == plan->event_fd || (fcntl(fd, F_GETFD) & FD_CLOEXEC))
		return false;
	for (unsigned i = 0; i < plan->keep_count; i++)
		if (plan->keep[i] == fd)
			return false;
	return true;
}

int standard_io_alone(const struct plan *plan)
{
	enum { NUMBERS_MAX = 1 << 20 };
	autoclose int all = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (all < 0)
		return fail(errno, "/proc/self/fd");
	entries_each (entry, all) {
		unsigned long long fd;
		if (str_number(entry->name, strlen(entry->name), 0, NUMBERS_MAX, &fd) &&
		    is_inherited(plan, (int)fd))
			close((int)fd);
	}
	return 0;
}

void standard_io_started(const struct plan *plan, const struct run *run)
{
	int32_t pid = (int32_t)getpid();
	const int given[] = { run->record_lock, run->pty };
	if (plan->front > 0)
		fd_send(plan->front, &pid, sizeof(pid), given,
			run->record_lock < 0 ? 0 : 1 + (run->pty >= 0));
	if (plan->ready <= 0)
		return;
	(void)!write(plan->ready, &pid, sizeof(pid));
	close(plan->ready);
}

int standard_io_named(const char **text)
{
	static const char *const places[] = { "/dev/fd/", "/proc/self/fd/" };
	struct stat status;
	const char *end = *text + strcspn(*text, " \t\n");
	for (; (*text = strchr(*text, '/')) != NULL && *text < end; ++*text)
		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
			if (!str_starts(*text, places[i]))
				continue;
			const char *number = *text + strlen(places[i]);
			size_t length = strspn(number, "0123456789");
			int fd = length > 0 && length < 7 ? atoi(number) : -1;
			if (fd > STDERR_FILENO && fcntl(fd, F_GETFD) == 0 &&
			    fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)) {
				*text = number;
				return fd;
			}
		}
	return -1;
}
