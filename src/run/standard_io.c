// Owns the moment at which the supervisor lets the caller's descriptors go.
#include "run/standard_io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "jail/hold.h"
#include "plan.h"

int standard_io_release(const struct plan *plan)
{
	autoclose int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return fail(errno, "/dev/null");
	if (dup2(null, 0) < 0 || dup2(null, 1) < 0)
		return fail(errno, "dup2");
	for (unsigned i = 0; i < plan->keep_count; i++)
		close(plan->keep[i]);
	return 0;
}

int standard_io_host(const struct plan *plan, struct run *run)
{
	(void)run;
	return hold_reports(plan) ? 0 : standard_io_release(plan);
}
