// Owns the functions of a build without the guard: they fail, or do nothing.
#include "base/base.h"
#include "bpf/catch.h"
#include "bpf/guard.h"
#include "plan.h"

int guard_try(void)
{
	return fail(0, "guard: not built in: meson configure -Dbpf=enabled, with clang, bpftool "
		       "and libbpf's headers");
}

int guard_plan(struct plan *plan)
{
	return plan->profile->guard == TOGGLE_NO ? 0 : guard_try();
}

int guard_host(const struct plan *plan, struct run *run)
{
	(void)run;
	return plan->profile->guard == TOGGLE_NO ? 0 : guard_try();
}

int guard_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	(void)run;
	return 0;
}

bool guard_bytes(const struct run *run, uint64_t *ret_sent, uint64_t *ret_received)
{
	(void)run;
	(void)ret_sent;
	(void)ret_received;
	return false;
}

bool catch_all(const struct plan *plan, struct run *run, int listener)
{
	(void)plan;
	(void)run;
	(void)listener;
	return false;
}
