// Owns the moment at which the supervisor lets the caller's descriptors go.
#include "run/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int standard_io_named(const char **text)
{
	static const char *const places[] = { "/dev/fd/", "/proc/self/fd/" };
	struct stat status;
	for (; (*text = strchr(*text, '/')) != NULL; ++*text)
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
