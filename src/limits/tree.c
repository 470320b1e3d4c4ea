// Owns the walk over /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN).
#include "limits/group.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/process_stat.h"

enum { PIDS_MAX = 16384, TEXT_MAX = 65536, SLICE_NANOSECONDS = 500000 };

static struct tree_walk {
	pid_t pids[PIDS_MAX];
	uint64_t memory[PIDS_MAX];
	int count, at;
	DIR *threads;
	struct process_tree tree;
	int weighed;
	uint64_t weight, shared;
	int64_t spent;
	char text[TEXT_MAX];
} walk;

static size_t read_of(pid_t pid, const char *file, char *text, size_t size)
{
	char path[96];
	str_put(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	return file_kernel(AT_FDCWD, path, text, size);
}

static void add_children(pid_t pid, const char *thread)
{
	char file[64];
	snprintf(file, sizeof(file), "task/%.20s/children", thread);
	read_of(pid, file, walk.text, sizeof(walk.text));
	for (char *at = walk.text, *end; walk.count < PIDS_MAX; at = end) {
		long child = strtol(at, &end, 10);
		if (end == at || child <= 0)
			return;
		walk.pids[walk.count++] = (pid_t)child;
	}
}

void tree_begin(pid_t pid)
{
	if (walk.threads)
		closedir(walk.threads);
	walk.threads = NULL;
	walk.count = 1;
	walk.at = 0;
	walk.pids[0] = pid;
	walk.weighed = 0;
	walk.weight = walk.shared = 0;
	walk.tree = (struct process_tree){ 0 };
	walk.spent = 0;
}

static void count_process(pid_t pid)
{
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK), page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct process_stat process;
	char path[64];
	walk.memory[walk.at] = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if (!process_stat(pid, &process))
		return;
	walk.memory[walk.at] = process.pages * page;
	walk.tree.processes++;
	walk.tree.threads += process.threads;
	walk.tree.running += !strchr("TtDZX", process.state);
	walk.tree.cpu += process.ticks * 1000000 / ticks;
	walk.tree.memory += walk.memory[walk.at];
	walk.threads = opendir(path);
}

static void step(void)
{
	if (!walk.threads)
		count_process(walk.pids[walk.at]);
	struct dirent *each = walk.threads ? readdir(walk.threads) : NULL;
	if (each && each->d_name[0] != '.')
		add_children(walk.pids[walk.at], each->d_name);
	if (each)
		return;
	if (walk.threads)
		closedir(walk.threads);
	walk.threads = NULL;
	walk.at++;
}

bool tree_step(struct process_tree *ret_tree)
{
	int64_t begin = thread_now(), now = begin;
	for (; walk.at < walk.count && now - begin < SLICE_NANOSECONDS; now = thread_now())
		step();
	walk.spent += now - begin;
	*ret_tree = walk.tree;
	return walk.at == walk.count;
}

void tree_count(pid_t pid, struct process_tree *ret_tree)
{
	tree_begin(pid);
	while (!tree_step(ret_tree))
		;
}

int64_t tree_spent(void)
{
	return walk.spent;
}

static bool is_there(pid_t pid)
{
	char text[256], *at = text;
	return read_of(pid, "statm", text, sizeof(text)) > 0 && strtoull(at, &at, 10) > 0 &&
	       strtoull(at, &at, 10) > 0;
}

bool tree_weigh(uint64_t *ret_memory, uint64_t *ret_shared)
{
	int64_t begin = thread_now(), now = begin;
	char text[2048];
	for (; walk.weighed < walk.count && now - begin < SLICE_NANOSECONDS; now = thread_now()) {
		int at = walk.weighed++;
		size_t length = read_of(walk.pids[at], "smaps_rollup", text, sizeof(text));
		walk.weight += text_kilobytes(text, length, "Pss:");
		walk.shared += text_kilobytes(text, length, "Pss_Shmem:");
		// The kernel hides smaps_rollup of a program that the user may not read: all its
		// memory counts.
		if (length == 0 && at > 0 && is_there(walk.pids[at]))
			walk.weight += walk.memory[at];
	}
	walk.spent += now - begin;
	*ret_memory = walk.weight;
	*ret_shared = walk.shared;
	return walk.weighed == walk.count;
}
