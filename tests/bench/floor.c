// The least that a box can cost: every namespace, a root of its own with /usr and /etc read-only,
// exec. No policy, no network inside, no filter, no Landlock, nobody who looks after it.
//   floor PROGRAM ARGS...
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(long result, const char *what)
{
	if (result < 0) {
		perror(what);
		_exit(125);
	}
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	must(fd, path);
	must(write(fd, text, strlen(text)), path);
	close(fd);
}

static void bind_read_only(const char *from, const char *to)
{
	must(mkdir(to, 0755), to);
	must(mount(from, to, NULL, MS_BIND | MS_REC, NULL), to);
	must(mount(NULL, to, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL),
	     to);
}

int main(int count, char **words)
{
	char map[64];
	unsigned uid = geteuid(), gid = getegid();
	struct clone_args arguments = {
		.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
			 CLONE_NEWUTS | CLONE_NEWCGROUP,
		.exit_signal = SIGCHLD,
	};
	if (count < 2)
		return 2;
	long child = syscall(SYS_clone3, &arguments, sizeof(arguments));
	must(child, "clone3");
	if (child > 0) {
		int status;
		must(waitpid((pid_t)child, &status, 0), "waitpid");
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
	}
	put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	put("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	put("/proc/self/gid_map", map);
	must(mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL), "private");
	must(mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, NULL), "tmpfs");
	must(chdir("/tmp"), "chdir");
	bind_read_only("/usr", "usr");
	bind_read_only("/etc", "etc");
	must(symlink("usr/bin", "bin") | symlink("usr/lib", "lib") | symlink("usr/lib64", "lib64"),
	     "symlink");
	must(mkdir("proc", 0755) |
		     mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL),
	     "proc");
	must(syscall(SYS_pivot_root, ".", "."), "pivot_root");
	must(umount2(".", MNT_DETACH), "umount2");
	must(chdir("/"), "chdir");
	execv(words[1], words + 1);
	must(-1, words[1]);
}
