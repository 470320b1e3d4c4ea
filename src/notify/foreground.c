// Owns the question whose a process group is.
#include "notify/foreground.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

struct family {
	pid_t parent, group;
};

// Of a process, from /proc/PID/stat, whose second field is a name with any bytes.
static bool read_family(pid_t pid, struct family *ret)
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	size_t length = file_kernel(AT_FDCWD, path, text, sizeof(text));
	const char *rest = length ? strrchr(text, ')') : NULL;
	return rest && sscanf(rest, ") %*c %d %d", &ret->parent, &ret->group) == 2;
}

// Orphans of a box become children of its first process.
static bool is_below(pid_t pid, pid_t init)
{
	enum { DEEP_MAX = 4096 };
	struct family family;
	for (int i = 0; i < DEEP_MAX && pid > 1 && pid != init; i++) {
		if (!read_family(pid, &family))
			return false;
		pid = family.parent;
	}
	return pid == init;
}

static bool is_member(pid_t pid, pid_t group, pid_t init)
{
	struct family family;
	return read_family(pid, &family) && family.group == group && is_below(pid, init);
}

bool foreground_is_ours(pid_t group, pid_t own, pid_t init)
{
	struct family leader;
	bool led = group > 1 && read_family(group, &leader);
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
