// The files of a session, and which names in a project are kept from an apply.
#include "test.h"

#include <string.h>

#include "base/base.h"
#include "names/names.h"
#include "session/apply/apply.h"
#include "session/compare/changes.h"
#include "session/store/store.h"

static const char *with_sum(struct arena *arena, const char *text)
{
	return arena_text(arena, "%ssum %016llx\n", text, (unsigned long long)str_hash(text));
}

#define HEAD "sbx-session 1\nproject /p 1 2\ntimes 5 5 6\nroot own /tmp\nroot host /p\n"

static void states(void **state)
{
	static const struct {
		const char *text, *why; // NULL: it is read
	} rows[] = {
		{ HEAD "layer 00000001 -\ntop 00000001 -\n", NULL },
		{ HEAD "layer 00000001 -\nlayer 00000002 00000001\ntop 00000002 s1\nsnapshot s1 "
		       "00000001 7 - make%20all\n",
		  NULL },
		{ "sbx-session 1\nproject /p 1 2\ntimes 5 5 6\nroot none /p\n", "line 4" },
		{ HEAD "layer 00000001 00000002\ntop 00000001 -\n",
		  "line 6" }, // a parent that is not there yet
		{ HEAD "layer 00000001 00000001\ntop 00000001 -\n", "line 6" },
		{ HEAD "layer 00000001 -\nlayer 00000001 -\ntop 00000001 -\n", "line 7" },
		{ HEAD "layer ../../.. -\ntop 00000001 -\n", "line 6" },
		{ HEAD "layer 0000000G -\ntop 0000000G -\n", "line 6" },
		{ HEAD "layer 00000001 -\n", "missing" },
		{ HEAD "layer 00000001 -\ntop 00000001 -\ntop 00000001 -\n", "line 8" },
		{ HEAD "layer 00000001 -\ntop 00000001 -\nsnapshot a/b 00000001 7 - x\n",
		  "line 8" },
		{ HEAD "layer 00000001 -\ntop 00000001 -\nsnapshot a 00000001 7 - x y\n",
		  "line 8" },
		{ HEAD "layer 00000001 -\ntop 00000001 -\nwhatever\n", "line 8" },
		{ HEAD "layer 00000001 -\ntop 00000001 %20a\n", "line 7" },
		{ "sbx-session 1\nproject p 1 2\n", "line 2" },
		{ "sbx-session 1\nproject /p%00 1 2\n", "line 2" },
		{ "sbx-session 1\nproject /p% 1 2\n", "line 2" },
		{ "sbx-session 1\nproject /p -1 2\n", "line 2" },
		{ "sbx-session 2\n" HEAD, "newer" },
		{ "sbx-session\n", "not a file" },
		{ "", "not a file" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena *arena = arena_new();
		struct session session;
		const char *text = with_sum(arena, rows[i].text);
		bool good = session_parse(arena, text, strlen(text), &session) == 0;
		if (good != !rows[i].why || (!good && !strstr(err_text(), rows[i].why)))
			fail_msg("row %zu: %s", i, good ? "read" : err_text());
		if (good) {
			struct out out = { 0 };
			session_format(&session, &out);
			assert_string_equal(out.text, text);
			// Every byte counts.
			for (size_t at = 0; at < out.used; at++) {
				out.text[at] ^= 1;
				err_taken();
				assert_int_equal(session_parse(arena, out.text, out.used, &session),
						 -1);
				out.text[at] ^= 1;
			}
			out_free(&out);
		}
		err_taken();
		arena_free(arena);
	}
}

static void journals(void **state)
{
	static const char *const bad[] = {
		"sbx-apply 3\n",
		"sbx-apply 3\nnone\n",
		"sbx-apply 3\ncommit\nadd 0 /x 0 0 0 0 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9\n",
		"sbx-apply 3\ncommit\nadd 0 ../x 0 0 0 0 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9\n",
		"sbx-apply 3\ncommit\nadd 0 a/../x 0 0 0 0 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9\n",
		"sbx-apply 3\ncommit\nadd 0 a//x 0 0 0 0 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9\n",
		"sbx-apply 3\ncommit\nadd 99 x 0 0 0 0 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9\n",
		"sbx-apply 3\ncommit\nadd 0 x 0 0 0 0 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8\n",
		"sbx-apply 3\ncommit\nstage 0 relative 1 2 3 4\n",
		"sbx-apply 3\ncommit\nleaf 0 /x 1 2 3 4 5 6 7 8 9\n",
		"sbx-apply 3\ncommit\nwhat 0 x\n",
		"sbx-apply 3\ncommit\nattempted 1\n",
		"sbx-apply 3\ncommit\nstage 0 /s 1 2 3\n",
		"sbx-apply 2\ncommit\nadd 0 x 1 2 3 4 5 6 7\n",
	};
	static const char good[] =
		"sbx-apply 3\ncommit\nattempted 1\nforced 0\nstage 0 /s%20t 1 2 3 4\n"
		"add 0 a%0ab 1 2 3 4 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9\nleaf 0 a%0ab 1 2 3 4 5 6 "
		"7 8 9\n";
	struct arena *arena = arena_new();
	struct journal journal;
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *text = with_sum(arena, bad[i]);
		if (journal_parse(arena, text, strlen(text), &journal) == 0)
			fail_msg("row %zu is read", i);
		err_taken();
	}
	const char *text = with_sum(arena, good);
	struct out out = { 0 };
	assert_int_equal(journal_parse(arena, text, strlen(text), &journal), 0);
	assert_string_equal(journal.operations[0].path, "a\nb");
	assert_int_equal(journal.operations[0].staged.inode, 1);
	journal_format(&journal, &out);
	assert_string_equal(out.text, text);
	out_free(&out);
	arena_free(arena);
}

static void known_files(void **state)
{
	struct known_file files[] = {
		{ 0, "b", 1, { 5, 0 } },
		{ 0, "a", 2, { 5, 0 } },
		{ 0, "b", 3, { 6, 0 } },
		{ 1, "a", 4, { 1, 0 } },
	};
	struct known known = { files, 4 };
	(void)state;
	known_order(&known);
	assert_int_equal(known.count, 3);
	assert_int_equal(known_find(&known, 0, "b")->inode, 3);
	assert_int_equal(known_find(&known, 0, "b")->changed.tv_sec, 6);
	assert_non_null(known_find(&known, 1, "a"));
	assert_null(known_find(&known, 1, "b"));
}

// Two directories, "" and "d"; then each byte of the file in turn is another one.
static void seen_lists(void **state)
{
	static const char *const bad[] = {
		"sbx-seen 2\nwhole\n755 5 6 7 - a b\n755 5 6 7 -\nx\n",
		"sbx-seen 2\nwhole\n755 5 6 1000000000 - a\n",
		"sbx-seen 3\nwhole\n",
		"sbxseen1\n",
	};
	struct arena *arena = arena_new();
	struct seen seen;
	struct out out = { 0 };
	const char *text = with_sum(arena, "sbx-seen 2\nwhole\n493 6 1 2 - d%20e\n"
					   "493 5 1 2 0123456789abcdef \n");
	(void)state;
	assert_int_equal(seen_parse(arena, text, strlen(text), &seen), 0);
	assert_true(seen.whole);
	assert_int_equal(seen_find(&seen, "")->inode, 5);
	assert_int_equal(seen_find(&seen, "")->count, 2);
	assert_int_equal(seen_find(&seen, "d e")->inode, 6);
	assert_null(seen_find(&seen, "e"));
	assert_false(seen_has(seen_find(&seen, "d e"), "x"));
	seen_format(&seen, &out);
	for (size_t i = 0; i < out.used; i++) {
		out.text[i] ^= 1;
		assert_int_equal(seen_parse(arena, out.text, out.used, &seen), -1);
		err_taken();
		out.text[i] ^= 1;
	}
	assert_int_equal(seen_parse(arena, out.text, out.used - 1, &seen), -1);
	err_taken();
	out_free(&out);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		text = with_sum(arena, bad[i]);
		if (seen_parse(arena, text, strlen(text), &seen) == 0)
			fail_msg("row %zu is read", i);
		err_taken();
	}
	arena_free(arena);
}

// Three directories of the host; what lies around one is its user's choice, but for git's.
static void withheld_names(void **state)
{
	static const struct {
		unsigned root;
		const char *path;
		bool has;
	} rows[] = {
		{ 0, "a", false },   { 0, "a/b", true }, { 0, "a/b/c", true }, { 0, "a/bc", false },
		{ 0, "deep", true }, { 0, "b", false },  { 1, "x", false },    { 2, "x", true },
	};
	struct arena *arena = arena_new();
	struct session session = { .roots = { { .path = "/none/p" },
					      { .path = "/none/p/deep/q" },
					      { .path = "/none/git/r" } },
				   .root_count = 3 };
	struct store store = { .arena = arena };
	struct held held = { .store = &store, .session = session };
	struct withheld withheld = { .arena = arena, .held = &held };
	(void)state;
	list_add(&withheld.around, arena, "/none/p/a/b", (struct origin){ 0 });
	list_add(&withheld.around, arena, "/none/p/deep", (struct origin){ 0 });
	list_add(&withheld.named, arena, "/none/git", (struct origin){ 0 });
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (withheld_has(&withheld, rows[i].root, rows[i].path) != rows[i].has)
			fail_msg("%u: %s", rows[i].root, rows[i].path);
	arena_free(arena);
}

static void names(void **state)
{
	static const struct {
		const char *path;
		bool guarded;
	} rows[] = {
		{ ".vscode", true },
		{ ".vscode/tasks.json", true },
		{ "sub/.vscode/x", true },
		{ ".vscodes", false },
		{ "x.vscode", false },
		{ ".git/hooks", true },
		{ ".git/hooks/pre-commit", true },
		{ ".git/config", true },
		{ ".git/config.worktree", true },
		{ ".git/configs", false },
		{ ".git/index", false },
		{ ".git/HEAD", false },
		{ ".git/objects/aa/bb", false },
		{ ".git/refs/heads/hooks", false },
		{ ".git/info/attributes", true },
		{ ".git/info/exclude", false },
		{ ".git/rebase-merge/git-rebase-todo", true },
		{ ".git/worktrees/w/rebase-merge/git-rebase-todo", true },
		{ ".git/rebase-merge/done", true },
		{ ".git/rebase-apply/patch", true },
		{ ".git/info/grafts", true },
		{ ".git/objects/info/alternates", true },
		{ ".git/objects/info/packs", false },
		{ ".git/modules/a/objects/info/alternates", true },
		{ ".git/sl/config", true },
		{ ".git/sl/other", false },
		{ ".git/refs/heads/hooks/x", false },
		{ ".git/reftable/tables.list", false },
		{ ".git/unknown", false },
		{ ".git/sequencer/todo", true },
		{ ".git/remotes/origin", true },
		{ ".git/branches/origin", true },
		{ ".git/refs/remotes/origin/main", false },
		{ ".git/modules/a/refs/remotes/origin/main", false },
		{ ".git/modules/a/config", true },
		{ ".git/modules/a/b/hooks/x", true },
		{ ".git/modules/a/index", false },
		{ ".git/worktrees/w/gitdir", true },
		{ ".git/worktrees/w/HEAD", false },
		{ "sub/.git/config", true },
		{ "src/hooks/x", false },
		{ "config", false },
		{ ".envrc", true },
		{ "a/.envrc", true },
		{ ".sbx.ini", true },
		{ "gitdir", false },
		{ ".git/commondir", true },
		// As other file systems spell it.
		{ ".GIT/hooks/x", true },
		{ ".Git/HOOKS", true },
		{ "sub/GIT~1/config", true },
		{ "git~2/config", true },
		{ ".g\xe2\x80\x8cit/config", true },
		{ ".git. ./hooks", true },
		{ ".git::$INDEX_ALLOCATION/config", true },
		{ ".git:x/config", true },
		{ ".VSCode/tasks.json", true },
		{ ".gitx/config", false },
		{ ".gi/config", false },
		{ ":.git/config", false },
		{ "git~/config", false },
		{ "git~1x/config", false },
		{ "GIT~12/config", true },
		{ ".g it/config", false },
		{ ".gi.t/config", false },
		{ "\xe2\x80\x8c/config", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (trusted_is_protected(rows[i].path) != rows[i].guarded)
			fail_msg("%s", rows[i].path);
	assert_true(trusted_is_reported("Makefile"));
	assert_true(trusted_is_reported("sub/package.json"));
	assert_true(trusted_is_reported(".github/workflows/x.yml"));
	assert_false(trusted_is_reported("Makefile.am"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),         cmocka_unit_test(journals),
		cmocka_unit_test(known_files),    cmocka_unit_test(seen_lists),
		cmocka_unit_test(withheld_names), cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
