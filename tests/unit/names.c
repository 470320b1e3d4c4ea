// What is surely not in a directory, and when nothing is sure.
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jail/names.h"

static char directory[] = "/tmp/sbx-names.XXXXXX";

static void make(const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void take_away(const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(rmdir(path), 0);
}

static bool lack(const struct names *names, const char *below)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s%s", directory, below);
	return names_lack(names, path);
}

static void stands_or_not(void **state)
{
	struct names names;
	(void)state;
	assert_non_null(mkdtemp(directory));
	make(".VSCode");
	make("there");
	names_read(&names, directory);
	assert_true(lack(&names, "/.idea"));
	assert_true(lack(&names, "/.idea/below/it"));
	assert_false(lack(&names, "/there"));
	assert_false(lack(&names, "/there/below")); // nobody has looked
	assert_false(lack(&names, "/.vscode"));     // some file systems find it so
	assert_false(lack(&names, ""));
	assert_false(lack(&names, "more/.idea")); // another directory
	assert_false(names_lack(&names, "/.idea"));
	assert_false(lack(&names, "/.\xC4\xB0"
				  "dea")); // of other scripts nothing is said
}

static void nothing_is_sure(void **state)
{
	struct names names;
	char name[256];
	(void)state;
	make(".\xC4\xB1"
	     "dea"); // a letter that some file systems take for an i
	names_read(&names, directory);
	assert_false(lack(&names, "/.idea"));
	take_away(".\xC4\xB1"
		  "dea");
	names_read(&names, directory);
	assert_true(lack(&names, "/.idea"));
	names_read(&names, "/nonexistent/directory");
	assert_false(names_lack(&names, "/nonexistent/directory/.idea"));
	char link[64];
	snprintf(link, sizeof(link), "%s/link", directory);
	assert_int_equal(symlink(directory, link), 0);
	names_read(&names, link);
	assert_false(lack(&names, "/link/.idea"));
	unlink(link);
	for (unsigned i = 0; i < 64; i++) { // more than fits: what comes last is not seen
		snprintf(name, sizeof(name), "%0200u", i);
		make(name);
	}
	names_read(&names, directory);
	assert_false(lack(&names, "/.idea"));
	for (unsigned i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "%0200u", i);
		take_away(name);
	}
	take_away(".VSCode");
	take_away("there");
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stands_or_not),
					    cmocka_unit_test(nothing_is_sure) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
