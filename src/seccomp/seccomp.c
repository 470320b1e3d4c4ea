// Owns the choice of the filter and its loading.
#include "seccomp/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/testing.h"
#include "plan.h"
#include "seccomp/filter.h"
#include "seccomp/syscalls.h"

enum { DENIED_MAX = 512 };

_Static_assert(sizeof(struct sock_filter) == FILTER_INSTRUCTION, "the kernel's instruction");

static int add_group(struct plan *plan, struct filter_choice *choice, const struct item *item)
{
	const char *names = "";
	int group = syscall_group_find(item->text);
	for (unsigned i = GROUP_FIRST_OPTIONAL; group < 0 && i < syscall_group_count; i++)
		names = arena_text(plan->arena, "%s %s", names, syscall_groups[i].name);
	if (group < 0)
		return fail(0, "%sno group of system calls '%.40s', expected one of%s",
			    origin_text(plan->arena, item->from), item->text, names);
	choice->groups |= 1U << group;
	list_add(&plan->notes, plan->arena,
		 arena_text(plan->arena, "system calls '%s': %s", item->text,
			    syscall_groups[group].why),
		 item->from);
	plan->nested = plan->nested || str_equal(item->text, "namespaces");
	return 0;
}

static int deny_call(struct plan *plan, unsigned *denied, unsigned *count, const struct item *item)
{
	for (unsigned i = 0; i < syscall_number_count; i++) {
		if (!str_equal(syscall_numbers[i].name, item->text))
			continue;
		if (*count == DENIED_MAX)
			return fail(0, "more than %d denied system calls", DENIED_MAX);
		denied[(*count)++] = syscall_numbers[i].number;
		return 0;
	}
	if (syscall_listed(syscall_others, item->text))
		return 0;
	return fail(0, "%sno system call '%.40s' on any machine",
		    origin_text(plan->arena, item->from), item->text);
}

int seccomp_plan(struct plan *plan)
{
	unsigned denied[DENIED_MAX];
	struct filter_choice choice = { .denied = denied, .uid = plan->uid, .gid = plan->gid };
	list_each (item, &plan->profile->syscalls_allow)
		TRY(add_group(plan, &choice, item));
	if (plan->tier == TIER_FULL && !plan->nested)
		choice.groups |= 1U << syscall_group_find("owners");
	bool soft = plan->profile->limits.soft & LIMIT_BIT(disk);
	if (plan->profile->limits.disk != UNLIMITED && !soft && !testing_skips("unallocated"))
		choice.groups |= 1U << syscall_group_find("unallocated");
	if (plan->profile->limits.disk != UNLIMITED && !soft && !testing_skips("buffered"))
		choice.groups |= 1U << syscall_group_find("buffered");
	if (plan->as_root)
		choice.groups |= 1U << syscall_group_find("as-root");
	list_each (item, &plan->profile->syscalls_deny)
		TRY(deny_call(plan, denied, &choice.denied_count, item));
	void *room = arena_take(plan->arena, FILTER_MAX * FILTER_INSTRUCTION);
	struct sock_fprog program = filter_compile(&choice, room);
	plan->filter = (struct filter){ program.len, program.filter };
	return 0;
}

_Static_assert(sizeof(struct filter) == sizeof(struct sock_fprog) &&
		       offsetof(struct filter, count) == offsetof(struct sock_fprog, len) &&
		       offsetof(struct filter, code) == offsetof(struct sock_fprog, filter),
	       "the kernel reads it");

int seccomp_child(const struct plan *plan, struct run *run)
{
	(void)run;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &plan->filter) < 0)
		return fail(errno, "seccomp filter");
	return 0;
}
