// Names of files in settings, in whichever way a program that reads them would take them.
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/mentions.h"
#include "names/naming.h"
#include "names/trusted.h"

static char seen[8192];

static void see(struct mentions *mentions, const char *name, enum mention kind)
{
	size_t used = strlen(seen);
	(void)mentions;
	snprintf(seen + used, sizeof(seen) - used, "%s%s\n", name,
		 kind == MENTION_PROGRAMS ? "/*" : "");
}

// Whether that text, in the file of that name, names `wanted`.
static bool names(const char *file, const char *text, size_t length, const char *wanted)
{
	struct mentions mentions = { .found = see };
	char copy[4096], line[256];
	const struct naming_row *settings = NULL;
	for (unsigned i = 0; i < naming_count && !settings; i++)
		settings = naming_is(&naming_rows[i], file) ? &naming_rows[i] : NULL;
	if (!settings)
		fail_msg("%s has no row", file);
	memcpy(copy, text, length);
	copy[length] = '\0';
	strcpy(seen, "\n");
	naming_read(&mentions, settings, copy, length);
	snprintf(line, sizeof(line), "\n%s\n", wanted);
	return strstr(seen, line) != NULL;
}

struct row {
	const char *file, *text, *wanted;
	bool not;
};

static void check(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (names(rows[i].file, rows[i].text, strlen(rows[i].text), rows[i].wanted) ==
		    rows[i].not)
			fail_msg("%s: %s: %s in%s", rows[i].file, rows[i].text, rows[i].wanted,
				 seen);
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof(*(rows)))

// Each way to write JSON that one of its readers takes.
static void json(void **state)
{
	static const char *const files[] = {
		".vscode/settings.json",
		".vscode/tasks.json",
		".vscode/launch.json",
		"own.code-workspace",
		".zed/settings.json",
		".zed/tasks.json",
		".codex/hooks.json",
		"conductor.json",
		".mcp.json",
		".devcontainer/one/devcontainer.json",
		".github/hooks/a.json",
		".cursor/environment.json",
		"lefthook.json",
		"x.sublime-project",
	};
	static const char *const texts[] = {
		"{\n  \"command\": \"./tools/x.sh\"\n}\n",
		"{\"a\":1,\"b\":{\"c\":[{}, {\"command\":\"./tools/x.sh\"}]}}", // minified
		"{\"a\":true,\"\\u0063ommand\":\".\\u002ftools\\/x.sh\"}",      // escapes
		"\xef\xbb\xbf{\"a\":[],\"command\":\"./tools/x.sh\"}",
		"{\r\n\"a\": 1, \"command\": \"./tools/x.sh\"\r\n}\r\n",
		"// c\n{\"a\": 1, /* d */ \"command\": \"./tools/x.sh\",}",
		"{\"command\": \"./tools/x.sh\", \"command\": \"true\"}", // twice
		"{\"command\": \"true\", \"command\": \"./tools/x.sh\"}",
		"{\"args\": [\"-c\", \"cd /; ./tools/x.sh\"], \"command\": \"sh\"}",
		"{command: './tools/x.sh', a: 1}",                // JSON5
		"{\"a\" 1 \"command\": \".\\/tools\\u002Fx.sh\"", // of no form at all
		"{\"a\": \"\\u0000\", \"command\": \".\\/tools/x.sh\"}",
		"\"./tools/x.sh\"",
		"[[\"./tools/x.sh\"]]",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		for (size_t j = 0; j < sizeof(texts) / sizeof(*texts); j++)
			if (!names(files[i], texts[j], strlen(texts[j]), "./tools/x.sh"))
				fail_msg("%s: %s: %s", files[i], texts[j], seen);
	static const struct row rows[] = {
		{ ".vscode/launch.json", "{\"program\":\"${workspaceFolder}/tools/x.sh\"}",
		  "/tools/x.sh", false },
		{ ".vscode/settings.json", "{\"python.defaultInterpreterPath\":\"bin dir/py\"}",
		  "bin dir/py", false },
		{ ".mcp.json", "{\"env\":{\"PATH\":\"bin\"}}", "bin/*", false },
		{ ".mcp.json", "{\"env\":{\"PATH\":[\"bin\",\"lib\"]}}", "lib/*", false },
		{ ".mcp.json", "{\"args\":[\"build\"],\"command\":\"bash\"}", "build", false },
		{ ".vscode/settings.json", "{\"python.analysis.extraPaths\":[\"src\"]}", "src/*",
		  true },
		{ "opencode.json", "{\"lsp\":{\"./own/server\":{}}}", "./own/server", false },
	};
	CHECK(rows);
}

// Deeper than is read as JSON.
static void deep(void **state)
{
	enum { LEVELS = 300 };
	static const char value[] = "{\"command\":\"./tools/x.sh\"}";
	char text[2 * LEVELS + sizeof(value)];
	(void)state;
	memset(text, '[', LEVELS);
	memcpy(text + LEVELS, value, sizeof(value) - 1);
	memset(text + LEVELS + sizeof(value) - 1, ']', LEVELS);
	assert_true(names(".mcp.json", text, sizeof(text) - 1, "./tools/x.sh"));
	assert_false(names(".mcp.json", "", 0, ""));
}

static void scripts(void **state)
{
	static const struct row rows[] = {
		{ "package.json",
		  "{\"scripts\":{\"test\":\"node b.js\",\"install\":\"node a.js\"}}", "a.js",
		  false },
		{ "package.json",
		  "{\"scripts\":{\"test\":\"node b.js\",\"install\":\"node a.js\"}}", "b.js",
		  true },
		{ "package.json", "\xef\xbb\xbf{\"scripts\":{\"\\u0069nstall\":\"node a.js\"}}",
		  "a.js", false },
		{ "package.json", "{\"x\":\"\\u0000\",\"scripts\":{\"install\":\"node a.js\"}}",
		  "a.js", false },
		{ "package.json", "{\"scripts\":1,\"scripts\":{\"prepare\":\"node a.js\"}}", "a.js",
		  false },
		{ "package.json", "{\"lint-staged\":{\"*.c\":[\"node tools/a.js\"]}}", "tools/a.js",
		  false },
		{ "package.json", "{\"husky\":{\"hooks\":{\"pre-commit\":\"tools/a\"}}}", "tools/a",
		  false },
		{ "package.json", "{\"main\":\"lib/main.js\"}", "lib/main.js", true },
	};
	(void)state;
	CHECK(rows);
}

static void lines(void **state)
{
	static const struct row rows[] = {
		{ "lefthook.yml", "a: {b: {run: ./x.sh}}\n", "./x.sh", false },
		{ "lefthook.yaml", "{\"a\":{\"b\":{\"r\\u0075n\":\".\\/x.sh\"}}}", "./x.sh",
		  false },
		{ "lefthook.yml", "jobs:\n  - run: |\n      true\n\n      ./x.sh\n    glob: a.c\n",
		  "./x.sh", false },
		{ "lefthook.yml", "jobs:\n  - run: |\n      ./x.sh\n    glob: a.c\n", "a.c", true },
		{ "lefthook.yml", "\xef\xbb\xbfrun: >-\r\n  ./x.sh\r\n", "./x.sh", false },
		{ "lefthook.yml", "run:\n- ./x.sh\nfiles: b.c\n", "./x.sh", false },
		{ "lefthook.yml", "run:\n- ./x.sh\nfiles: b.c\n", "b.c", true },
		{ "lefthook.yml", "# run: ./x.sh\n", "./x.sh", true },
		{ ".pre-commit-config.yaml", "repos: [{hooks: [{id: a, entry: tools/x.sh}]}]",
		  "tools/x.sh", false },
		{ ".aider.conf.yml", "lint-cmd:\n  - \"python: ./x.py\"\n", "./x.py", false },
		{ ".exrc", "silent! source ./x.vim\n", "./x.vim", false },
		{ ".nvim.lua", "local x = vim.cmd.source(\"./x.vim\")\n", "./x.vim", false },
		{ ".helix/languages.toml", "a = { command = \".\\u002Fx.sh\" }\n", "./x.sh",
		  false },
		{ ".dir-locals.el", "((nil . ((eval . (load-file \"./x\\x2e\\145l\")))))", "./x.el",
		  false },
		{ ".dir-locals-2.el", "((c-mode (flycheck-checker-executable . \"my tools/x\")))",
		  "my tools/x", false },
	};
	(void)state;
	CHECK(rows);
}

static void included(void **state)
{
	static const struct row rows[] = {
		{ "Makefile", "include a.mk\n", "a.mk", false },
		{ "makefile", "  -include a.mk b/c.mk # d\n", "b/c.mk", false },
		{ "GNUmakefile", "sinclude a.mk \\\r\n\tb.mk\n", "b.mk", false },
		{ "Makefile", "ifdef X\n include $(TOP)/mk/a.mk\nendif\n", "/mk/a.mk", false },
		{ "Makefile", "include mk/*.mk\n", "mk//*", false },
		{ "Makefile", "load ./plugin.so\n", "./plugin.so", false },
		{ "Makefile", "all:\n\tcc -I include a.c\n", "a.c", true },
		{ "Makefile", "# include a.mk\n", "a.mk", true },
		{ "justfile", "import 'a/b.just'\n", "a/b.just", false },
		{ "Justfile", "import? \"c d/b.just\"\n", "c d/b.just", false },
		{ ".justfile", "mod tools\n", "tools/mod.just", false },
		{ "justfile", "mod? tools 'x/y'\n", "x/y", false },
		{ "justfile", "mod tools\n", "tools.just", false },
		{ "justfile", "build:\n  ./x.sh\n", "./x.sh", true },
		{ "Taskfile.yml", "includes:\n  docs: ./docs\n", "./docs/Taskfile.yml", false },
		{ "taskfile.yaml", "includes: {d: {taskfile: ./d/T.yml}}", "./d/T.yml", false },
		{ "Taskfile.dist.yml", "includes:\n  d:\n    taskfile: d\n", "d/Taskfile.yaml",
		  false },
		{ "Taskfile.yml", "version: '3'\ndotenv: ['.own']\n", ".own", false },
		{ "Taskfile.yml", "tasks:\n  a:\n    cmds: [./x.sh]\n", "./x.sh", true },
	};
	(void)state;
	CHECK(rows);
}

// Each row has a name of its own, which is in the table of trusted names, and reads nothing behind
// the end of a text.
static void rows(void **state)
{
	(void)state;
	for (unsigned i = 0; i < naming_count; i++) {
		const struct naming_row *row = &naming_rows[i];
		struct mentions mentions = { .found = see };
		char *text = malloc(sizeof("include \\")), name[64];
		snprintf(name, sizeof(name), "%s", row->name);
		for (char *at = name; *at; at++)
			*at = *at == '*' || *at == '?' ? 'm' : *at;
		assert_true(naming_is(row, name));
		if (!trusted_find(name))
			fail_msg("%s is not in profiles/names.txt", name);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(row->name, naming_rows[j].name);
		assert_true(row->keys
				    ? row->keys[0] == ' ' && row->keys[strlen(row->keys) - 1] == ' '
				    : row->form != NAMING_LINES && row->form != NAMING_YAML);
		for (size_t length = 0; length < sizeof("include \\"); length++) {
			memcpy(text, "include \\", length);
			text[length] = '\0';
			seen[0] = '\0';
			naming_read(&mentions, row, text, length);
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(json),     cmocka_unit_test(deep),
					    cmocka_unit_test(scripts),  cmocka_unit_test(lines),
					    cmocka_unit_test(included), cmocka_unit_test(rows) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
