// Owns the walk over /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN).
#include "limits/group.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"

enum { PIDS_MAX = 16384, TEXT_MAX = 65536 };

static struct tree_walk {
	pid_t pids[PIDS_MAX];
	uint64_t memory[PIDS_MAX]; // of each
	int count, at;
	DIR *threads; // of pids[at], whose children are being added
	struct tree tree;
	uint64_t spent;
	char text[TEXT_MAX];
} walk; // one, of the supervisor alone: it is large

// What a process has with shared pages divided, by its pid.
enum { KNOWN_MILLISECONDS = 30000 };
static struct sharing {
	pid_t pid;
	int64_t when;
	uint64_t memory, all, shared;
} known[PIDS_MAX];

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

static uint64_t cpu_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void tree_begin(pid_t pid)
{
	if (walk.threads)
		closedir(walk.threads);
	walk.threads = NULL;
	walk.count = 1;
	walk.at = 0;
	walk.pids[0] = pid;
	walk.tree = (struct tree){ 0 };
	walk.spent = 0;
}

static void count_process(pid_t pid)
{
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK), page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct text_process process;
	char path[64], text[1024];
	walk.memory[walk.at] = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if (!text_process(text, read_of(pid, "stat", text, sizeof(text)), &process))
		return;
	walk.memory[walk.at] = process.pages * page;
	walk.tree.processes++;
	walk.tree.threads += process.threads;
	walk.tree.running += !strchr("TtDZX", process.state);
	walk.tree.cpu += process.ticks * 1000000 / ticks;
	walk.tree.memory += walk.memory[walk.at];
	walk.threads = opendir(path);
}

// One process, or the children of one thread.
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

bool tree_step(struct tree *ret_tree)
{
	enum { SLICE_MICROSECONDS = 500 };
	uint64_t begin = cpu_now(), now = begin;
	for (; walk.at < walk.count && now - begin < SLICE_MICROSECONDS; now = cpu_now())
		step();
	walk.spent += now - begin;
	*ret_tree = walk.tree;
	return walk.at == walk.count;
}

void tree_count(pid_t pid, struct tree *ret_tree)
{
	tree_begin(pid);
	while (!tree_step(ret_tree))
		;
}

uint64_t tree_spent(void)
{
	return walk.spent;
}

static struct sharing *known_of(int place)
{
	struct sharing *entry = &known[walk.pids[place] % PIDS_MAX];
	return entry->pid == walk.pids[place] && entry->memory == walk.memory[place] &&
			       steady_now() - entry->when < KNOWN_MILLISECONDS
		       ? entry
		       : NULL;
}

struct resident tree_resident(void)
{
	struct resident sum = { 0 };
	for (int i = 0; i < walk.count; i++) {
		const struct sharing *entry = known_of(i);
		sum.least += entry ? entry->all : 0;
		sum.shared += entry ? entry->shared : 0;
		sum.most += entry ? entry->all : walk.memory[i];
	}
	return sum;
}

// Whether it has memory; "SIZE RESIDENT ..."
static bool is_there(pid_t pid)
{
	char text[256], *at = text;
	return read_of(pid, "statm", text, sizeof(text)) > 0 && strtoull(at, &at, 10) > 0 &&
	       strtoull(at, &at, 10) > 0;
}

bool tree_refine(void)
{
	int largest = -1;
	uint64_t begin = cpu_now();
	for (int i = 0; i < walk.count; i++)
		if (walk.memory[i] && !known_of(i) &&
		    (largest < 0 || walk.memory[i] > walk.memory[largest]))
			largest = i;
	if (largest < 0)
		return false;
	pid_t pid = walk.pids[largest];
	struct sharing entry = { pid, steady_now(), walk.memory[largest], 0, 0 };
	char text[2048];
	size_t length = read_of(pid, "smaps_rollup", text, sizeof(text));
	if (length > 0) {
		entry.all = text_kilobytes(text, length, "Pss:");
		entry.shared = text_kilobytes(text, length, "Pss_Shmem:");
	} else if (largest > 0 && is_there(pid)) {
		entry.all = entry.memory; // it hides that: a program that nobody may read does
	}
	known[pid % PIDS_MAX] = entry;
	walk.spent += cpu_now() - begin;
	return true;
}

// What one may keep of the kernel's memory: a socket its default buffer, a pipe 16 pages.
enum { HELD_MILLISECONDS = 20, SOCKET_BYTES = 212992, PIPE_BYTES = 65536, BLOCK_BYTES = 512 };
enum { MAGIC_TMPFS = 0x01021994 };

static uint64_t held_by(int directory, const char *name, uint64_t socket)
{
	char target[16] = "";
	struct stat status;
	if (readlinkat(directory, name, target, sizeof(target) - 1) < 0)
		return 0;
	if (strncmp(target, "socket:", strlen("socket:")) == 0)
		return socket;
	if (strncmp(target, "pipe:", strlen("pipe:")) == 0)
		return PIPE_BYTES;
	return strncmp(target, "/memfd:", strlen("/memfd:")) == 0 &&
			       fstatat(directory, name, &status, 0) == 0
		       ? (uint64_t)status.st_blocks * BLOCK_BYTES
		       : 0;
}

static uint64_t held_of(pid_t pid, uint64_t socket, int64_t until)
{
	char path[64];
	uint64_t held = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *stream = opendir(path);
	if (!stream)
		return 0;
	for (struct dirent *each = readdir(stream); each && steady_now() < until;
	     each = readdir(stream))
		held += held_by(dirfd(stream), each->d_name, socket);
	closedir(stream);
	return held;
}

// What lies in the box's private directories, one file system, as this process sees them. Nobody
// may ask about pid 1, which is not dumpable, but root.
static bool has_files(pid_t pid, uint64_t *ret_bytes)
{
	struct statfs status;
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/root/tmp", (int)pid);
	if (statfs(path, &status) < 0 || (unsigned long)status.f_type != MAGIC_TMPFS)
		return false;
	*ret_bytes = (status.f_blocks - status.f_bfree) * (uint64_t)status.f_bsize;
	return true;
}

uint64_t tree_held(pid_t pid, bool own_network)
{
	tree_begin(pid);
	int64_t until = steady_now() + HELD_MILLISECONDS;
	uint64_t held = 0, files = 0;
	bool seen = false;
	if (own_network)
		held = SOCKET_BYTES *
		       text_value(walk.text,
				  read_of(pid, "net/sockstat", walk.text, sizeof(walk.text)),
				  "sockets: used");
	while (walk.at < walk.count && steady_now() < until) {
		if (!walk.threads) {
			seen = seen || has_files(walk.pids[walk.at], &files);
			held += held_of(walk.pids[walk.at], own_network ? 0 : SOCKET_BYTES, until);
		}
		step();
	}
	return held + files;
}
