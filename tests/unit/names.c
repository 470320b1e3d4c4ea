// What is surely not in a directory, and when nothing is sure.
#include "test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/trusted.h"
#include "text/words.h"
#include "text/sha.h"
#include "view/paths/wishes.h"

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
	names_read(&names, directory, NULL);
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
	names_read(&names, directory, NULL);
	assert_false(lack(&names, "/.idea"));
	take_away(".\xC4\xB1"
		  "dea");
	names_read(&names, directory, NULL);
	assert_true(lack(&names, "/.idea"));
	names_read(&names, "/nonexistent/directory", NULL);
	assert_false(names_lack(&names, "/nonexistent/directory/.idea"));
	char link[64];
	snprintf(link, sizeof(link), "%s/link", directory);
	assert_int_equal(symlink(directory, link), 0);
	names_read(&names, link, NULL);
	assert_false(lack(&names, "/link/.idea"));
	unlink(link);
	for (unsigned i = 0; i < 64; i++) { // more than fits: what comes last is not seen
		snprintf(name, sizeof(name), "%0200u", i);
		make(name);
	}
	names_read(&names, directory, NULL);
	assert_false(lack(&names, "/.idea"));
	for (unsigned i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "%0200u", i);
		take_away(name);
	}
	take_away(".VSCode");
	take_away("there");
	assert_int_equal(rmdir(directory), 0);
}

static void components(void **state)
{
	static const struct {
		const char *name, *row;
		bool matches;
	} rows[] = {
		{ ".VSCode/tasks.json", ".vscode", true },
		{ "a.CODE-workspace", "*.code-workspace", true },
		{ ".code-workspace", "*.code-workspace", true },
		{ "a.code-workspace.bak", "*.code-workspace", false },
		{ "mise.a.b.toml", "mise.*.toml", true },
		{ "mise.toml", "mise.*.toml", false },
		{ "lint-staged.config.", "lint-staged.config.*", true },
		{ "JUSTFILE", "?ustfile", true },
		{ "ustfile", "?ustfile", false },
		{ "docker-compose.yml.yaml", "docker-compose*.y*ml", true },
		{ ".v\xC5\xBF"
		  "code",
		  ".vscode", true },                                // a long s
		{ ".vscode\xE2\x80\x8D", ".vscode", true },         // a joiner
		{ ".con\xEF\xAC\x81g/mise", ".config/mise", true }, // a ligature
		{ "\xE2\x84\xAA"
		  "eep",
		  "keep", true }, // kelvin
		{ "\xE3\x81\x82.vscode", ".vscode", false },
		{ ".vscode\xE2\x80", ".vscode", false }, // cut short
		{ "", "*", true },
		{ "", "?", false },
	};
	char folded[COMPONENT_MAX], longest[COMPONENT_MAX + 1];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(component_fold(rows[i].name, folded));
		if (component_matches(folded, rows[i].row) != rows[i].matches)
			fail_msg("%s", rows[i].row);
	}
	memset(longest, 'x', sizeof(longest));
	longest[COMPONENT_MAX] = '\0';
	assert_false(component_fold(longest, folded));
	assert_true(component_fold(longest + 1, folded));
}

// A pattern's `*` is nothing, a letter or more, and letters are of either case.
static void may_begin(const char *pattern)
{
	static const char *const stars[] = { "", "Q", "-long.name-" };
	for (unsigned i = 0; i < 3; i++) {
		char name[512] = "";
		for (const char *at = pattern; *at && *at != '/'; at++)
			snprintf(name + strlen(name), sizeof(name) - strlen(name), "%.*s",
				 *at == '*' ? 20 : 1,
				 *at == '*'   ? stars[i]
				 : *at == '?' ? "Z"
					      : at);
		for (unsigned upper = 0; upper < 2; upper++) {
			for (char *at = name; upper && *at; at++)
				*at = (char)toupper((unsigned char)*at);
			if (!trusted_may_begin(name))
				fail_msg("%s as %s", pattern, name);
		}
	}
}

// The filter by the first component passes over no row.
static void filter(void **state)
{
	char name[256];
	(void)state;
	for (unsigned i = 0; i < trusted_first[TRUSTED_REPORT + 1]; i++) {
		snprintf(name, sizeof(name), "%s", trusted_name(&trusted_rows[i]));
		may_begin(name);
		for (char *at = name; *at; at++)
			*at = *at == '*' || *at == '?' ? 'x' : *at;
		if (!trusted_may_begin(name) || !trusted_find(name) ||
		    (trusted_rows[i].answer == TRUSTED_PROTECT && !trusted_is_protected(name)))
			fail_msg("%s", name);
	}
	assert_false(trusted_may_begin("lib"));
	assert_null(trusted_find("src/main.c"));
}

// A number for which nobody finds another text.
static void package(void **state)
{
	static const char text[] = "{\"scripts\":{\"a\":\"b\"},\"dependencies\":{\"c\":\"d\"}}",
			  same[] = "{ \"scripts\": {\"a\":\"b\"}, \"dependencies\":{} }",
			  kept[] = "0 0 0 0 0 1 7 0 scripts2 2 1 1 ab";
	unsigned char name[SHA256_BYTES];
	uint64_t wanted;
	(void)state;
	sha256(kept, strlen(kept), name);
	memcpy(&wanted, name, sizeof(wanted));
	assert_true(package_hash(text, strlen(text)) == wanted);
	assert_true(package_hash(same, strlen(same)) == wanted);
	assert_true(package_hash("{", 1) == 0);
}

// What counts in any directory, and where nobody looks.
static void below(void **state)
{
	static const struct {
		const char *path;
		bool below;
	} rows[] = {
		{ "/p/a/package.json", true },
		{ "/p/a/b/PACKAGE.json", true },
		{ "/p/a/Build.rs", true },
		{ "/p/a/own.csproj", true },
		{ "/p/a/eslint.config.mjs", true },
		{ "/p/a/.cargo", true },
		{ "/p/a/conftest.py", true },
		{ "/p/a/package.json.bak", false },
		{ "/p/a/Makefile", false },
		{ "/p/a/node_modules/x/package.json", false },
		{ "/p/a/lib/python3/site-packages/x/setup.py", false },
		{ "node_modules/x/package.json", false },
		{ "parts/package.json", true },
		{ "/p/vendor/bundle/ruby/x/Gemfile", false },
		{ "/p/a/.vscode", false }, // protected
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (trusted_is_below(rows[i].path) != rows[i].below)
			fail_msg("%s", rows[i].path);
		assert_true(!rows[i].below || trusted_keeps(rows[i].path));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stands_or_not), cmocka_unit_test(nothing_is_sure),
		cmocka_unit_test(components),    cmocka_unit_test(filter),
		cmocka_unit_test(below),         cmocka_unit_test(package)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
