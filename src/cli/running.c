// Owns the search for runs: processes of the caller's that are this program with a verb that makes
// a box, and those that sbx allow reaches. A run is asked nothing and keeps nothing for this.
#include "cli/boxes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/process_stat.h"
#include "base/str.h"
#include "net/host/control_socket.h"

enum { BYTES_MAX = 4096 };

struct ours {
	struct stat program, users; // of this process: its file, its user namespace
};

static bool is_same(int process, const char *link, const struct stat *own)
{
	struct stat status;
	return fstatat(process, link, &status, 0) == 0 && status.st_dev == own->st_dev &&
	       status.st_ino == own->st_ino;
}

// The words of `sbx run`, sbx-shell and their like. A fork of a run has none behind the verb.
static bool makes_box(const char *words, size_t length)
{
	static const char verbs[] = "run shell code learn";
	const char *verb = words + strlen(words) + 1;
	if (str_equal(path_name(words), "sbx-shell"))
		return true;
	return verb < words + length && str_has_word(verbs, verb, strlen(verb));
}

// Its parent, and how long ago it began.
static pid_t read_stat(int process, uint64_t *ret_age, uint64_t *ret_start)
{
	struct process_stat one;
	struct timespec now;
	if (!process_stat_at(process, "stat", &one))
		return -1;
	clock_gettime(CLOCK_BOOTTIME, &now);
	uint64_t then = one.start * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t since_boot = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	*ret_age = since_boot > then ? since_boot - then : 0;
	*ret_start = one.start;
	return one.parent;
}

static void copy_words(const char *words, size_t length, struct running *running)
{
	size_t used = length < RUNNING_COMMAND_MAX ? length : RUNNING_COMMAND_MAX;
	while (used > 0 && words[used - 1] == '\0')
		used--;
	for (size_t i = 0; i < used; i++)
		running->command[i] = words[i] && words[i] != '\n' ? words[i] : ' ';
	running->command[used] = '\0';
}

// A process of the caller's, by its number.
static bool read_process(int proc, const char *name, const struct ours *ours,
			 struct running *ret_running, pid_t *ret_parent)
{
	char words[BYTES_MAX];
	struct stat status;
	autoclose int process = openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0 || fstat(process, &status) < 0 || status.st_uid != geteuid())
		return false;
	size_t length = file_kernel(process, "cmdline", words, sizeof(words));
	*ret_parent = length ? read_stat(process, &ret_running->age, &ret_running->start) : -1;
	if (*ret_parent < 0)
		return false;
	ret_running->run = (pid_t)strtol(name, NULL, 10);
	copy_words(words, length, ret_running);
	bool own = ret_running->run == getpid();
	ret_running->proved = !own && makes_box(words, length) &&
			      is_same(process, "exe", &ours->program) &&
			      is_same(process, "ns/user", &ours->users);
	return ret_running->proxy || ret_running->proved;
}

bool running_lasts(const struct running *running)
{
	char path[32];
	uint64_t age, start;
	snprintf(path, sizeof(path), "/proc/%d", (int)running->run);
	autoclose int process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return process >= 0 && read_stat(process, &age, &start) >= 0 && start == running->start;
}

static bool is_in(const pid_t *list, unsigned count, pid_t wanted)
{
	for (unsigned i = 0; i < count; i++)
		if (list[i] == wanted)
			return true;
	return false;
}

// Workers and helpers are forks of a run.
static unsigned without_forks(struct running *list, const pid_t *parents, unsigned count)
{
	pid_t all[RUNNING_MAX];
	unsigned kept = 0;
	for (unsigned i = 0; i < count; i++)
		all[i] = list[i].run;
	for (unsigned i = 0; i < count; i++)
		if (list[i].proxy || !is_in(all, count, parents[i]))
			list[kept++] = list[i];
	return kept;
}

static int by_number(const void *left, const void *right)
{
	const struct running *one = left, *other = right;
	return (one->run > other->run) - (one->run < other->run);
}

unsigned running_list(struct running ret_list[RUNNING_MAX])
{
	pid_t reached[RUNNING_MAX], parents[RUNNING_MAX];
	struct ours ours;
	unsigned count = 0, reached_count = control_socket_runs(reached, RUNNING_MAX);
	const struct dirent *entry;
	DIR *proc = opendir("/proc");
	bool known = stat("/proc/self/exe", &ours.program) == 0 &&
		     stat("/proc/self/ns/user", &ours.users) == 0;
	while (proc && known && count < RUNNING_MAX && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		struct running *next = &ret_list[count];
		next->proxy = is_in(reached, reached_count, (pid_t)strtol(entry->d_name, NULL, 10));
		if (read_process(dirfd(proc), entry->d_name, &ours, next, &parents[count]))
			count++;
	}
	if (proc)
		closedir(proc);
	count = without_forks(ret_list, parents, count);
	qsort(ret_list, count, sizeof(*ret_list), by_number);
	return count;
}
