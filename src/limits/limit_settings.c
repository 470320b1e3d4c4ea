// Owns the table of limits that a cgroup has files for, and their text.
#include "limits/group.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "plan.h"
#include "profile.h"

enum { PERIOD = 100000, QUOTA_LEAST = 1000 };

static const char checked[] = "checked up to 20 times a second; a box above it is killed";

// clang-format off
const struct setting limit_files[] = {
	{ LIMIT_BIT(memory), offsetof(struct limits, memory), "memory", "memory.max", SETTING_PLAIN, "memory", checked, "MemoryMax", 1 },
	{ LIMIT_BIT(swap), offsetof(struct limits, swap), "memory", "memory.swap.max", SETTING_PLAIN, "swap", NULL, "MemorySwapMax", 1 },
	{ LIMIT_BIT(cpu), offsetof(struct limits, cpu), "cpu", "cpu.max", SETTING_QUOTA, "cpu", NULL, "CPUQuotaPerSecUSec", 1000 },
	{ LIMIT_BIT(pids), offsetof(struct limits, pids), "pids", "pids.max", SETTING_PLAIN, "pids", checked, "TasksMax", 1 },
	{ LIMIT_BIT(io), offsetof(struct limits, io), "io", "io.max", SETTING_DEVICE, "io", NULL, NULL, 0 },
	{ 0, 0, NULL, NULL, SETTING_PLAIN, NULL, NULL, NULL, 0 },
};
// clang-format on

uint64_t settings_limit(const struct plan *plan, size_t offset)
{
	uint64_t limit;
	memcpy(&limit, (const char *)&plan->profile->limits + offset, sizeof(limit));
	return offset == offsetof(struct limits, pids) && plan->keeping.pids < limit
		       ? plan->keeping.pids
		       : limit;
}

// Writes the project's disk as "8:0", not its partition, which io.max does not take.
static void disk_of_project(const struct plan *plan, char *text, size_t size)
{
	char path[64], number[32];
	struct stat status;
	text[0] = '\0';
	if (stat(plan->project ? plan->project : plan->real_home, &status) < 0)
		return;
	snprintf(text, size, "%u:%u", major(status.st_dev), minor(status.st_dev));
	str_put(path, sizeof(path), "/sys/dev/block/%s/partition", text);
	if (access(path, F_OK) < 0)
		return;
	str_put(path, sizeof(path), "/sys/dev/block/%s/../dev", text);
	if (file_kernel(AT_FDCWD, path, number, sizeof(number)) > 0)
		snprintf(text, size, "%.*s", (int)strcspn(number, "\n"), number);
}

void settings_text(const struct plan *plan, const struct setting *row, uint64_t limit, char *text,
		   size_t size)
{
	char disk[32];
	unsigned long long number = limit, quota = limit * PERIOD / 1000;
	quota = quota < QUOTA_LEAST ? QUOTA_LEAST : quota;
	switch (row->form) {
	case SETTING_PLAIN:
		snprintf(text, size, "%llu", number);
		return;
	case SETTING_QUOTA:
		snprintf(text, size, "%llu %d", quota, PERIOD);
		return;
	case SETTING_DEVICE:
		disk_of_project(plan, disk, sizeof(disk));
		snprintf(text, size, "%s rbps=%llu wbps=%llu", disk, number, number);
		return;
	}
}
