// No descriptor of a run begins as 0, no fact of the steps names a step that is none, and a run's
// start is told apart from a clock that was set back.
#include "test.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "limits/group.h"
#include "net/host/proxy.h"
#include "plan.h"
#include "postcheck/file_clock.h"
#include "run.h"
#include "run/supervise.h"
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
	assert_true(group.manager == -1 && proxy.live == -1 && proxy.owners == -1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors),
		cmocka_unit_test(rows),
		cmocka_unit_test(clock_set_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
