// Owns the Landlock rights of each kind of access.
#include "process/ns.h"

#include <errno.h>

#include "base/base.h"
#include "base/sys.h"

static const uint64_t reading = LANDLOCK_EXECUTE | LANDLOCK_READ_FILE | LANDLOCK_READ_DIR;
static const uint64_t writing = LANDLOCK_WRITE_FILE | LANDLOCK_REMOVE_DIR | LANDLOCK_REMOVE_FILE |
				LANDLOCK_MAKE_DIR | LANDLOCK_MAKE_REG | LANDLOCK_MAKE_SOCK |
				LANDLOCK_MAKE_FIFO | LANDLOCK_MAKE_SYM | LANDLOCK_REFER |
				LANDLOCK_TRUNCATE;
// No rule grants these. A user namespace cannot make device nodes either.
static const uint64_t special = LANDLOCK_MAKE_CHAR | LANDLOCK_MAKE_BLOCK;
static const uint64_t for_files = LANDLOCK_EXECUTE | LANDLOCK_READ_FILE | LANDLOCK_WRITE_FILE |
				  LANDLOCK_TRUNCATE | LANDLOCK_IOCTL_DEV;

uint64_t landlock_handled(int abi)
{
	uint64_t rights = reading | writing | special | LANDLOCK_IOCTL_DEV;
	if (abi < 2)
		rights &= ~LANDLOCK_REFER;
	if (abi < 3)
		rights &= ~LANDLOCK_TRUNCATE;
	if (abi < 5)
		rights &= ~LANDLOCK_IOCTL_DEV;
	return rights;
}

static uint64_t rights_of(enum access access)
{
	switch (access) {
	case ACCESS_READ:
		return reading;
	case ACCESS_WRITE:
		return reading | writing;
	case ACCESS_DEVICE:
		return LANDLOCK_READ_FILE | LANDLOCK_READ_DIR | LANDLOCK_WRITE_FILE |
		       LANDLOCK_TRUNCATE | LANDLOCK_IOCTL_DEV;
	case ACCESS_NOTHING:
		return 0;
	}
	return 0;
}

int landlock_add_rights(const struct plan *plan, int ruleset, int fd, uint64_t rights)
{
	struct sys_landlock_path rule = { .access = rights & landlock_handled(plan->landlock),
					  .fd = fd };
	if (rule.access && sys_landlock_add(ruleset, &rule) < 0)
		return fail(errno, "landlock_add_rule");
	return 0;
}

int landlock_add(const struct plan *plan, int ruleset, int fd, enum access access, bool directory)
{
	return landlock_add_rights(plan, ruleset, fd,
				   rights_of(access) & (directory ? ~0ULL : for_files));
}
