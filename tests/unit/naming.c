// Names of files in texts: what a text of settings, a hook or a command names in a tree.
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "names/trusted.h"

static char tree[] = "/tmp/sbx-naming-XXXXXX", seen[8192];

static void see(struct mentions *mentions, const char *path, bool programs)
{
	size_t used = strlen(seen);
	snprintf(seen + used, sizeof(seen) - used, "%s%s%s", used ? " " : "",
		 path + strlen(mentions->path) + 1, programs ? "/" : "");
}

static void put(int root, const char *name)
{
	int fd = openat(root, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	close(fd);
}

static struct mentions open_tree(struct arena *arena)
{
	seen[0] = '\0';
	return (struct mentions){ .root = open(tree, O_PATH | O_DIRECTORY | O_CLOEXEC),
				  .path = tree,
				  .arena = arena,
				  .found = see };
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
		enum mentions_how how;
		const char *beside;
	} rows[] = {
		{ "./tools/x.sh\n", "tools/x.sh", 0, NULL },
		{ "{\"command\":\"${workspaceFolder}/tools/x.sh\"}", "tools/x.sh", 0, NULL },
		{ "sh tools/x.sh tools/x.sh", "tools/x.sh", 0, NULL },
		{ "make build", "", 0, NULL }, // a program on PATH
		{ "python3 conf.py", "conf.py", 0, NULL },
		{ "source \xc3\xa9.sh", "\xc3\xa9.sh", 0, NULL },
		{ "cat </etc/passwd >/dev/null; rm -f x.o; ls https://h.org/tools/x.sh", "", 0,
		  NULL },
		// from a directory that the text names, too
		{ "cd \"$(git rev-parse --show-toplevel)/tools\" && ./x.sh", "x.sh tools/x.sh", 0,
		  NULL },
		{ "env -C tools ./x.sh", "x.sh tools/x.sh", 0, NULL },
		{ "for d in tools docs; do (cd $d && sh x.sh); done", "tools/x.sh docs/x.sh", 0,
		  NULL },
		{ "D=\"$(cd \"$(dirname \"$0\")/../../tools\" && pwd)\"; \"$D/x.sh\"", "tools/x.sh",
		  0, ".git/hooks" },
		{ ". \"$(dirname \"$0\")/../x.sh\"", "tools/x.sh", 0, "tools/hooks" },
		// what is not there yet, where a path says so
		{ "source_env_if_exists ./own.rc || . tools/own.rc || . no/own.rc || own.rc",
		  "own.rc tools/own.rc no/own.rc", 0, NULL },
		{ "cat .git/HEAD out/passwd ../x /", "out/passwd", 0, NULL },
		// lists of directories of programs
		{ "PATH_add bin\n", "bin/", 0, NULL },
		{ "_.path = [\"./bin\"]\ndocs", "bin/", 0, NULL },
		{ "for f in tools/*; do $f; done", "tools/", 0, NULL },
		{ "bin", "", 0, NULL },
		{ "bin:/usr/bin", "bin/", MENTIONS_LIST, NULL },
		// a command of git's
		{ "conf.py --x tools/x.sh", "tools/x.sh", MENTIONS_COMMAND, NULL },
		{ "!conf.py", "", MENTIONS_COMMAND, NULL },
		{ "!python3 conf.py", "conf.py", MENTIONS_COMMAND, NULL },
		{ "!cd tools && ./x.sh", "x.sh tools/x.sh", MENTIONS_COMMAND, NULL },
		// a variable
		{ "/tools/x.sh", "", MENTIONS_VARIABLE, NULL },
		{ "--require ./tools/x.sh", "tools/x.sh", MENTIONS_VARIABLE, NULL },
		{ "make", "", MENTIONS_VARIABLE, NULL },
		{ "make", "make", MENTIONS_ANY, NULL },
		{ "", "", 0, NULL },
		{ "\"tools/a b.sh\"", "tools/a", 0, NULL }, // no names with blanks
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mentions mentions = open_tree(arena);
		size_t length = strlen(rows[i].text);
		char *text = arena_copy(arena, rows[i].text, length);
		const char *beside =
			rows[i].beside ? arena_text(arena, "%s/%s", tree, rows[i].beside) : NULL;
		mentions_text(&mentions, tree, beside, text, length, rows[i].how);
		if (strcmp(seen, rows[i].wanted) != 0)
			fail_msg("%s: %s, wanted %s", rows[i].text, seen, rows[i].wanted);
		assert_false(mentions.cut);
		close(mentions.root);
	}
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
		{ "[core]\nattributesFile = own.attributes\n", "own.attributes" },
		{ "[filter \"a\"]\nclean = sh tools/lib\n", "tools/lib .gitattributes" },
		{ "[alias]\nx = \"", "" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mentions mentions = open_tree(arena);
		mentions_git(&mentions, tree, rows[i].text, strlen(rows[i].text));
		if (strcmp(seen, rows[i].wanted) != 0)
			fail_msg("%s: %s", rows[i].text, seen);
		close(mentions.root);
	}
	arena_free(arena);
}

static void environment(void **state)
{
	static const struct {
		const char *variable, *wanted;
	} rows[] = {
		{ "BASH_ENV=make", "make" },
		{ "GIT_CONFIG_GLOBAL=conf.py", "conf.py" },
		{ "npm_config_userconfig=./conf.py", "conf.py" },
		{ "npm_package_json=./conf.py", "" },
		{ "PATH=bin", "" },
		{ "PERL5LIB=bin", "bin/" },
		{ "TERM=make", "" },
		{ "HOME=/tools", "" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mentions mentions = open_tree(arena);
		char *variable = arena_copy(arena, rows[i].variable, strlen(rows[i].variable));
		mentions_environment(&mentions, (char *[]){ variable, NULL });
		if (strcmp(seen, rows[i].wanted) != 0)
			fail_msg("%s: %s", rows[i].variable, seen);
		close(mentions.root);
	}
	arena_free(arena);
}

// Files of a directory that is full of others are found, and as many words as are read; more are
// known to be there.
static void bounds(void **state)
{
	enum { FILES = 3000, WORDS = 300 };
	char name[64], text[WORDS * 16], *to = text;
	(void)state;
	struct arena *arena = arena_new();
	struct mentions mentions = open_tree(arena);
	int docs = openat(mentions.root, "docs", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "many-%d", i);
		put(docs, name);
	}
	put(docs, "zz.sh");
	close(docs);
	mentions_text(&mentions, tree, NULL, strcpy(text, "cd docs && sh zz.sh"), 19, 0);
	assert_string_equal(seen, "docs/zz.sh");
	seen[0] = '\0';
	to = stpcpy(to, "tools/x.sh");
	for (int i = 0; i < WORDS; i++)
		to += snprintf(to, 16, " w%d.", i);
	mentions_text(&mentions, tree, NULL, text, (size_t)(to - text), 0);
	assert_string_equal(seen, "tools/x.sh");
	assert_true(mentions.cut);
	close(mentions.root);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(words), cmocka_unit_test(git),
					    cmocka_unit_test(environment),
					    cmocka_unit_test(bounds) };
	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
