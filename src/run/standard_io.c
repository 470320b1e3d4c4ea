// Owns the moment at which the supervisor lets the caller's descriptors go.
#include "run/standard_io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "plan.h"
#include "run.h"

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

int standard_io_release(const struct plan *plan, struct run *run)
{
	if (dup2(run->nothing, 0) < 0 || dup2(run->nothing, 1) < 0)
		return fail(errno, "dup2");
	for (unsigned i = 0; i < plan->keep_count; i++)
		close(plan->keep[i]);
	return standard_io_undo(plan, run);
}
