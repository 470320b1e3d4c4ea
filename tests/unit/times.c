// base/times.c: on which file systems a time of a file is the kernel's and fine.
#include "test.h"

#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/base.h"
#include "base/sys.h"

static unsigned type;

// In place of the C library's: any file is on such a file system.
int statfs(const char *path, struct statfs *status) // NOLINT
{
	*status = (struct statfs){ .f_type = type };
	return access(path, F_OK);
}

static bool has_birth(const char *path)
{
	struct sys_statx status;
	return sys_statx(AT_FDCWD, path, SYS_STATX_BIRTH, &status) == 0 &&
	       (status.mask & SYS_STATX_BIRTH);
}

// ext3, whose type is ext4's, has whole seconds and no birth, like a file of /proc.
static void whole_seconds(void **state)
{
	static const char unborn[] = "/proc/self/stat";
	char born[PATH_MAX];
	(void)state;
	assert_non_null(realpath("/proc/self/exe", born));
	assert_true(has_birth(born));
	assert_false(has_birth(unborn));
	type = EXT4_SUPER_MAGIC;
	assert_true(times_are_ours(born));
	assert_false(times_are_ours(unborn));
	assert_false(times_are_ours("/proc/self/none"));
	type = XFS_SUPER_MAGIC;
	assert_true(times_are_ours(unborn));
	type = NFS_SUPER_MAGIC;
	assert_false(times_are_ours(born));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(whole_seconds) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
