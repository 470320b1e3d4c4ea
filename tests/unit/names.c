// What a name means in a place, and what of it stands there.
#include "test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/names.h"
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

static void places(void **state)
{
	struct plan plan = { .arena = arena_new() };
	enum act below;
	char path[4096];
	struct stat status;
	(void)state;
	assert_non_null(mkdtemp(directory));
	make(".VSCode");
	make(".config");
	make("plain");
	const struct place *top = place_add(&plan, PLACE_TABLE, directory, "");
	assert_int_equal(top->count, 2); // those that count, in order
	assert_string_equal(top->before[0].name, ".VSCode");
	assert_null(place_had(top, "plain"));
	assert_non_null(place_had(top, ".config"));
	assert_int_equal(stat(directory, &status), 0);
	assert_int_equal(top->inode, status.st_ino);
	assert_false(place_is_settled(&status)); // another name in the same tick leaves no trace
	status.st_ctim = times_of(times_now() - 1000000000);
	status.st_ctim.tv_nsec = 1;
	assert_true(place_is_settled(&status));
	status.st_ctim.tv_nsec = 0;
	assert_false(place_is_settled(&status)); // FAT
	status.st_ctim.tv_sec -= 2;
	assert_true(place_is_settled(&status));
	assert_int_equal(top->changed.tv_sec, 0);
	assert_int_equal(place_act(top, ".vscode", &below), ACT_QUARANTINE);
	assert_int_equal(place_act(top, "Makefile", &below), ACT_REPORT);
	assert_int_equal(place_act(top, ".Config", &below), ACT_NONE);
	assert_int_equal(below, ACT_QUARANTINE);
	assert_int_equal(place_act(top, "plain", &below), ACT_NONE);
	assert_int_equal(below, ACT_NONE);
	// A name by its path belongs to the deepest place around it; one of none makes a place.
	snprintf(path, sizeof(path), "%s/.config/deep/x", directory);
	assert_int_equal(place_name(&plan, arena_copy(plan.arena, path, strlen(path)), ACT_REPORT),
			 0);
	assert_string_equal(plan.places[0].names.first->text, ".config/deep/x");
	assert_int_equal(place_name(&plan, "/nonexistent/x", ACT_QUARANTINE), 0);
	assert_string_equal(plan.places[1].path, "/");
	assert_string_equal(plan.places[1].names.first->text, "nonexistent/x");
	usleep(50000);
	snprintf(path, sizeof(path), "%s/.config", directory);
	const struct place *deeper = place_add(&plan, PLACE_TABLE, path, ".config/");
	assert_int_not_equal(deeper->changed.tv_sec, 0);
	assert_int_equal(place_act(deeper, "mise.x.TOML", &below), ACT_QUARANTINE);
	assert_int_equal(place_act(deeper, ".vscode", &below), ACT_NONE);
	arena_free(plan.arena);
	snprintf(path, sizeof(path), "rm -r %s", directory);
	assert_int_equal(system(path), 0);
}

static void parts_of_git(void **state)
{
	static const struct {
		enum place_role role;
		const char *name;
		enum act act;
	} rows[] = {
		{ PLACE_GIT, "hooks", ACT_HOOKS },
		{ PLACE_GIT, "commondir", ACT_QUARANTINE },
		{ PLACE_GIT, "gitdir", ACT_NONE },
		{ PLACE_WORKTREE, "gitdir", ACT_QUARANTINE },
		{ PLACE_GIT, "modules", ACT_MODULES },
		{ PLACE_GIT, "Worktrees", ACT_WORKTREES },
		{ PLACE_GIT, "rebase-merge", ACT_REPORT },
		{ PLACE_GIT, "remotes", ACT_ADDRESSES },
		{ PLACE_GIT, "objects", ACT_NONE },
		{ PLACE_GIT, "x.lock", ACT_NONE },
		{ PLACE_WORKTREE, "hooks", ACT_NONE },
		{ PLACE_HOOKS, "a.sample", ACT_NONE },
		{ PLACE_HOOKS, "pre-commit", ACT_QUARANTINE },
		{ PLACE_MODULES, "hooks", ACT_NONE },
	};
	enum act below;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct place place = { .role = rows[i].role, .above = "" };
		if (place_act(&place, rows[i].name, &below) != rows[i].act || below != ACT_NONE)
			fail_msg("%s", rows[i].name);
	}
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
	for (unsigned i = 0; i < trusted_first[TRUSTED_TELL + 1]; i++) {
		snprintf(name, sizeof(name), "%s", trusted_name(&trusted_rows[i]));
		may_begin(name);
		for (char *at = name; *at; at++)
			*at = *at == '*' || *at == '?' ? 'x' : *at;
		if (!trusted_may_begin(name) || !trusted_find(name) ||
		    (trusted_rows[i].answer == TRUSTED_WALL && !trusted_is_protected(name)))
			fail_msg("%s", name);
	}
	assert_false(trusted_may_begin("lib"));
	assert_null(trusted_find("src/main.c"));
}

// A number for which nobody finds another text.
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
		{ ".next/package.json", false },
		{ "/p/apps/web/.svelte-kit/output/package.json", false },
		{ "/p/a.next/package.json", true },
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(places),
					    cmocka_unit_test(parts_of_git),
					    cmocka_unit_test(components), cmocka_unit_test(filter),
					    cmocka_unit_test(below) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
