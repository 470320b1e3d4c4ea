// Owns the test whether a process group is sbx's or the box's.
#include "notify/notify.h"

#include <dirent.h>
#include <string.h>

#include "base/process_stat.h"
#include "base/base.h"

static bool is_below(pid_t pid, pid_t init)
{
	enum { DEEP_MAX = 4096 };
	struct process_stat process;
	for (int i = 0; i < DEEP_MAX && pid > 1 && pid != init; i++) {
		if (!process_stat(pid, &process))
			return false;
		pid = process.parent;
	}
	return pid == init;
}

static bool is_member(pid_t pid, pid_t group, pid_t init)
{
	struct process_stat process;
	return process_stat(pid, &process) && process.group == group && is_below(pid, init);
}

bool foreground_is_ours(pid_t group, pid_t own, pid_t init)
{
	struct process_stat leader;
	bool led = group > 1 && process_stat(group, &leader);
	bool found = group == own || (led && is_below(group, init));
	DIR *processes = found || led || group <= 1 ? NULL : opendir("/proc");
	for (const struct dirent *entry; processes && !found && (entry = readdir(processes));) {
		unsigned long long pid;
		found = str_number(entry->d_name, strlen(entry->d_name), 1, 1 << 30, &pid) &&
			is_member((pid_t)pid, group, init);
	}
	if (processes)
		closedir(processes);
	return found;
}
