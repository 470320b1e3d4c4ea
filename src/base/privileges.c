// Owns each cap_t: makes and frees it.
#include "base/fd.h"

#include <errno.h>
#include <string.h>
#include <sys/capability.h>

#include "base/base.h"
#include "base/sys.h"

static void sets_free(cap_t *sets)
{
	int problem = errno;
	cap_free(*sets);
	errno = problem;
}
#define autosets __attribute__((cleanup(sets_free))) cap_t

int privileges_keep(const int *kept, unsigned count)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3],
		wanted[_LINUX_CAPABILITY_U32S_3] = { 0 };
	if (syscall(SYS_capget, &head, sets) < 0)
		return -1;
	for (unsigned i = 0; i < count; i++)
		wanted[CAP_TO_INDEX(kept[i])].permitted |= CAP_TO_MASK(kept[i]);
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		sets[i].permitted &= wanted[i].permitted;
		sets[i].effective = sets[i].permitted;
		sets[i].inheritable = 0;
	}
	return (int)syscall(SYS_capset, &head, sets);
}

int privileges_pass_none(void)
{
	autosets sets = cap_get_proc();
	cap_flag_value_t may;
	if (!sets || cap_get_flag(sets, CAP_SETPCAP, CAP_EFFECTIVE, &may) < 0)
		return -1;
	for (int each = 0; may == CAP_SET && each < cap_max_bits(); each++)
		if (cap_drop_bound(each) < 0)
			return -1;
	return cap_clear_flag(sets, CAP_INHERITABLE) < 0 ? -1 : cap_set_proc(sets);
}

bool privileges_have(int capability)
{
	autosets sets = cap_get_proc();
	cap_flag_value_t value = CAP_CLEAR;
	return sets && cap_get_flag(sets, capability, CAP_EFFECTIVE, &value) == 0 &&
	       value == CAP_SET;
}

const char *privileges_text(struct arena *arena)
{
	autosets sets = cap_get_proc();
	char *text = sets ? cap_to_text(sets, NULL) : NULL;
	if (!text)
		return NULL;
	const char *copy = arena_copy(arena, text, strlen(text));
	cap_free(text);
	return str_equal(copy, "=") ? "none" : copy;
}
