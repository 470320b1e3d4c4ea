// str, path, out, arena: the bottom of the tree.
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "names/names.h"
#include "report/findings.h"
#include "text/sha.h"

static void matches(void **state)
{
	(void)state;
	assert_true(str_match("GH_TOKEN", "*TOKEN*"));
	assert_true(str_match("TOKEN", "*TOKEN*"));
	assert_true(str_match("AWS_X", "AWS_*"));
	assert_true(str_match("", "*"));
	assert_true(str_match("MONGO_MY_URI", "MONGO*_URI"));
	assert_true(str_match("aXbXb", "*Xb"));
	assert_true(str_match("abc", "a*b*c"));
	assert_false(str_match("AWS", "AWS_*"));
	assert_false(str_match("XGH_TOKEN", "GH_*"));
	assert_false(str_match("abcd", "a*c"));
	assert_false(str_match("", "a"));
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(str_distance("read", "read", 3), 0);
	assert_int_equal(str_distance("raed", "read", 3), 2);
	assert_int_equal(str_distance("", "abc", 3), 3);
	assert_int_equal(str_distance("network", "xyz", 3), 4);
}

static void numbers(void **state)
{
	unsigned long long number = 7;
	(void)state;
	assert_true(str_number("0", 1, 0, 9, &number));
	assert_int_equal(number, 0);
	assert_true(str_number("18446744073709551615", 20, 0, ~0ULL, &number));
	assert_false(str_number("18446744073709551616", 20, 0, ~0ULL, &number));
	assert_false(str_number("", 0, 0, 9, &number));
	assert_false(str_number("-1", 2, 0, 9, &number)); // rule 23: `-u 1` that ran as 0
	assert_false(str_number("1 ", 2, 0, 9, &number));
	assert_false(str_number("+1", 2, 0, 9, &number));
	assert_false(str_number("0x1", 3, 0, 9, &number));
	assert_false(str_number("10", 2, 0, 9, &number));
}

static void paths(void **state)
{
	struct arena *arena = arena_new();
	(void)state;
	assert_string_equal(path_clean(arena, "/"), "/");
	assert_string_equal(path_clean(arena, "//a/./b/../c//"), "/a/c");
	assert_string_equal(path_clean(arena, "/../.."), "/");
	assert_string_equal(path_clean(arena, "/a/..b/..."), "/a/..b/...");
	assert_string_equal(path_join(arena, "/a", "b"), "/a/b");
	assert_string_equal(path_join(arena, "/", "b"), "/b");
	assert_string_equal(path_join(arena, "/a", "/b"), "/b");
	assert_string_equal(path_join(arena, "/a/b", "../../../c"), "/c");
	assert_string_equal(path_below(arena, "/", "b"), "/b");
	assert_string_equal(path_below(arena, "/a", "b"), "/a/b");
	assert_string_equal(path_below(arena, "a", "b"), "a/b"); // not as below "/"
	assert_string_equal(path_parent(arena, "/a/b"), "/a");
	assert_string_equal(path_parent(arena, "/a"), "/");
	assert_true(path_within("/a/b", "/a"));
	assert_true(path_within("/a", "/a"));
	assert_true(path_within("/a", "/"));
	assert_false(path_within("/ab", "/a"));
	assert_false(path_within("/", "/a"));
	arena_free(arena);
}

static void links(void **state)
{
	static const struct {
		const char *path, *text, *place; // NULL: not by the text alone
	} rows[] = {
		{ "/p/a/link", "x", "/p/a/x" },
		{ "/p/a/link", "./x//y/.", "/p/a/x/y" },
		{ "/p/a/link", "../x", "/p/x" },
		{ "/p/a/link", "../../x", "/x" },
		{ "/p/a/link", "../../../../x", "/x" },
		{ "/p/a/link", "..", "/p" },
		{ "/p/a/link", "../..", "/" },
		{ "/p/a/link", "/", "/" },
		{ "/p/a/link", "//etc/./x", "/etc/x" },
		{ "/p/a/link", "x/../y", NULL },
		{ "/p/a/link", "/etc/../x", NULL },
		{ "/p/a/link", "/..", NULL },
		{ "/p/a/link", "...", "/p/a/..." },
		{ "/link", "x", "/x" },
		{ "/link", "../x", "/x" },
		{ "/p/a/link", ".", "/p/a" },
	};
	char place[32];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool known = path_of_link(rows[i].path, rows[i].text, place, sizeof(place));
		if (known != (rows[i].place != NULL) ||
		    (known && strcmp(place, rows[i].place) != 0))
			fail_msg("%s -> %s: %s", rows[i].path, rows[i].text,
				 known ? place : "unknown");
	}
	assert_true(path_of_link("/a/b/c", "0123456789012345678901234", place, sizeof(place)));
	assert_false(path_of_link("/a/b/c", "012345678901234567890123456", place, sizeof(place)));
}

// What is kept for a path is found by the whole of it.
static void kept_names(void **state)
{
	static const char *const paths[] = {
		"/a/b",  "/a=b",  "/a%3db", "/a%b",  "/a%2fb", "/a/=b",
		"/a=/b", "/a/b=", "/a//b",  "/=a/b", "none",   "=none"
	};
	enum { PATHS = sizeof(paths) / sizeof(*paths), LENGTHS = 600 };
	const char *names[PATHS + 2 * LENGTHS];
	char path[LENGTHS + 3], more[LENGTHS + 2];
	unsigned count = 0;
	(void)state;
	struct arena *arena = arena_new();
	for (unsigned i = 0; i < PATHS; i++)
		names[count++] = path_kept(arena, "/s", "k", paths[i]);
	// Long ones differ at each place, and none is a directory of another's.
	for (unsigned i = 1; i <= LENGTHS; i += i % 200 < 190 && i % 200 > 10 ? 30 : 1) {
		memset(path, 'x', i);
		memset(more, i % 2 ? '+' : '=', i);
		path[i] = more[i] = '\0';
		names[count++] = path_kept(arena, "/s", "k", path);
		names[count++] = path_kept(arena, "/s", "k", more);
	}
	// What begins in the next directory does not lead back out of it.
	memset(path, 'x', LENGTHS);
	for (unsigned i = 1; i < LENGTHS; i++) {
		memcpy(path + i, "..", sizeof(".."));
		const char *name = path_kept(arena, "/s", "k", path);
		assert_string_equal(path_clean(arena, name), name);
		path[i] = path[i + 1] = 'x';
	}
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < count; j++)
			assert_true(i == j || !path_within(names[i], names[j]));
		for (const char *at = names[i]; at; at = strchr(at + 1, '/'))
			assert_true(strcspn(at + 1, "/") <= 255);
	}
	assert_string_equal(names[0], "/s/k/=a=b");
	// And back.
	static const char *const known[] = {
		"/a/b", "/a=b", "/a%3db", "/a%25/.x", "/.a", "/a+/b+"
	};
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const char *name = path_kept(arena, "", "k", known[i]) + strlen("/k/");
		assert_string_equal(path_of_kept(arena, name), known[i]);
	}
	for (unsigned i = 1; i < LENGTHS; i++) {
		memset(path, i % 3 ? '+' : '/', i);
		path[0] = '/';
		path[i] = '\0';
		const char *name = path_kept(arena, "", "k", path) + strlen("/k/");
		assert_string_equal(path_of_kept(arena, name), path);
		for (const char *slash = strchr(name, '/'); slash; slash = strchr(name, '/')) {
			const char *part = arena_copy(arena, name, (size_t)(slash - name));
			assert_true(path_kept_is_part(part));
			name = slash + 1;
		}
		assert_false(path_kept_is_part(name));
	}
	assert_null(path_of_kept(arena, "none"));
	assert_null(path_of_kept(arena, "project-0123456789abcdef"));
	arena_free(arena);
}

static void json(void **state)
{
	struct out out = { 0 };
	(void)state;
	json_open(&out, NULL, '{');
	json_string(&out, "a\"b", "\x01\n\\ \xff\xc3\xa9\xc0\xaf");
	json_number(&out, "n", 18446744073709551615ULL);
	json_string(&out, "u", "\xed\xa0\x80\xe0\x80\xf4\x90\xf0\x8f|\xed\x9f\xbf\xf4\x8f\xbf\xbf");
	json_open(&out, "l", '[');
	json_flag(&out, NULL, true);
	json_close(&out, ']');
	json_close(&out, '}');
	assert_string_equal(out.text,
			    "{\"a\\\"b\":\"\\u0001\\n\\\\ \\ufffd\xc3\xa9\\ufffd\\ufffd\","
			    "\"n\":18446744073709551615,\"u\":"
			    "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"
			    "\\ufffd|\xed\x9f\xbf\xf4\x8f\xbf\xbf\",\"l\":[true]}");
	out_free(&out);
}

static void what_acts_on_a_terminal(void **state)
{
	static const struct {
		const char *bytes, *seen;
	} rows[] = {
		{ "plain\tand\n", "plain\tand\n" },
		{ "dos\r\n", "dos\r\n" },
		{ "over\rwritten\r", "over^Mwritten^M" },
		{ "\033[2J\177", "^[[2J^?" },
		{ "\u00e9\u2013\U0001f600", "\u00e9\u2013\U0001f600" },
		{ "\xc2\x9b"
		  "2J\xc2\xa0",
		  "<U+009B>2J\xc2\xa0" },
		{ "if\u202e\u2066x\u2069", "if<U+202E><U+2066>x<U+2069>" },
		{ "\u061c\u2028\u2029\u202f\u3000\u2065\u206a",
		  "<U+061C><U+2028><U+2029>\u202f\u3000<U+2065><U+206A>" },
		{ "a\u200b\u200e\u2060\ufeff\u00ad\u180e\u206f\ufff9b",
		  "a<U+200B><U+200E><U+2060><U+FEFF><U+00AD><U+180E><U+206F><U+FFF9>b" },
		{ "\U000e0001\U000e0100\ufe0f\u034f\u115f\u1160\u3164\uffa0\u2800",
		  "<U+E0001><U+E0100><U+FE0F><U+034F><U+115F><U+1160><U+3164><U+FFA0><U+2800>" },
		{ "\xc2", "\xc2" },
		{ "\xe2\x80", "\xe2<80>" },
		{ "\x9b"
		  "2J\xe9t\xe9\u00db",
		  "<9B>2J\xe9t\xe9\u00db" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct out out = { 0 };
		out_visible(&out, rows[i].bytes, strlen(rows[i].bytes));
		out_text(&out, "%s", "");
		assert_string_equal(out.text, rows[i].seen);
		out_free(&out);
		if (!strpbrk(rows[i].bytes, "\t\n\r"))
			assert_int_equal(str_visible(rows[i].bytes),
					 strcmp(rows[i].bytes, rows[i].seen) == 0);
	}
	struct out out = { 0 };
	out_visible(&out, "a\0b", 3);
	json_string(&out, NULL, "\xc2\x9b\u202e\u200b\U000e0001\x9b");
	assert_string_equal(out.text, "a^@b\"\\u009b\\u202e\\u200b\\udb40\\udc01\\ufffd\"");
	assert_true(str_printable("\u200b"));
	assert_false(str_printable("\u202e"));
	out_free(&out);
	int ends[2];
	char got[32] = "";
	assert_int_equal(pipe(ends), 0);
	out_text(&out, "a\033b");
	out_flush(&out, ends[1]);
	out_text(&out, "a\033b");
	out_write(&out, ends[1]);
	assert_int_equal(read(ends[0], got, sizeof(got)), 7);
	assert_string_equal(got, "a^[ba\033b");
	close(ends[0]);
	close(ends[1]);
}

// A hostile tree makes many: of a kind some are shown, and none is cut in the middle.
static void findings_of_a_kind(void **state)
{
	struct findings found = { 0 };
	struct reported finding;
	struct out out = { 0 };
	char path[64];
	unsigned lines = 0, records = 0;
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		snprintf(path, sizeof(path), "d%u", i);
		findings_add(&found, FINDING_REPOSITORY_MADE, path, "", "");
	}
	findings_add(&found, FINDING_MOVED, ".envrc", "appeared", "1-2");
	findings_add(&found, FINDING_BROKEN_REPOSITORY, ".git", "", "");
	assert_int_equal(findings_count(&found), 3002);
	for (size_t at = 0; findings_next(&found, &at, &finding);)
		records++;
	assert_int_equal(records, FINDING_RECORDS_MAX + 2);
	findings_text(&found, READER_PERSON, &out);
	assert_true(out.used < 2048);
	for (const char *at = out.text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 2 + 8 + 1);
	assert_int_equal(strncmp(out.text, "sbx: .git is not", 16), 0);
	assert_non_null(strstr(out.text, "if you made it: sbx quarantine restore 1-2\n"));
	assert_non_null(strstr(out.text, "sbx: d7: a repository that was made during this run, "
					 "by the box or by you\n"
					 "sbx: and 2992 more such lines\n"));
	out_free(&out);
	findings_json(&found, &out);
	assert_non_null(strstr(out.text, "\"path\":\"d99\"}"));
	assert_null(strstr(out.text, "\"path\":\"d100\"}"));
	assert_non_null(strstr(out.text, "\"kind\":\"moved\",\"severity\":\"danger\",\"count\":1,"
					 "\"path\":\".envrc\",\"detail\":\"appeared\","
					 "\"fix\":\"sbx quarantine restore 1-2\"}"));
	assert_non_null(strstr(out.text, "{\"kind\":\"repository-made\",\"severity\":\"notice\","
					 "\"count\":2900}"));
	out_free(&out);
	findings_free(&found);
}

// Names that act on a terminal, are no UTF-8, or look like words of the table.
static void findings_of_hostile_names(void **state)
{
	struct findings found = { 0 };
	struct out out = { 0 };
	(void)state;
	findings_add(&found, FINDING_CHANGED, "a\033[2Jb\nsbx: all is well\377%p%l", "", "");
	findings_add(&found, FINDING_CHANGED, "b", "", "");
	assert_true(findings_has(&found, FINDING_CHANGED, "a\033[2Jb\nsbx: all is well\377%p%l"));
	assert_false(findings_has(&found, FINDING_MOVED, "b"));
	findings_text(&found, READER_PERSON, &out);
	assert_string_equal(out.text, "sbx: changed, and your own programs will run it: "
				      "a^[[2Jb^Jsbx: all is well<FF>%p%l, b\n");
	out_free(&out);
	findings_text(&found, READER_AGENT, &out);
	assert_int_equal(out.used, 0);
	findings_json(&found, &out);
	assert_non_null(strstr(out.text, "\"a^[[2Jb^Jsbx: all is well<FF>%p%l\""));
	out_free(&out);
	findings_free(&found);
	// Long ones: not all of them have room.
	char path[4000] = "";
	memset(path, 'x', sizeof(path) - 1);
	for (unsigned i = 0; i < 200; i++)
		findings_add(&found, FINDING_SYMLINK, path, path, "");
	assert_true(found.records.used < FINDING_BYTES_MAX + 2 * sizeof(path) + 8);
	findings_free(&found);
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		assert_true(finding_rows[kind].word && finding_rows[kind].words);
}

static void a_path_is_never_cut(void **state)
{
	(void)state;
	char path[8] = "before";
	assert_true(str_put(path, sizeof(path), "%s/%s", "abc", "def"));
	assert_string_equal(path, "abc/def");
	assert_false(str_put(path, sizeof(path), "%s/%s", "abcd", "def"));
	assert_string_equal(path, "");
}

static int failing(int errnum)
{
	return fail(errnum, "inner");
}

static int forgiving(void)
{
	FORGIVING;
	return failing(0);
}

static void tolerated_failures_leave_nothing(void **state)
{
	(void)state;
	assert_int_equal(ATTEMPT(failing(0)), -1);
	assert_string_equal(err_text(), "");
	assert_int_equal(forgiving(), -1);
	assert_string_equal(err_text(), "");
	fail(ENOENT, "before");
	assert_int_equal(ATTEMPT(failing(0)), -1);
	assert_int_equal(forgiving(), -1);
	assert_string_equal(err_text(), "before: No such file or directory");
	assert_false(err_forgive(EPERM));
	assert_false(err_tolerated(false));
	assert_true(err_is_recorded());
	assert_true(err_forgive(ENOENT));
	assert_string_equal(err_text(), "");
	failing(0);
	assert_true(err_tolerated(true));
	assert_string_equal(err_text(), "");
	failing(0);
	assert_string_equal(err_taken(), "inner");
	assert_string_equal(err_text(), "");
	assert_int_equal(err_number(), 0);
}

static void first_failure_wins(void **state)
{
	(void)state;
	err_taken();
	assert_int_equal(fail(2, "first %d", 1), -1);
	fail(0, "second");
	assert_string_equal(err_text(), "first 1: No such file or directory");
	assert_int_equal(err_number(), 2);
	err_taken();
	fail(0, "'%s'", "a\033[2J\nb\x9b\u202e\u00e9");
	assert_string_equal(err_text(), "'a^[[2J^Jb<9B><U+202E>\u00e9'");
	err_taken();
}

static void arena_grows_aligned(void **state)
{
	struct arena *arena = arena_new();
	(void)state;
	for (size_t size = 1; size < 2000; size++) {
		char *memory = arena_take(arena, size);
		assert_int_equal((uintptr_t)memory % 16, 0);
		assert_int_equal(memory[0] | memory[size - 1], 0);
		memset(memory, 1, size);
	}
	assert_string_equal(arena_text(arena, "%s-%d", "x", 5), "x-5");
	arena_free(arena);
}

static void given_profiles_are_kept(void **state)
{
	char directory[] = "/tmp/sbx-given.XXXXXX", path[64], line[400];
	struct arena *arena = arena_new();
	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_string_equal(given_read(arena, directory), "");
	assert_int_equal(given_add(directory, "/usr/a\n/etc\n/usr/a\n"), 0);
	assert_int_equal(given_add(directory, "/usr\n/etc\n"), 0);
	const char *given = given_read(arena, directory);
	assert_string_equal(given, "/usr/a\n/etc\n/usr\n");
	assert_true(given_has(given, "/etc"));
	assert_true(given_has(given, "/usr"));
	assert_false(given_has(given, "/us"));
	assert_false(given_has(given, "/usr/"));
	assert_false(given_has(given, "sr/a"));
	// Many that are gone: forgotten when there is no room, and not before.
	for (int i = 0; i < 1000; i++) {
		snprintf(line, sizeof(line),
			 "/nowhere/a/profile/with/a/name/that/is/rather/long/%d\n", i);
		assert_int_equal(given_add(directory, line), 0);
		if (i == 100)
			assert_true(given_has(given_read(arena, directory), "/usr/a"));
	}
	given = given_read(arena, directory);
	assert_true(given_has(given, "/etc"));
	assert_true(given_has(given, "/usr"));
	assert_false(given_has(given, "/usr/a"));
	// Of those that are there none is forgotten.
	int added = 0;
	for (size_t slashes = 1; slashes < 300 && added == 0;
	     slashes++) { // one directory by many names
		strcpy(line, "/etc");
		memset(line + strlen(line), '/', slashes);
		strcpy(line + strlen("/etc") + slashes, "\n");
		added = given_add(directory, line);
	}
	assert_int_equal(added, -1);
	err_taken();
	assert_true(given_has(given_read(arena, directory), "/etc"));
	assert_true(given_has(given_read(arena, directory), "/usr"));
	snprintf(path, sizeof(path), "%s/given", directory);
	unlink(path);
	// Runs that end at once lose nothing of each other's.
	for (int run = 0; run < 8; run++)
		if (fork() == 0) {
			for (int i = 0; i < 25; i++) {
				snprintf(line, sizeof(line), "/run/%d/%d\n", run, i);
				given_add(directory, line);
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	given = given_read(arena, directory);
	for (int i = 0; i < 8 * 25; i++) {
		snprintf(line, sizeof(line), "/run/%d/%d", i / 25, i % 25);
		assert_true(given_has(given, line));
	}
	unlink(path);
	rmdir(directory);
	arena_free(arena);
}

// The examples of FIPS 180-4, and texts that end around a block.
static void hashes(void **state)
{
	static const struct {
		const char *text;
		unsigned char one[4], two[4]; // how the names begin
	} rows[] = {
		{ "", { 0xda, 0x39, 0xa3, 0xee }, { 0xe3, 0xb0, 0xc4, 0x42 } },
		{ "abc", { 0xa9, 0x99, 0x3e, 0x36 }, { 0xba, 0x78, 0x16, 0xbf } },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  { 0x84, 0x98, 0x3e, 0x44 },
		  { 0x24, 0x8d, 0x6a, 0x61 } },
	};
	unsigned char one[SHA1_BYTES], two[SHA256_BYTES], text[1000];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sha1(rows[i].text, strlen(rows[i].text), one);
		sha256(rows[i].text, strlen(rows[i].text), two);
		assert_memory_equal(one, rows[i].one, 4);
		assert_memory_equal(two, rows[i].two, 4);
	}
	memset(text, 'a', sizeof(text));
	sha1(text, sizeof(text), one);
	sha256(text, sizeof(text), two);
	assert_memory_equal(one, ((unsigned char[]){ 0x29, 0x1e, 0x9a, 0x6c }), 4);
	assert_memory_equal(two, ((unsigned char[]){ 0x41, 0xed, 0xec, 0xe4 }), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes),
		cmocka_unit_test(matches),
		cmocka_unit_test(distances),
		cmocka_unit_test(numbers),
		cmocka_unit_test(paths),
		cmocka_unit_test(links),
		cmocka_unit_test(kept_names),
		cmocka_unit_test(json),
		cmocka_unit_test(first_failure_wins),
		cmocka_unit_test(a_path_is_never_cut),
		cmocka_unit_test(tolerated_failures_leave_nothing),
		cmocka_unit_test(findings_of_a_kind),
		cmocka_unit_test(findings_of_hostile_names),
		cmocka_unit_test(arena_grows_aligned),
		cmocka_unit_test(what_acts_on_a_terminal),
		cmocka_unit_test(given_profiles_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
