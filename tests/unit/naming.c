// Names of files in texts: what a hook, .envrc or a command of git's names in a tree.
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "names/names.h"

static char tree[] = "/tmp/sbx-naming-XXXXXX", seen[8192];

static void put(int root, const char *name)
{
	int fd = openat(root, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	close(fd);
}

static struct mentions open_tree(struct arena *arena)
{
	return (struct mentions){ .root = open(tree, O_PATH | O_DIRECTORY | O_CLOEXEC),
				  .path = tree,
				  .home = tree,
				  .arena = arena };
}

static void compare(struct mentions *mentions, const char *text, const char *wanted)
{
	seen[0] = '\0';
	list_each (item, &mentions->files)
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s%s",
			 seen[0] ? " " : "", item->text + strlen(mentions->path) + 1);
	if (strcmp(seen, wanted) != 0)
		fail_msg("%s: %s, wanted %s", text, seen, wanted);
	close(mentions->root);
}

static int make_tree(void **state)
{
	static const char *const directories[] = { "tools", "tools/hooks", "bin",
						   "docs",  ".git",        ".vscode" };
	static const char *const files[] = { "make",      "conf.py",     "tools/x.sh",
					     "tools/lib", "bin/tool",    "docs/x.sh",
					     ".git/HEAD", "\xc3\xa9.sh", "tools/a b.sh" };
	(void)state;
	assert_non_null(mkdtemp(tree));
	int root = open(tree, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		assert_int_equal(mkdirat(root, directories[i], 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		put(root, files[i]);
	assert_int_equal(symlinkat("/etc", root, "out"), 0);
	close(root);
	return 0;
}

static int remove_tree(void **state)
{
	char command[64];
	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", tree);
	return system(command) == 0 ? 0 : -1;
}

static void words(void **state)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {
		{ "./tools/x.sh\n", "tools/x.sh" },
		{ "sh tools/x.sh tools/x.sh", "tools/x.sh" },
		{ "make build", "make" },
		{ "source \xc3\xa9.sh; python3 -m conf.py", "\xc3\xa9.sh conf.py" },
		{ "cat </etc/passwd >/dev/null; rm -f x.o; ls https://h.org/tools/x.sh", "" },
		{ "cat .git/HEAD out/passwd ../x / docs tools/", "" },
		{ "cd tools && ./x.sh; D=tools; \"$D/x.sh\"; $PWD/tools/x.sh", "" },
		{ "exec ~/tools/x.sh; \"$HOME\"/tools/lib; x=${HOME}/make",
		  "tools/x.sh tools/lib make" },
		{ "exec ~root/tools/x.sh $HOMES/make; ./tools/none", "" },
		{ "", "" },
		{ "\"tools/a b.sh\"", "" }, // no names with blanks
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mentions mentions = open_tree(arena);
		mentions_text(&mentions, tree, rows[i].text, strlen(rows[i].text));
		compare(&mentions, rows[i].text, rows[i].wanted);
	}
	struct mentions mentions = open_tree(arena);
	const char *whole = arena_text(arena, "exec %s/tools/x.sh", tree);
	mentions_text(&mentions, tree, whole, strlen(whole));
	compare(&mentions, whole, "tools/x.sh");
	mentions = open_tree(arena);
	mentions_text(&mentions, arena_text(arena, "%s/tools", tree), "../docs/x.sh lib", 16);
	compare(&mentions, "from another directory", "docs/x.sh tools/lib");
	arena_free(arena);
}

static void git(void **state)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {
		// git-credential-conf.py on PATH
		{ "[credential]\nhelper = conf.py\n[core]\neditor = conf.py -n\n", "" },
		{ "[alias]\nx = !./tools/x.sh\n[core]\nfsmonitor = tools/lib\n",
		  "tools/x.sh tools/lib" },
		{ "[user]\nname = ./tools/x.sh\n[remote \"o\"]\nurl = ./tools/x.sh\n", "" },
		{ "[filter \"a\"]\nclean = sh tools/lib conf.py\n", "tools/lib conf.py" },
		{ "[alias]\nx = \"", "" },
		{ "[gitflow \"path\"]\nhooks = tools/lib\n", "tools/lib" },
		{ "[submodule \"a\"]UPDATE=!./tools/x.sh\n", "tools/x.sh" },
		{ "[ALIAS]x = !sh tools/lib\n", "tools/lib" },
		{ "[core]\nfsmonitor = ~/tools/lib\n", "tools/lib" },
		{ "[core]\nfsmonitor = tools/none\npager = less none\n", "tools/none" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mentions mentions = open_tree(arena);
		mentions_git(&mentions, tree, rows[i].text, strlen(rows[i].text));
		compare(&mentions, rows[i].text, rows[i].wanted);
	}
	arena_free(arena);
}

static void hooks(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct mentions mentions = open_tree(arena);
	const char *directory = arena_text(arena, "%s/tools/hooks", tree);
	int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	put(fd, "pre-commit");
	put(fd, "x.sample");
	int file = openat(fd, "pre-commit", O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(file, "exec ./docs/x.sh\n", 17), 17);
	int sample = openat(fd, "x.sample", O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(sample, "./bin/tool\n", 11), 11);
	mentions_hooks(&mentions, tree, directory);
	compare(&mentions, "hooks", "docs/x.sh");
	close(fd);
	close(file);
	close(sample);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(words), cmocka_unit_test(git),
					    cmocka_unit_test(hooks) };
	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
