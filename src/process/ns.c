// Owns clone, and the settings of the new namespaces.
#include "process/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "mount/mount.h"
#include "plan.h"
#include "run.h"

// The box's inotify instances count for the caller, too: the box gets a quarter.
enum { INOTIFY_PART = 4 };
static long inotify_most(void)
{
	static const char *const files[] = { "/proc/sys/user/max_inotify_instances",
					     "/proc/sys/fs/inotify/max_user_instances" };
	long most = INT_MAX;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && most == INT_MAX; i++) {
		char text[32];
		if (file_kernel(AT_FDCWD, files[i], text, sizeof(text)) > 0)
			most = strtol(text, NULL, 10);
	}
	return most < INOTIFY_PART ? 1 : most / INOTIFY_PART;
}

int ns_plan(struct plan *plan)
{
	plan->inotify_most = (unsigned)inotify_most();
	if (plan->tier == TIER_LANDLOCK)
		return 0;
	plan->namespaces =
		CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWCGROUP;
	if (!testing_skips("ipc"))
		plan->namespaces |= CLONE_NEWIPC;
	switch (plan->profile->network) {
	case NETWORK_NONE:
	case NETWORK_PROXY:
		plan->own_network = true;
		break;
	case NETWORK_HOST:
		break;
	}
	return 0;
}

int ns_clone(const struct plan *plan, struct run *run)
{
	int ends[2];
	run->tier_landlock = plan->tier == TIER_LANDLOCK;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(errno, "socketpair");
	run->from_box = ends[0];
	run->to_host = ends[1];
	if (pipe2(run->go, O_CLOEXEC) < 0)
		return fail(errno, "pipe");
	// No CLONE_VM: pid 1 never calls exec, and must not share the supervisor's memory.
	struct clone_args arguments = {
		.flags = plan->namespaces | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)&run->pidfd,
		.exit_signal = SIGCHLD,
	};
	if (run->cgroup >= 0) {
		arguments.flags |= CLONE_INTO_CGROUP;
		arguments.cgroup = (unsigned)run->cgroup;
	}
	int pid = plan->tier == TIER_FULL ? sys_clone3(&arguments) : sys_clone(0, &run->pidfd);
	if (pid < 0)
		return fail(errno, "clone3 with new namespaces");
	if (pid == 0)
		return 1;
	run->init = pid;
	fd_close(&run->to_host);
	fd_close(&run->go[0]);
	settings_undo(plan, run);
	return 0;
}

// Makes pid 1 end the box's processes: in tier landlock they would survive it.
static void end_processes(const struct run *run)
{
	enum { LONGEST_MILLISECONDS = 2000 };
	struct pollfd ended = { .fd = run->pidfd, .events = POLLIN };
	sys_pidfd_send_signal(run->pidfd, SIGNAL_END, NULL);
	sys_pidfd_send_signal(run->pidfd, SIGCONT, NULL);
	poll(&ended, 1, LONGEST_MILLISECONDS);
}

int ns_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	siginfo_t info = { 0 };
	if (run->init <= 0)
		return 0;
	if (run->tier_landlock)
		end_processes(run);
	sys_pidfd_send_signal(run->pidfd, SIGKILL, NULL);
	struct pollfd ended = { .fd = run->pidfd, .events = POLLIN };
	while (waitid(P_PID, (id_t)run->init, &info, WEXITED) < 0 && errno == EINTR)
		;
	if (run->front > 0)
		poll(&ended, 1, -1);
	run->init_signal = info.si_code == CLD_KILLED ? info.si_status : 0;
	run->init = 0;
	fd_close(&run->pidfd);
	return 0;
}

// Makes the kernel kill boxes first when memory runs out. Needs the host's /proc.
enum { OOM_SOONER = 500, OOM_MAX = 1000 };
static int raise_score(void)
{
	char text[32] = "";
	autoclose int file = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	if (file < 0)
		return fail(errno, "open oom_score_adj");
	if (read(file, text, sizeof(text) - 1) <= 0)
		return fail(errno, "read oom_score_adj");
	long score = strtol(text, NULL, 10);
	score = score > OOM_MAX - OOM_SOONER ? OOM_MAX : score + OOM_SOONER;
	int length = snprintf(text, sizeof(text), "%ld", score);
	return pwrite(file, text, (size_t)length, 0) < 0 ? fail(errno, "write oom_score_adj") : 0;
}

int ns_child_lifeline(const struct plan *plan, struct run *run)
{
	(void)run;
	bool landlock = plan->tier == TIER_LANDLOCK;
	sigset_t end;
	sigemptyset(&end);
	sigaddset(&end, SIGNAL_END);
	if (landlock)
		sigprocmask(SIG_UNBLOCK, &end, NULL); // init_child() blocks it again
	if (prctl(PR_SET_PDEATHSIG, landlock ? SIGNAL_END : SIGKILL, 0, 0, 0) < 0)
		return fail(errno, "PR_SET_PDEATHSIG");
	// A supervisor that died before PR_SET_PDEATHSIG has closed its end of the socket.
	struct pollfd host = { .fd = run->to_host };
	fd_close(&run->from_box);
	if (poll(&host, 1, 0) != 0)
		return fail(0, "the supervisor has ended");
	return raise_score();
}

int ns_child_ids(const struct plan *plan, struct run *run)
{
	char line[64];
	int result = fd_write_file(AT_FDCWD, "/proc/self/setgroups", "deny");
	if (result < 0)
		return fail(-result, "/proc/self/setgroups");
	snprintf(line, sizeof(line), "%u %u 1", plan->as_root ? 0 : (unsigned)plan->uid,
		 (unsigned)plan->uid);
	result = fd_write_file(AT_FDCWD, "/proc/self/uid_map", line);
	if (result < 0)
		return fail(-result, "/proc/self/uid_map");
	snprintf(line, sizeof(line), "%u %u 1", plan->as_root ? 0 : (unsigned)plan->gid,
		 (unsigned)plan->gid);
	result = fd_write_file(AT_FDCWD, "/proc/self/gid_map", line);
	if (result < 0)
		return fail(-result, "/proc/self/gid_map");
	// The supervisor needs both namespaces. The box will not see this /proc.
	run->user = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	run->view = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	return run->user < 0 || run->view < 0 ? fail(errno, "/proc/self/ns") : 0;
}

// Writes a limit in the box's /proc: in the host's /proc the kernel walks every namespace.
// Tolerates the errno `missing`.
static int lock_number(int proc, const char *file, unsigned most, int missing)
{
	char text[16];
	snprintf(text, sizeof(text), "%u", most);
	int result = fd_write_file(proc, file, text);
	return result < 0 && (!missing || result != -missing) ? fail(-result, "/proc/%s", file) : 0;
}

int ns_child_lock(const struct plan *plan, struct run *run)
{
	for (unsigned i = 0; i < plan->mount_count; i++) {
		if (plan->mounts[i].kind != MOUNT_PROC)
			continue;
		if (!testing_skips("inotify"))
			TRY(lock_number(run->mounts[i], "sys/user/max_inotify_instances",
					plan->inotify_most, ENOENT));
		return plan->nested
			       ? 0
			       : lock_number(run->mounts[i], "sys/user/max_user_namespaces", 0, 0);
	}
	return fail(0, "the plan has no /proc");
}

int ns_child_hostname(const struct plan *plan, struct run *run)
{
	(void)run;
	const char *name = plan->profile->hostname;
	if (name && sethostname(name, strlen(name)) < 0)
		return fail(errno, "sethostname");
	return 0;
}
