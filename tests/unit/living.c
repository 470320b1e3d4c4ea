// postcheck/git: a file that a box renews without end, while it lives, counts as often as it is
// looked at.
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "postcheck/acts/check.h"
#include "postcheck/git/vet.h"
#include "report/findings.h"

static unsigned taken;

static bool takes(struct living *living, const struct check *check, const char *path)
{
	(void)living;
	(void)check;
	(void)path;
	taken++;
	return false;
}

static void put(int directory, const char *name, const char *text)
{
	autoclose int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

// Half of a file, within a tick of its time: it is left where it is, and counts.
static void renewed(void **state)
{
	enum { TRIES = 8, MILLISECONDS = 60000, TICK = 20000000 };
	static struct plan plan;
	static struct findings found;
	struct living living = { .takes = takes, .until = steady_now() + MILLISECONDS };
	struct check check = { .plan = &plan, .found = &found, .living = &living };
	char place[] = "/tmp/sbx-unit-living.XXXXXX";
	struct stat status;
	(void)state;
	autoclose int top = mkdtemp(place) ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	unsigned configs = 0, indexes = 0;
	for (int i = 0; i < TRIES * 100 && (configs < TRIES || indexes < TRIES); i++) {
		const char *name = configs < TRIES ? "config" : "index";
		put(top, name, configs < TRIES ? "[core" : "DIRC");
		taken = 0;
		living.waits = false;
		if (configs < TRIES)
			vet_config(&check, top, name, "/r/config");
		else
			index_look(&check, top, "/r", true);
		assert_int_equal(fstatat(top, name, &status, 0), 0);
		if (times_now() - times_from(&status.st_ctim) > TICK)
			continue; // this machine was too slow
		assert_int_equal(taken, 1);
		assert_true(living.waits);
		configs += configs < TRIES;
		indexes += name[0] == 'i';
	}
	assert_int_equal(configs + indexes, 2 * TRIES);
	apart_reap();
	assert_int_equal(owned_remove_tree(AT_FDCWD, place), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(renewed) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
