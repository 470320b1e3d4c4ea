// No descriptor of a run begins as 0, no fact of the steps names a step that is none, and a run's
// start is told apart from a clock that was set back.
#include "test.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "boxes/record.h"
#include "limits/group.h"
#include "net/host/proxy.h"
#include "notify/notify.h"
#include "plan.h"
#include "postcheck/postcheck.h"
#include "run.h"
#include "run/steps.h"

static void descriptors(void **state)
{
	(void)state;
	static struct run run;
	static struct group group;
	static struct proxy proxy;
	char *words[] = { NULL };
	int fd;
	memset(&run, 0, sizeof(run));
	run_init(&run, words, words);
	for (size_t at = 0; at < offsetof(struct run, init); at += sizeof(fd)) {
		memcpy(&fd, (const char *)&run + at, sizeof(fd));
		assert_int_equal(fd, -1);
	}
	assert_true(offsetof(struct run, journals) + sizeof(run.journals) ==
		    offsetof(struct run, init));
	assert_int_equal(run.init, 0);
	assert_ptr_equal(run.arguments, words);
	group_init(&group);
	proxy_init(&proxy);
	for (int i = 0; i < HIERARCHIES; i++)
		assert_true(group.own[i] == -1 && group.parents[i] == -1);
	assert_true(group.manager == -1 && proxy.control == -1 && proxy.owners == -1);
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;
	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

// Several runs of one process leave no descriptor.
static void nothing_left(void **state)
{
	static struct plan plan = { .current = "/" };
	static struct profile profile;
	static struct proxy proxy;
	static struct run run;
	unsigned before = open_descriptors();
	(void)state;
	plan.profile = &profile;
	run.proxy = &proxy;
	proxy_init(run.proxy);
	assert_int_equal(proxy_share(&plan, run.proxy), 0);
	assert_int_equal(open_descriptors(), before + 1);
	proxy_undo(&plan, &run);
	assert_int_equal(open_descriptors(), before);
}

// A process of many groups has a long status.
static void long_status(void **state)
{
	static gid_t groups[700];
	int ends[2];
	char byte;
	(void)state;
	assert_int_equal(pipe(ends), 0);
	for (size_t i = 0; i < 700; i++)
		groups[i] = (gid_t)(2000000000 + i);
	pid_t child = fork();
	if (child == 0) {
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, SIGTTOU);
		sigprocmask(SIG_SETMASK, &set, NULL);
		byte = syscall(SYS_setgroups, 700, groups) == 0;
		if (write(ends[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	struct seccomp_notif asked = { .pid = (uint32_t)child };
	struct question question = { .asked = &asked };
	assert_int_equal(asker_status(&question, "\nSigBlk:", 16), 1L << (SIGTTOU - 1));
	assert_int_equal(asker_status(&question, "\nTgid:", 10), child);
	assert_int_equal(asker_status(&question, "\nNothing:", 10), -1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	if (!byte) // not by skip(): cmocka 1.1 prints "not ok", which fails in meson
		print_message("# only root has as many groups: the status was a short one\n");
}

// Each step has one way to go, and what makes the plan is done before the box has it.
static void rows(void **state)
{
	(void)state;
	int last = -1, last_host = -1;
	for (int i = 0; i < step_count; i++) {
		assert_true(!steps[i].go != !steps[i].make);
		assert_true(!steps[i].make || steps[i].side == SIDE_HOST);
		assert_true(!steps[i].lost_without_namespaces || steps[i].tiers != LANDLOCK);
		assert_true(!steps[i].undo || steps[i].side == SIDE_HOST);
		last = steps[i].make ? i : last;
		last_host = steps[i].side == SIDE_HOST ? i : last_host;
	}
	// What fails before "go" keeps the command from running; after it, it may run already.
	assert_int_equal(last, last_host);
	assert_string_equal(steps[last].name, "go");
}

// A clock that was set back before the command began is forgotten; one that is set back while it
// runs makes everything look new.
static void clock_set_back(void **state)
{
	(void)state;
	enum { AGO = 5, BACK = 3600 };
	static struct plan plan;
	struct timespec start;
	clock_gettime(CLOCK_REALTIME, &plan.start);
	clock_gettime(CLOCK_MONOTONIC, &plan.start_steady);
	clock_pass(&plan, -1);
	start = clock_start(&plan);
	assert_int_equal(start.tv_sec, plan.start.tv_sec);
	assert_int_equal(start.tv_nsec, plan.start.tv_nsec);
	plan.start_steady.tv_sec -= AGO;
	assert_int_equal(clock_start(&plan).tv_sec, 0);
	plan.start.tv_sec += BACK;
	clock_pass(&plan, -1);
	start = clock_start(&plan);
	assert_true(start.tv_sec > 0 && start.tv_sec == plan.start.tv_sec);
}

// The last holder of a removed record is pid 1, whom the box may have taken over: what it gets
// opens nothing and leads nowhere.
static void left_to_init(void **state)
{
	static struct run run;
	char place[] = "/tmp/sbx-unit-run.XXXXXX", byte;
	int ends[2], fds[FD_PASSED];
	struct stat status;
	(void)state;
	char *words[] = { NULL };
	run_init(&run, words, words);
	assert_non_null(mkdtemp(place));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	run.boxes = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	run.record = record_make(run.boxes, run.record_name, &run.record_lock);
	assert_true(run.record >= 0);
	run.from_box = ends[0];
	record_finish(&run, "exit", 0);
	assert_int_equal(fd_receive(ends[1], &byte, 1, fds), 1);
	assert_true(fds[0] >= 0 && fds[1] < 0);
	assert_true(fcntl(fds[0], F_GETFL) & O_PATH);
	assert_int_equal(fstat(fds[0], &status), 0);
	assert_true(S_ISREG(status.st_mode) && status.st_nlink == 0);
	close(fds[0]);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(rmdir(place), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors),    cmocka_unit_test(nothing_left),
		cmocka_unit_test(long_status),    cmocka_unit_test(rows),
		cmocka_unit_test(clock_set_back), cmocka_unit_test(left_to_init),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
