// Owns the walk over /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN).
#include "limits/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/steady.h"
#include "base/str.h"
#include "limits/text.h"

enum { PIDS_MAX = 16384, TEXT_MAX = 65536 };

struct tree_walk {
	pid_t pids[PIDS_MAX];
	int count;
	char text[TEXT_MAX];
};

static size_t read_of(pid_t pid, const char *file, char *text, size_t size)
{
	char path[96];
	str_put(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	return file_kernel(AT_FDCWD, path, text, size);
}

static void add_children(struct tree_walk *walk, pid_t pid, const char *thread)
{
	char file[64];
	snprintf(file, sizeof(file), "task/%.20s/children", thread);
	read_of(pid, file, walk->text, sizeof(walk->text));
	for (char *at = walk->text, *end; walk->count < PIDS_MAX; at = end) {
		long child = strtol(at, &end, 10);
		if (end == at || child <= 0)
			return;
		walk->pids[walk->count++] = (pid_t)child;
	}
}

static void add_of_threads(struct tree_walk *walk, pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *stream = opendir(path);
	if (!stream)
		return;
	for (struct dirent *each = readdir(stream); each; each = readdir(stream))
		if (each->d_name[0] != '.')
			add_children(walk, pid, each->d_name);
	closedir(stream);
}

// One buffer, of the supervisor alone: it is large.
static struct tree_walk *walk_from(pid_t pid)
{
	static struct tree_walk walk;
	walk.count = 1;
	walk.pids[0] = pid;
	return &walk;
}

void tree_count(pid_t pid, struct tree *ret_tree)
{
	struct tree_walk *walk = walk_from(pid);
	struct tree tree = { 0 };
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK), page = (uint64_t)sysconf(_SC_PAGESIZE);
	for (int i = 0; i < walk->count; i++) {
		struct text_process process;
		char text[1024];
		if (!text_process(text, read_of(walk->pids[i], "stat", text, sizeof(text)),
				  &process))
			continue;
		tree.processes++;
		tree.threads += process.threads;
		tree.cpu += process.ticks * 1000000 / ticks;
		tree.memory += process.pages * page;
		add_of_threads(walk, walk->pids[i]);
	}
	*ret_tree = tree;
}

// "Pss:      123 kB": the spaces are skipped by strtoull.
static uint64_t kilobytes_of(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	return line ? strtoull(line + strlen(name), NULL, 10) * 1024 : 0;
}

struct resident tree_memory(pid_t pid)
{
	struct tree_walk *walk = walk_from(pid);
	struct resident sum = { 0 };
	for (int i = 0; i < walk->count; i++) {
		char text[2048];
		if (read_of(walk->pids[i], "smaps_rollup", text, sizeof(text)) > 0) {
			sum.all += kilobytes_of(text, "\nPss:");
			sum.shared += kilobytes_of(text, "\nPss_Shmem:");
		}
		add_of_threads(walk, walk->pids[i]);
	}
	return sum;
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
	struct tree_walk *walk = walk_from(pid);
	int64_t until = steady_now() + HELD_MILLISECONDS;
	uint64_t held = 0, files = 0;
	bool seen = false;
	if (own_network)
		held = SOCKET_BYTES *
		       text_value(walk->text,
				  read_of(pid, "net/sockstat", walk->text, sizeof(walk->text)),
				  "sockets: used");
	for (int i = 0; i < walk->count && steady_now() < until; i++) {
		seen = seen || has_files(walk->pids[i], &files);
		held += held_of(walk->pids[i], own_network ? 0 : SOCKET_BYTES, until);
		add_of_threads(walk, walk->pids[i]);
	}
	return held + files;
}
