// Owns the moment at which the supervisor lets the caller's descriptors go.
#include "run/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/entries.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "lsp/lsp.h"
#include "mount/handover.h"
#include "plan.h"
#include "run.h"
#include "sshagent/sshagent.h"

int standard_io_host(const struct plan *plan, struct run *run)
{
	(void)plan;
	run->nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	return run->nothing < 0 ? fail(errno, "/dev/null") : 0;
}

int standard_io_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	fd_close(&run->nothing);
	return 0;
}

bool standard_io_waits(const struct plan *plan)
{
	return hold_reports(plan) || (plan->lsp && plan->tier == TIER_LANDLOCK);
}

int standard_io_release(const struct plan *plan, struct run *run)
{
	TRY(lsp_begin(plan, run));
	if (dup2(run->nothing, 0) < 0 || dup2(run->nothing, 1) < 0)
		return fail(errno, "dup2");
	for (unsigned i = 0; i < plan->keep_count; i++)
		close(plan->keep[i]);
	return standard_io_undo(plan, run);
}

void standard_io_refusals(const struct run *run, struct denials *denials)
{
	lsp_report(run, denials);
	sshagent_report(run, denials);
}

// Our own are close-on-exec.
static bool is_callers(const struct plan *plan, int fd)
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
		    is_callers(plan, (int)fd))
			close((int)fd);
	}
	return 0;
}

void standard_io_started(const struct plan *plan, const struct run *run)
{
	int32_t pid = (int32_t)getpid();
	if (plan->writer > 0) {
		fd_send(plan->writer, &pid, sizeof(pid), &run->pty, run->pty >= 0);
		close(plan->writer);
	}
	if (plan->ready <= 0)
		return;
	(void)!write(plan->ready, &pid, sizeof(pid));
	close(plan->ready);
}

int standard_io_named(const char **text)
{
	static const char *const places[] = { "/dev/fd/", "/proc/self/fd/" };
	struct stat status;
	const char *end = *text + strcspn(*text, " \t\n"); // behind it a word is a script
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
