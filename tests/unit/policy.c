// keys, values, ini, argv, merge: text -> profile.
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "policy/find.h"
#include "policy/keys.h"
#include "text/words.h"

static void sizes_and_times(void **state)
{
	uint64_t value = 0;
	(void)state;
	assert_true(units_size("512M", &value));
	assert_int_equal(value, 512ULL << 20);
	assert_true(units_size("7", &value));
	assert_int_equal(value, 7);
	assert_true(units_size("unlimited", &value));
	assert_true(value == UNLIMITED);
	static const char *const halves[] = { "512m", "512MB", "512mib", "0.5g", "0.5GiB" };
	for (size_t i = 0; i < sizeof(halves) / sizeof(*halves); i++) {
		assert_true(units_size(halves[i], &value));
		assert_int_equal(value, 512ULL << 20);
	}
	assert_true(units_size("7b", &value) && value == 7);
	static const char *const no_sizes[] = {
		"7ib",     "1gg", "1bb", "0.5", "0.5b", ".5g", "1.g",
		"1.2345g", "1 g", "",    "g",   "b",    "1i",  "99999999999999999999g"
	};
	for (size_t i = 0; i < sizeof(no_sizes) / sizeof(*no_sizes); i++)
		assert_false(units_size(no_sizes[i], &value));
	assert_false(units_size("M", &value));
	assert_false(units_size("16777216T", &value)); // 2^64
	assert_true(units_time("250ms", &value));
	assert_int_equal(value, 250);
	assert_true(units_time("2h", &value));
	assert_int_equal(value, 7200000);
	assert_true(units_time("5", &value) && value == 5000);
	assert_true(units_time("1.5s", &value) && value == 1500);
	assert_true(units_time("0.5h", &value) && value == 1800000);
	assert_false(units_time("5M", &value)); // no month
	assert_false(units_time("0.5ms", &value));
	assert_false(units_time("s", &value));
}

// The table itself: nothing twice, every row complete.
static void table_is_sound(void **state)
{
	(void)state;
	for (unsigned i = 0; i < key_count; i++) {
		assert_non_null(keys[i].help);
		assert_true(keys[i].section || keys[i].flag);
		assert_true(keys[i].kind == KEY_LIST || // what an item begins with
			    (keys[i].kind == KEY_WORD || keys[i].form == FORM_LANGUAGE) ==
				    (keys[i].words != NULL));
		assert_true((keys[i].kind == KEY_SWITCH) == (keys[i].value == NULL));
		for (unsigned j = 0; j < i; j++) {
			assert_false(keys[i].flag && keys[j].flag &&
				     (keys[i].verbs & keys[j].verbs) &&
				     str_equal(keys[i].flag, keys[j].flag));
			assert_false(keys[i].letter && (keys[i].verbs & keys[j].verbs) &&
				     keys[i].letter == keys[j].letter);
			assert_false(keys[i].section && keys[j].section &&
				     str_equal(keys[i].section, keys[j].section) &&
				     str_equal(keys[i].name, keys[j].name));
			assert_false(keys[i].section && keys[j].section &&
				     keys[i].offset == keys[j].offset);
		}
	}
}

// Words of other tools: none twice, none that is an option here, and what is advised exists.
static void foreign_words_are_sound(void **state)
{
	static const struct {
		const char *words, *answer;
	} rows[] = {
#define OPTION(words, answer) { words, answer },
#define OF(verbs, words, answer)
#define SAME(words, flag)   { words, " --" flag },
#define VERB(words, answer) { words, answer },
#define PROFILE(words, answer)
#define ACTION(words, answer)
#include "policy/foreign.def"
#undef OPTION
#undef OF
#undef SAME
#undef VERB
#undef ACTION
#undef PROFILE
	};
	const size_t count = sizeof(rows) / sizeof(*rows);
	char all[16384] = " ", word[80], flag[64];
	(void)state;
	for (size_t i = 0; i < count; i++)
		for (const char *at = rows[i].words; *at; at += strspn(at, " ")) {
			int length = (int)strcspn(at, " ");
			snprintf(word, sizeof(word), " %.*s ", length, at);
			assert_null(strstr(all, word));
			assert_true(strlen(all) + sizeof(word) < sizeof(all));
			strcat(all, word + 1);
			assert_false(at[0] == '-' && at[1] == '-' &&
				     key_find_flag(VERB_RUN, at + 2, (size_t)length - 2));
			assert_false(at[0] == '-' && length == 2 &&
				     key_find_letter(VERB_RUN, at[1]));
			at += length;
		}
	for (size_t i = 0; i < count; i++)
		for (const char *at = strstr(rows[i].answer, " --"); at;
		     at = strstr(at + 1, " --")) {
			size_t length = strspn(at + 3, "abcdefghijklmnopqrstuvwxyz-");
			snprintf(flag, sizeof(flag), "%.*s", (int)length, at + 3);
			assert_true(length == 0 || str_equal(flag, "as-root") ||
				    key_find_flag(VERB_RUN, flag, length));
		}
}

static int read_text(struct arena *arena, const char *text, struct ini_rows *rows)
{
	err_taken();
	return ini_read(arena, "t.ini", text, strlen(text), rows);
}

static void ini_lines(void **state)
{
	struct arena *arena = arena_new();
	struct ini_rows rows;
	char longest[400];
	(void)state;
	assert_int_equal(read_text(arena, "; c\n[a]\nx = 1 ; c\n\n  2\ny=\n[b]\nz = a=b", &rows),
			 0);
	assert_int_equal(rows.count, 4);
	assert_int_equal(ini_at(&rows, 0).line, 3);
	assert_string_equal(ini_at(&rows, 0).value, "1");
	assert_string_equal(ini_at(&rows, 1).name, "x"); // an indented line repeats the key
	assert_string_equal(ini_at(&rows, 1).value, "2");
	assert_string_equal(ini_at(&rows, 2).value, "");
	assert_int_equal(ini_at(&rows, 3).line, 8);
	assert_string_equal(ini_at(&rows, 3).value, "a=b");
	assert_int_equal(read_text(arena, "[a\n", &rows), -1);
	assert_string_equal(err_text(), "t.ini:1: expected [section], name = value or ; comment");
	// libinih 55 would split this line and read its tail as a key
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "[a]\n;", 5);
	strcpy(longest + 200, "\nallow = *\n");
	assert_int_equal(read_text(arena, longest, &rows), 0);
	longest[200] = 'x';
	assert_int_equal(read_text(arena, longest, &rows), -1);
	assert_string_equal(err_text(), "t.ini:2: line is longer than 198 bytes");
	arena_free(arena);
}

static int take_words(struct arena *arena, const char *const *words, struct invocation *invocation,
		      struct arguments *arguments)
{
	err_taken();
	memset(invocation, 0, sizeof(*invocation));
	size_t count = 0;
	while (words[count])
		count++;
	char **copies = arena_take(arena, (count + 1) * sizeof(*copies));
	for (size_t i = 0; i < count; i++)
		copies[i] = arena_copy(arena, words[i], strlen(words[i]));
	return argv_read(arena, VERB_RUN, copies, invocation, arguments);
}

static void words(void **state)
{
	struct arena *arena = arena_new();
	struct invocation invocation;
	struct arguments arguments;
	const char *const plain[] = { "--network=host", "-p", "x", "-py", "--read", "-", "ls",
				      "--network",      NULL };
	const char *const dashes[] = { "--", "--network", NULL };
	const char *const single[] = { "-", NULL };
	const char *const missing[] = { "--read", NULL };
	const char *const joined[] = { "-hcSTRING", NULL };
	const char *const other_verb[] = { "--changed", NULL };
	(void)state;
	assert_int_equal(take_words(arena, plain, &invocation, &arguments), 0);
	assert_int_equal(arguments.count, 2);
	assert_string_equal(arguments.set[0].value, "host");
	assert_string_equal(arguments.set[1].value, "-");
	assert_string_equal(invocation.profiles.first->text, "x");
	assert_string_equal(invocation.profiles.last->text, "y");
	assert_string_equal(arguments.rest[0], "ls");
	assert_int_equal(take_words(arena, dashes, &invocation, &arguments), 0);
	assert_string_equal(arguments.rest[0], "--network");
	assert_int_equal(take_words(arena, single, &invocation, &arguments), 0);
	assert_string_equal(arguments.rest[0], "-");
	assert_int_equal(take_words(arena, missing, &invocation, &arguments), -1);
	assert_string_equal(err_text(), "--read needs a value: --read PATH");
	assert_int_equal(take_words(arena, joined, &invocation, &arguments), 0);
	assert_string_equal(invocation.shell_string, "STRING");
	assert_int_equal(take_words(arena, other_verb, &invocation, &arguments), -1);
	arena_free(arena);
}

// Absent means deny: an empty profile grants nothing.
static void empty_profile_denies(void **state)
{
	struct arena *arena = arena_new();
	struct profile profile = { 0 };
	struct list names = { 0 };
	char path[] = "/tmp/sbx-unit-XXXXXX";
	(void)state;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	list_add(&names, arena, path, (struct origin){ .file = "test" });
	err_taken();
	assert_int_equal(merge_profiles(arena, NULL, &names, &profile), 0);
	assert_int_equal(profile.project, PROJECT_NONE);
	assert_int_equal(profile.network, NETWORK_NONE);
	assert_null(profile.read.first);
	assert_null(profile.syscalls_allow.first);
	unlink(path);
	close(fd);
	arena_free(arena);
}

static void layers(void **state)
{
	struct arena *arena = arena_new();
	struct profile profile = { 0 };
	struct list none = { 0 };
	(void)state;
	err_taken();
	assert_int_equal(merge_profiles(arena, NULL, &none, &profile), 0);
	assert_int_equal(profile.project, PROJECT_WRITE);
	assert_int_equal(profile.network, NETWORK_PROXY);
	assert_int_equal(profile.limits.core, 0);
	assert_true(profile.limits.time == UNLIMITED);
	struct argument set = { key_find("network", "mode"), "host" };
	struct arguments arguments = { .set = &set, .count = 1 };
	assert_int_equal(merge_arguments(arena, &arguments, &profile), 0);
	assert_int_equal(profile.network, NETWORK_HOST);
	arena_free(arena);
}

static void wish(struct arena *arena, struct proposals *wishes, const char *path)
{
	propose_path(arena, wishes, "read", path, "/home/u", "/home/u/p", NULL);
}

static void proposals(void **state)
{
	static struct proposals wishes;
	struct arena *arena = arena_new();
	(void)state;
	// What no line can hold.
	wish(arena, &wishes, "/home/u/a\n[network]");
	wish(arena, &wishes, "/home/u/a ;b");
	wish(arena, &wishes, "/home/u/a ");
	char longer[300];
	memset(longer, 'x', sizeof(longer));
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	wish(arena, &wishes, longer);
	assert_int_equal(wishes.count, 0);
	// Three of a directory are the directory, but never the home or the project.
	wish(arena, &wishes, "/home/u/1");
	wish(arena, &wishes, "/home/u/2");
	wish(arena, &wishes, "/home/u/3");
	wish(arena, &wishes, "/home/u/p/1");
	wish(arena, &wishes, "/home/u/p/2");
	wish(arena, &wishes, "/home/u/p/3");
	assert_int_equal(wishes.count, 6);
	wish(arena, &wishes, "/home/u/d/1");
	wish(arena, &wishes, "/home/u/d/2");
	assert_int_equal(wishes.count, 8);
	wish(arena, &wishes, "/home/u/d/3");
	wish(arena, &wishes, "/home/u/d/4");
	assert_int_equal(wishes.count, 7);
	assert_string_equal(wishes.all[6].value, "?~/d");
	assert_string_equal(wishes.all[3].value, "./1");
	propose_host(arena, &wishes, "github.com:443", NULL);
	propose_host(arena, &wishes, "api.github.com:443", NULL);
	assert_int_equal(wishes.count, 8);
	assert_string_equal(wishes.all[7].value, "@github");
	propose_host(arena, &wishes, "github.com:8443", NULL); // the group does not open it
	assert_string_equal(wishes.all[8].value, "github.com:8443");
	wishes.count = 0;
	propose_path(arena, &wishes, "read", "/home/u/.ssh/id", "/home/u", NULL, "a secret");
	wish(arena, &wishes, "/home/u/n");
	propose_host(arena, &wishes, "10.0.0.1:80", "a private address");
	propose_host(arena, &wishes, "a.example:80", NULL);
	assert_string_equal(propose_text(arena,
					 "[files]\nread = ?~/n\n; mine\n\n[limits]\ntime = 1s\n",
					 "", &wishes),
			    "[files]\nread = ?~/n\n; mine\n; a secret, take it in only if you mean "
			    "it: read = ?~/.ssh/id\n"
			    "\n[limits]\ntime = 1s\n\n[network]\n; a private address, take it in "
			    "only if you mean it: allow = 10.0.0.1:80\nallow = a.example:80\n");
	arena_free(arena);
}

// PATH[:size=SIZE][,mode=MODE]; a colon without '=' behind it is the path's.
static void tmpfs_words(void **state)
{
	static const struct {
		const char *text;
		bool good;
		size_t path;
		uint64_t size;
		unsigned mode;
	} rows[] = {
		{ "/data", true, 5, 0, 0 },
		{ "/data:size=1G", true, 5, 1 << 30, 0 },
		{ "/data:mode=0700", true, 5, 0, 0700 },
		{ "/data:mode=1777,size=64K", true, 5, 65536, 01777 },
		{ "/a:b", true, 4, 0, 0 },
		{ "/a:b:size=1", true, 4, 1, 0 },
		{ "/a=b", true, 4, 0, 0 },
		{ "/a:b=c", false, 0, 0, 0 },
		{ "/a:size=", false, 0, 0, 0 },
		{ "/a:size=0", false, 0, 0, 0 },
		{ "/a:size=unlimited", false, 0, 0, 0 },
		{ "/a:size=1,size=2", false, 0, 0, 0 },
		{ "/a:mode=0", false, 0, 0, 0 },
		{ "/a:mode=4755", false, 0, 0, 0 },
		{ "/a:mode=8", false, 0, 0, 0 },
		{ "/a:mode=07777777777777", false, 0, 0, 0 },
		{ "/a:size=1,", false, 0, 0, 0 },
		{ "/a:,size=1", false, 0, 0, 0 },
		{ "/a:size=1,exec=1", false, 0, 0, 0 },
		{ "/a:size=00000000000000000000000000000001", false, 0, 0, 0 },
		{ ":size=1", false, 0, 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tmpfs_words words;
		assert_int_equal(tmpfs_parse(rows[i].text, &words), rows[i].good);
		if (!rows[i].good)
			continue;
		assert_int_equal(words.path, rows[i].path);
		assert_int_equal(words.size, rows[i].size);
		assert_int_equal(words.mode, rows[i].mode);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_and_times),
		cmocka_unit_test(table_is_sound),
		cmocka_unit_test(foreign_words_are_sound),
		cmocka_unit_test(ini_lines),
		cmocka_unit_test(words),
		cmocka_unit_test(empty_profile_denies),
		cmocka_unit_test(layers),
		cmocka_unit_test(proposals),
		cmocka_unit_test(tmpfs_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
