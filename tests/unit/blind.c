// What a box can make its supervisor do is bounded: the search for owners, the log.
#include "test.h"

#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "net/host/destinations.h"
#include "plan.h"
#include "run.h"

// A socket of ours, and a tree of processes whose first is `init`: they share one table of
// descriptors, or each has its own.
static int listening(uint16_t *ret_port)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	socklen_t size = sizeof(own);
	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(bind(fd, (struct sockaddr *)&own, size) == 0 && listen(fd, 1) == 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &size), 0);
	*ret_port = ntohs(own.sin_port);
	return fd;
}

static pid_t tree_of(int count, unsigned long shared, int keep)
{
	int ends[2];
	char byte;
	assert_int_equal(pipe(ends), 0);
	pid_t init = fork();
	if (init == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		for (int fd = 3; fd < 64; fd++)
			if (fd != keep && fd != ends[1])
				close(fd);
		pid_t parent = getpid();
		for (int i = 0; i < count; i++)
			if (syscall(SYS_clone, shared | SIGCHLD, 0, 0, 0, 0) == 0) {
				prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
				while (getppid() == parent) // it may be dead already
					pause();
				_exit(0);
			}
		_exit(write(ends[1], "x", 1) == 1 && pause());
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return init;
}

static void seek(struct owner_search *who, pid_t init, uint16_t port)
{
	struct ends ends = { .from_port = port };
	ends.from.bytes[10] = ends.from.bytes[11] = 0xff;
	ends.from.bytes[12] = 127;
	ends.from.bytes[15] = 1;
	ends.to = ends.from;
	owner_find(who, init, &ends);
}

static void owners(void **state)
{
	enum { MUCH = 1 << 30 };
	static struct owner_search who, none;
	uint16_t port;
	(void)state;
	int fd = listening(&port),
	    owners = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	pid_t apart = tree_of(8, 0, -1), holder = tree_of(0, 0, fd);
	owner_new(&who, owners);
	who.record_most = who.run_most = 60LL * MUCH;
	// Only among the box's own, whatever holds it outside.
	seek(&who, apart, port);
	assert_int_equal(who.found, 0);
	assert_string_equal(who.program, "");
	assert_int_equal(who.looked, 9);
	assert_true(who.inode > 0);
	seek(&who, holder, port);
	assert_int_equal(who.found, holder);
	assert_string_equal(who.program, "test-blind");
	// Who was found last is looked at first.
	who.looked = 0;
	seek(&who, apart, port);
	assert_int_equal(who.found, holder);
	assert_int_equal(who.looked, 1);
	fd_close(&who.last);
	owner_new(&none, -1);
	seek(&none, holder, port);
	assert_int_equal(none.found, 0);
	// The time of one, and of all together.
	who.record_most = 0;
	seek(&who, holder, port);
	assert_int_equal(who.found, 0);
	assert_string_equal(who.program, "?");
	who.record_most = 60LL * MUCH;
	who.run_most = who.run_spent;
	seek(&who, holder, port);
	assert_string_equal(who.program, "?");
	kill(apart, SIGKILL);
	kill(holder, SIGKILL);
	close(owners);
	close(fd);
}

static struct conn_record record_of(enum conn_verdict verdict, const char *name)
{
	struct conn_record record = { .port = 80, .verdict = verdict, .count = 1, .up = 3 };
	record.host.kind = HOST_NAME;
	snprintf(record.host.name, sizeof(record.host.name), "%s", name);
	record.dialled = verdict == VERDICT_ALLOWED;
	record.address.bytes[10] = record.address.bytes[11] = 0xff;
	record.address.bytes[12] = 9;
	record.address.bytes[15] = 7;
	return record;
}

static void say(struct connections *connections, const struct plan *plan,
		const struct conn_record *record)
{
	static const struct run run;
	struct worker_event event = { .kind = EVENT_RECORD, .count = RECORDS_AT_ONCE };
	for (unsigned i = 0; i < RECORDS_AT_ONCE; i++)
		event.records[i] = *record;
	seen_take(plan, &run, connections, &event, NULL);
}

// How many lines of the log hold the text; of all files or, with `only`, of one.
static unsigned lines_with(const char *state, const char *text)
{
	char command[512], number[32] = "";
	snprintf(command, sizeof(command), "cat %s/log/run-* | grep -c '%s'", state, text);
	FILE *pipe = popen(command, "r");
	assert_non_null(fgets(number, sizeof(number), pipe));
	pclose(pipe);
	return (unsigned)atoi(number);
}

static void log_bounds(void **state)
{
	char home[] = "/tmp/sbx-audit.XXXXXX", name[128], command[256];
	const struct plan plan = { .state = home };
	struct connections *connections = seen_new(-1, NULL), *other = seen_new(-1, NULL);
	(void)state;
	assert_non_null(mkdtemp(home));
	// More refusals than fit, then connections that are let through.
	for (unsigned i = 0; i < 20000 / RECORDS_AT_ONCE; i++) {
		snprintf(name, sizeof(name), "n%u.test", i);
		struct conn_record refused = record_of(VERDICT_DENIED, name);
		say(connections, &plan, &refused);
	}
	struct conn_record allowed = record_of(VERDICT_ALLOWED, "first.test");
	say(connections, &plan, &allowed);
	assert_int_equal(lines_with(home, "first.test"), 8);
	assert_int_equal(lines_with(home, "first.test\",\"address\":\"9.0.0.7\""), 8);
	assert_true(connections->audit.refused < AUDIT_REFUSED_BYTES + 1024);
	assert_true(lines_with(home, "\"denied\"") < 10000);
	// All that are let through are there, the late ones as a number of each destination.
	for (unsigned i = 8; i < AUDIT_SINGLES + 4000; i += 8)
		say(connections, &plan, &allowed);
	struct conn_record late = record_of(VERDICT_ALLOWED, "late.test");
	say(connections, &plan, &late);
	// Questions for names push none of them out.
	for (unsigned i = 0; i < AUDIT_QUESTIONS; i += 2) {
		snprintf(name, sizeof(name), "question%u.test", i);
		struct conn_record question = record_of(VERDICT_ALLOWED, name);
		question.port = 0;
		say(connections, &plan, &question);
	}
	assert_int_equal(connections->allowed.count, 2);
	assert_int_equal(connections->audit.singles, AUDIT_SINGLES);
	seen_end(&plan, connections);
	assert_int_equal(lines_with(home, "first.test.*\"connections\":1,\"up\":3,"),
			 AUDIT_SINGLES);
	assert_int_equal(
		lines_with(home,
			   "first.test\",\"address\":\"\".*\"connections\":4000,\"up\":12000,"),
		1);
	assert_int_equal(lines_with(home, "\"name\":\"question"), AUDIT_QUESTIONS);
	assert_int_equal(lines_with(home, "more names were asked for.*\"connections\":3000,"), 1);
	assert_int_equal(lines_with(home, "late.test\",\"address\":\"\".*\"connections\":8,"), 1);
	assert_int_equal(lines_with(home, "\"name\":\"\".*\"denied\".*more than are listed singly"),
			 1);
	// A run that wrote much takes nothing from a quiet one.
	snprintf(command, sizeof(command),
		 "cd %s/log && mv run-* run-3-large.jsonl && truncate -s 300M run-3-large.jsonl && "
		 "echo quiet.test >run-1-old.jsonl && echo quiet.test >run-2-old.jsonl",
		 home);
	assert_int_equal(system(command), 0);
	say(other, &plan, &late);
	seen_end(&plan, other);
	assert_int_equal(lines_with(home, "first.test"), 0);
	assert_int_equal(lines_with(home, "quiet.test"), 2);
	assert_int_equal(lines_with(home, "late.test"), 8);
	free(connections);
	free(other);
	snprintf(command, sizeof(command), "rm -r %s", home);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners),
		cmocka_unit_test(log_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
