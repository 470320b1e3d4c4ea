// Settings of agents: JSON with every other byte kept, the answers to hooks, the file handed back.
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "agent/agent_settings.h"
#include "agent/agents.h"
#include "base/base.h"
#include "text/json.h"

static struct json *parsed(struct arena *arena, const char *text)
{
	struct json *root = NULL;
	assert_int_equal(json_parse(arena, text, strlen(text), &root), 0);
	return root;
}

static void texts(void **state)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "{}", NULL },
		{ " [1, -2.5e3, true, false, null, \"\\u00e9\\ud83d\\ude00\"] ", NULL },
		{ "// c\n{\"a\": 1, /* d */ \"b\": [],}\n", NULL },
		{ "", "line 1: this is not JSON that sbx can read" },
		{ "{\"a\": 1\n\"b\": 2}", "line 2: this is not JSON that sbx can read" },
		{ "{a: 1}", "line 1: this is not JSON that sbx can read" },
		{ "{\"a\" 1}", "line 1: this is not JSON that sbx can read" },
		{ "\"a\nb\"", "line 1: this is not JSON that sbx can read" },
		{ "\"\\x\"", "line 1: this is not JSON that sbx can read" },
		{ "\"\\u12g4\"", "line 1: this is not JSON that sbx can read" },
		{ "\"a\\u0000b\"", "line 1: this is not JSON that sbx can read" },
		{ "\"a\\", "line 1: this is not JSON that sbx can read" },
		{ "{} x", "line 1: this is not JSON that sbx can read" },
		{ "{/* ", "line 1: this is not JSON that sbx can read" },
		{ "tru", "line 1: this is not JSON that sbx can read" },
		{ "[1-2]", "line 1: this is not JSON that sbx can read" },
		{ "[\n,]", "line 2: this is not JSON that sbx can read" },
		{ "[1,\n,2]", "line 2: this is not JSON that sbx can read" },
		{ "{\"a\": 1,,}", "line 1: this is not JSON that sbx can read" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct json *root;
		int result = json_parse(arena, rows[i].text, strlen(rows[i].text), &root);
		assert_string_equal(err_text(), rows[i].error ? rows[i].error : "");
		assert_int_equal(result, rows[i].error ? -1 : 0);
		err_taken();
	}
	char deep[3 * JSON_DEPTH_MAX];
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	struct json *root;
	assert_int_equal(json_parse(arena, deep, sizeof(deep) - 1, &root), -1);
	err_taken();
	arena_free(arena);
}

static void values(void **state)
{
	static const char *const path[] = { "a", "b", NULL };
	(void)state;
	struct arena *arena = arena_new();
	struct json *root = parsed(
		arena,
		"{\"a\": 1, \"a\": {\"b\": \"x\", \"\\u0062\": \"\\ud83d\\ude00\\n\\ud800\"}}");
	// As programs read it: the last of equal names, whatever way it is written.
	assert_string_equal(json_at(root, path)->string, "\xf0\x9f\x98\x80\n\xef\xbf\xbd");
	assert_null(json_member(root, "c"));
	assert_string_equal(json_quote(arena, "a\"b\\\n"), "\"a\\\"b\\\\\\n\"");
	arena_free(arena);
}

static void changes(void **state)
{
	static const char *const path[] = { "env", "P", NULL };
	static const struct {
		const char *before, *set, *appended;
	} rows[] = {
		{ "{}", "{\n  \"env\": {\"P\": 1}\n}", "{\n  \"env\": {\"P\": [1]}\n}" },
		{ "{\n  \"x\": 1\n}\n", "{\n  \"x\": 1,\n  \"env\": {\"P\": 1}\n}\n",
		  "{\n  \"x\": 1,\n  \"env\": {\"P\": [1]}\n}\n" },
		{ "{\"env\": {\"P\": [0]}}", "{\"env\": {\"P\": 1}}", "{\"env\": {\"P\": [0,1]}}" },
		{ "{\n\t\"env\": {\n\t\t\"A\": 2 // c\n\t}\n}",
		  "{\n\t\"env\": {\n\t\t\"A\": 2,\n\t\t\"P\": 1 // c\n\t}\n}",
		  "{\n\t\"env\": {\n\t\t\"A\": 2,\n\t\t\"P\": [1] // c\n\t}\n}" },
		{ "{\"env\": 3}", NULL, NULL },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct json *root = parsed(arena, rows[i].before);
		char *set = json_set(arena, rows[i].before, root, path, "1");
		char *appended = json_append(arena, rows[i].before, root, path, "1");
		if (!rows[i].set) {
			assert_null(set);
			assert_null(appended);
			continue;
		}
		assert_string_equal(set, rows[i].set);
		assert_string_equal(appended, rows[i].appended);
	}
	arena_free(arena);
}

// Settings as people write them, at random: blanks, comments, line ends, names that occur twice, a
// comma at the end. `gaps` are the places between two words.
struct settings_text {
	char text[8192];
	size_t used, gaps[512];
	unsigned gap_count, seed;
	const char *line;
};

static unsigned pick(struct settings_text *made, unsigned most)
{
	made->seed = made->seed * 1103515245U + 12345U;
	return (made->seed >> 16) % most;
}

static void put(struct settings_text *made, const char *text)
{
	memcpy(made->text + made->used, text, strlen(text) + 1);
	made->used += strlen(text);
}

static void put_gap(struct settings_text *made)
{
	static const char *const pieces[] = { " ", "  ", "\t", "/* a, } */", "/**/" };
	if (made->gap_count < 512)
		made->gaps[made->gap_count++] = made->used;
	for (unsigned count = pick(made, 3); count > 0; count--) {
		unsigned piece = pick(made, 8);
		if (piece == 5)
			put(made, "// it's \"x\": {");
		put(made, piece < 5 ? pieces[piece] : made->line);
	}
}

static void put_value(struct settings_text *made, unsigned depth)
{
	static const char *const names[] = { "\"env\"", "\"P\"", "\"a/*\"", "\"\\u0065nv\"" };
	static const char *const plain[] = { "1", "\"//\"", "null", "\"}\"" };
	unsigned kind = depth == 0 ? 0 : depth < 3 ? pick(made, 4) : 3;
	if (kind > 1) {
		put(made, plain[pick(made, 4)]);
		return;
	}
	unsigned count = pick(made, 4);
	put(made, kind == 0 ? "{" : "[");
	put_gap(made);
	for (unsigned i = 0; i < count; i++) {
		if (kind == 0) {
			put(made, names[pick(made, 4)]);
			put_gap(made);
			put(made, ":");
			put_gap(made);
		}
		put_value(made, depth + 1);
		put_gap(made);
		if (i + 1 < count || pick(made, 4) == 0) {
			put(made, ",");
			put_gap(made);
		}
	}
	put(made, kind == 0 ? "}" : "]");
}

static char *inserted(struct arena *arena, const char *text, size_t at, const char *what)
{
	return arena_text(arena, "%.*s%s%s", (int)at, text, what, text + at);
}

// What was set or appended, taken back: each byte is as before, also where a person has written
// meanwhile.
static void check_undo(struct arena *arena, struct settings_text *made, const char *with)
{
	static const char *const comments[] = { "/* mine */", " // mine\n", "\n", " \t" };
	size_t at = 0, grown = strlen(with) - made->used;
	while (with[at] == made->text[at])
		at++;
	for (unsigned i = 0; i <= made->gap_count; i++) {
		size_t gap = i == made->gap_count ? 0 : made->gaps[i];
		const char *mine = i == made->gap_count ? "" : comments[pick(made, 4)];
		// Where the two meet nobody knows whose it is.
		if (i < made->gap_count && gap + grown >= at && gap <= at)
			continue;
		char *wanted = inserted(arena, made->text, gap, mine),
		     *edited = inserted(arena, with, gap > at ? gap + grown : gap, mine),
		     *undone = json_revert(arena, made->text, with, edited);
		assert_non_null(undone);
		assert_string_equal(undone, wanted);
	}
}

// A part of sbx's own is gone, or stands twice: it cannot be told which is whose.
static void others_are_left(void **state)
{
	static const char before[] = "{\"a\": \"/usr/bin/x\", \"b\": \"/opt/\"}",
			  written[] = "{\"a\": \"/opt/x\", \"b\": \"/opt/\"}",
			  twice[] = "{\"a\": \"/opt/x\", \"c\": {\"a\": \"/opt/x\"}}";
	(void)state;
	struct arena *arena = arena_new();
	assert_string_equal(json_revert(arena, before, written, written), before);
	assert_null(json_revert(arena, before, written, before));
	assert_null(json_revert(arena, before, written, twice));
	assert_null(json_revert(arena, before, before, before));
	// A person wrote beside it: the comma between the two would stay.
	assert_null(json_revert(arena, "{}", "{\"o\": 1}", "{\"b\": \"}\", /* c */ \"o\": 1}"));
	assert_null(json_revert(arena, "{}", "{\"o\": 1}", "{\"o\": 1, \"b\": 2}"));
	assert_null(json_revert(arena, "{\"a\": []}", "{\"a\": [{\"o\": 1}]}",
				"{\"a\": [2, {\"o\": 1}]}"));
	assert_string_equal(json_revert(arena, "{\"o\": [1,]}", "{\"o\": 2}", "{\"o\": 2}"),
			    "{\"o\": [1,]}");
	assert_string_equal(json_revert(arena, "{}", "{\"o\": 1}", "{ // \"\n\"o\": 1}"),
			    "{ // \"\n}");
	arena_free(arena);
}

static void settings_come_back(void **state)
{
	static const char *const path[] = { "env", "P", NULL };
	struct settings_text made;
	unsigned checked = 0;
	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct arena *arena = arena_new();
		made = (struct settings_text){ .seed = round * 2654435761U };
		made.line = pick(&made, 3) ? "\n" : "\r\n";
		put(&made, pick(&made, 4) ? "" : "\xef\xbb\xbf");
		put_gap(&made);
		put_value(&made, 0);
		put_gap(&made);
		const struct json *root = parsed(arena, made.text), *old = json_at(root, path);
		char *set = json_set(arena, made.text, root, path, "\"ours\""),
		     *appended = json_append(arena, made.text, root, path, "{\"b\": []}");
		if (set && !old) {
			check_undo(arena, &made, set);
			checked++;
		}
		if (appended && old)
			check_undo(arena, &made, appended);
		arena_free(arena);
	}
	assert_true(checked > 1000);
}

static void cuts(void **state)
{
	static const struct {
		const char *before, *key, *after;
	} rows[] = {
		{ "{\"a\": 1}", "a", "{}" },
		{ "{\"a\": 1, \"b\": 2}", "a", "{\"b\": 2}" },
		{ "{\n  \"a\": 1,\n  \"b\": 2\n}", "b", "{\n  \"a\": 1\n}" },
		{ "{\"a\": 1, \"b\": {}, \"c\": 3}", "b", "{\"a\": 1, \"c\": 3}" },
		{ "{ // c\n\"a\": 1 /* d */, }", "a", "{ // c\n /* d */ }" },
		{ "{\"a\": 1 /* c */, // d\n\"b\": 2 // e\n}", "b",
		  "{\"a\": 1 /* c */ // d\n // e\n}" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct json *root = parsed(arena, rows[i].before);
		assert_string_equal(
			json_cut(arena, rows[i].before, root, json_member(root, rows[i].key)),
			rows[i].after);
	}
	arena_free(arena);
}

#define QUESTION(command)                                                                          \
	"{\"tool_name\": \"t\", \"tool_input\": {\"command\": " command ", \"x\": 1}}"

static const char *answer(struct arena *arena, const char *agent, const char *question, int wanted)
{
	const char *text = "";
	assert_int_equal(hook_answer(arena, agent_find(agent, false), "/opt/my sbx", question,
				     strlen(question), &text),
			 wanted);
	err_taken();
	return text;
}

static void hooks(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	const char *text = answer(arena, "gemini", QUESTION("\"it's; rm -rf /\""), 0);
	assert_non_null(
		strstr(text, "{\"command\": \"'/opt/my sbx' run -p gemini-shell --report agent -c "
			     "'it'\\\\''s; rm -rf /'\"}"));
	// No command: not a shell. No input, another type, no JSON: not let through.
	assert_null(answer(arena, "gemini", "{\"tool_input\": {\"path\": \"x\"}}", 0));
	answer(arena, "gemini", "{\"tool_name\": \"t\"}", -1);
	answer(arena, "gemini", QUESTION("[\"ls\"]"), -1);
	answer(arena, "gemini", QUESTION("\"a\\u0000b\""), -1);
	answer(arena, "gemini", "", -1);
	// What is wrapped already is wrapped again: only sbx's own answer is trusted to be one box.
	assert_non_null(strstr(
		answer(arena, "gemini",
		       QUESTION("\"'/opt/my sbx' run -p gemini-shell --report agent -c 'x'\""), 0),
		"\\\\''/opt/my sbx'"));
	arena_free(arena);
}

static void updates(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	// The rest of the input comes back as it was; only Codex wants a word of consent besides.
	assert_string_equal(
		answer(arena, "copilot", QUESTION("\"id\""), 0),
		"{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"updatedInput\": "
		"{\"command\": "
		"\"'/opt/my sbx' run -p copilot-shell --report agent -c 'id'\", \"x\": 1}}}\n");
	assert_string_equal(answer(arena, "codex", QUESTION("\"id\""), 0),
			    "{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", "
			    "\"permissionDecision\": \"allow\", "
			    "\"updatedInput\": {\"command\": \"'/opt/my sbx' run -p codex-shell "
			    "--report agent -c 'id'\", \"x\": 1}}}\n");
	// Of two commands the last one counts, and is the boxed one.
	assert_non_null(
		strstr(answer(arena, "codex",
			      "{\"tool_input\": {\"command\": \"a\", \"command\": \"b\"}}", 0),
		       "{\"command\": \"a\", \"command\": \"'/opt/my sbx' run -p codex-shell "
		       "--report agent -c 'b'\"}"));
	arena_free(arena);
}

static void trust(void **state)
{
#define RECORD "[hooks.state.\"/h/hooks.json:pre_tool_use:1:0\"]\n"
	static const struct {
		const char *text;
		enum hook_trust wanted;
	} rows[] = {
		{ "", HOOK_UNTRUSTED },
		{ RECORD "trusted_hash = \"sha256:00\"\n", HOOK_TRUSTED },
		{ "model = \"x\"\n\n  " RECORD "\ttrusted_hash=\"sha256:00\"", HOOK_TRUSTED },
		{ RECORD "trusted_hash = \"\"\n", HOOK_UNTRUSTED },
		{ RECORD "#trusted_hash = \"sha256:00\"\n", HOOK_UNTRUSTED },
		{ RECORD "[x]\ntrusted_hash = \"sha256:00\"\n", HOOK_UNTRUSTED },
		{ "[hooks.state.\"/h/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = "
		  "\"sha256:00\"\n",
		  HOOK_UNTRUSTED },
		{ "[hooks.state.\"/other/hooks.json:pre_tool_use:1:0\"]\ntrusted_hash = "
		  "\"sha256:00\"\n",
		  HOOK_UNTRUSTED },
		{ RECORD "trusted_hash = \"sha256:00\"\nenabled = false\n", HOOK_OFF },
		{ RECORD "trusted_hash = \"sha256:00\"\n[features]\nhooks = false # no\n",
		  HOOK_OFF },
		{ "features.hooks=false\n" RECORD "trusted_hash = \"sha256:00\"\n", HOOK_OFF },
		{ "[\n]\n[]\n=\n" RECORD "trusted_hash = \"sha256:00\"\n[features]\nhooks = true\n",
		  HOOK_TRUSTED },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(trust_of(arena, rows[i].text, "/h/hooks.json", 1, 0),
				 rows[i].wanted);
	arena_free(arena);
}

static void refusals(void **state)
{
	static const struct {
		const char *command;
		int passes;
	} rows[] = {
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c 'ls; id'", 1 },
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c 'it'\\\\''s'", 1 },
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c ''", 1 },
		{ "ls", 0 },
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c 'ls'; id", 0 },
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c 'ls' --network host", 0 },
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c 'ls'\\nid", 0 },
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c 'ls'\\\\$(id)", 0 },
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c 'ls", 0 },
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c ls", 0 },
		{ "'/opt/my sbx' run -p qwen-shell --report agent -c ", 0 },
		{ "'/opt/my sbx' run -p open-read --report agent -c 'ls'", 0 },
		{ "id; '/opt/my sbx' run -p qwen-shell --report agent -c 'ls'", 0 },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char question[256];
		snprintf(question, sizeof(question), QUESTION("\"%s\""), rows[i].command);
		const char *text = answer(arena, "qwen", question, 0);
		if (rows[i].passes)
			assert_null(text);
		else
			assert_non_null(strstr(text, "\"permissionDecision\": \"deny\""));
	}
	arena_free(arena);
}

static void handed_back(void **state)
{
	static const struct {
		const char *string, *path;
	} rows[] = {
		{ "eval 'ls' < /dev/null && pwd -P >| /tmp/claude-f28f-cwd",
		  "/tmp/claude-f28f-cwd" },
		{ "x && pwd -P >| /tmp/claude-1-cwd && pwd -P >| /tmp/claude-22ff-cwd",
		  "/tmp/claude-22ff-cwd" },
		{ "x && pwd -P >| /tmp/claude-1-cwd; id", NULL },
		{ "x && pwd -P >| /tmp/../etc/claude-1-cwd", NULL },
		{ "x && pwd -P >| /home/me/.bashrc", NULL },
		{ "x && pwd -P >| claude-1-cwd", NULL },
		{ "x && pwd -P >| /tmp/claude-$(id)-cwd", NULL },
		{ "x && pwd -P >| /tmp/claude-cwd", NULL },
		{ "ls", NULL },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *path = handback_path(arena, rows[i].string);
		assert_string_equal(path ? path : "none", rows[i].path ? rows[i].path : "none");
	}
	arena_free(arena);
}

static void markers(void **state)
{
	char longer[] = "CLAUDECODES=1", inside[] = "X=CLAUDECODE=1", home[] = "HOME=/",
	     marker[] = "CLAUDECODE=1";
	char *none[] = { longer, inside, NULL }, *one[] = { home, marker, NULL };
	(void)state;
	assert_null(agent_of_environment(none));
	assert_string_equal(agent_of_environment(one)->name, "claude-code");
	assert_null(agent_find("claude", false));
	assert_non_null(strstr(err_text(), "claude-code"));
	err_taken();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),           cmocka_unit_test(values),
		cmocka_unit_test(changes),         cmocka_unit_test(settings_come_back),
		cmocka_unit_test(others_are_left), cmocka_unit_test(cuts),
		cmocka_unit_test(hooks),           cmocka_unit_test(updates),
		cmocka_unit_test(trust),           cmocka_unit_test(refusals),
		cmocka_unit_test(handed_back),     cmocka_unit_test(markers),
	};
	return cmocka_run_group_tests_name("agents", tests, NULL, NULL);
}
