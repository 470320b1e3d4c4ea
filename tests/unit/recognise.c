// git/recognise.h against git itself: every layout of the table, and `git rev-parse` in it; and
// trees/still.h, trees/git_walk.h.
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/owned.h"
#include "base/path.h"
#include "git/recognise.h"
#include "trees/dirs.h"
#include "trees/share.h"
#include "trees/git_walk.h"
#include "trees/still.h"

#define HASH "0123456789abcdef0123456789ABCDEF01234567"

enum form { ABSENT, TEXT, LINK, FOLDER, SHUT, PROGRAM };
struct made {
	enum form form;
	const char *text;
	bool doubt; // taken for what it may become
};

static const struct made heads[] = {
	{ ABSENT, NULL, false },
	{ TEXT, "ref: refs/heads/main\n", false },
	{ TEXT, "ref:refs/heads/main", false },
	{ TEXT, "ref: \t\r\n refs/x", false },
	{ TEXT, "ref:\v refs/x", false },
	{ TEXT, "ref: heads/main\n", false },
	{ TEXT, "Ref: refs/heads/main\n", false },
	{ TEXT, "refs/heads/main\n", false },
	{ TEXT, "", false },
	{ TEXT, HASH "\n", false },
	{ TEXT, HASH "and more", false },
	{ TEXT, " " HASH, false },
	{ TEXT, "0123456789abcdef0123456789abcdef0123456", false },
	{ TEXT, "0123456789abcdef0123456789abcdef0123456g", false },
	{ TEXT,
	  "ref:                                                                                  "
	  "                                                                                      "
	  "                                                                                      "
	  "refs/heads/main",
	  false },
	{ LINK, "refs/heads/main", false },
	{ LINK, "refs/", false },
	{ LINK, "refs", false },
	{ LINK, "other", false },
	{ FOLDER, NULL, false },
};
static const struct made parts[] = {
	{ ABSENT, NULL, false }, { FOLDER, NULL, false },   { TEXT, "", false },
	{ PROGRAM, "", false },  { LINK, "around", false }, { LINK, "nowhere", true },
};
static const struct made commondirs[] = {
	{ ABSENT, NULL, false },
	{ TEXT, "around\n", false },
	{ TEXT, "around\r\n\n", false },
	{ TEXT, "./around", false },
	{ TEXT, "around/objects", true },
	{ TEXT, "nowhere", true },
	{ TEXT, "", true },
	{ LINK, "pointer", false },
};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static char place[] = "/tmp/sbx-unit-recognise.XXXXXX";
static int top;

static void make(int directory, const char *name, const struct made *made)
{
	mode_t mode = made->form == PROGRAM ? 0755 : 0644;
	switch (made->form) {
	case ABSENT:
		return;
	case TEXT:
	case PROGRAM: {
		autoclose int fd =
			openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		assert_true(fd >= 0);
		assert_int_equal(fd_write_all(fd, made->text, strlen(made->text)), 0);
		return;
	}
	case LINK:
		assert_int_equal(symlinkat(made->text, directory, name), 0);
		return;
	case FOLDER:
		assert_int_equal(mkdirat(directory, name, 0755), 0);
		return;
	case SHUT:
		assert_int_equal(mkdirat(directory, name, 0), 0);
		return;
	}
}

static int set_up(void **state)
{
	(void)state;
	top = mkdtemp(place) ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	setenv("GIT_CEILING_DIRECTORIES", place, 1);
	setenv("GIT_CONFIG_COUNT", "1", 1);
	setenv("GIT_CONFIG_KEY_0", "safe.directory", 1);
	setenv("GIT_CONFIG_VALUE_0", "*", 1);
	return top < 0;
}

static int tear_down(void **state)
{
	(void)state;
	return owned_remove_tree(AT_FDCWD, place);
}

extern char **environ;

// Whether git takes what lies at `layout` for a repository.
static bool git_says(const char *layout)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", place, layout);
	char *const words[] = { (char[]){ "git" },       (char[]){ "-C" },        path,
				(char[]){ "rev-parse" }, (char[]){ "--git-dir" }, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawnp(&pid, "git", &actions, NULL, words, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void compare(const struct made *head, const struct made *objects, const struct made *refs,
		    const struct made *commondir)
{
	static const struct made folder = { FOLDER, NULL, false },
				 pointer = { TEXT, "around", false };
	assert_int_equal(mkdirat(top, "layout", 0755), 0);
	autoclose int fd = openat(top, "layout", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make(fd, "HEAD", head);
	make(fd, "objects", objects);
	make(fd, "refs", refs);
	make(fd, "commondir", commondir);
	make(fd, "pointer", &pointer);
	make(fd, "around", &folder);
	make(fd, "around/objects", &folder);
	make(fd, "around/refs", &folder);
	bool git = git_says("layout"), own = git_directory(fd) != GIT_NONE;
	bool doubt = commondir->form == ABSENT ? objects->doubt || refs->doubt : commondir->doubt;
	if (git != own && !(own && doubt))
		fail_msg("HEAD %d '%s', objects %d, refs %d, commondir %d '%s': git %d, sbx %d",
			 head->form, head->text ? head->text : "", objects->form, refs->form,
			 commondir->form, commondir->text ? commondir->text : "", git, own);
	assert_int_equal(owned_remove_tree(top, "layout"), 0);
}

// Every HEAD with a whole repository, and every other part with every other.
static void same_as_git(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(heads); i++)
		for (size_t j = 0; j < COUNT(commondirs); j++)
			compare(&heads[i], &parts[j % 2 + (j == 0)], &parts[1], &commondirs[j]);
	for (size_t i = 0; i < COUNT(parts); i++)
		for (size_t j = 0; j < COUNT(parts); j++)
			for (size_t k = 0; k < COUNT(commondirs); k++)
				compare(&heads[j % 2 ? 1 : 15], &parts[i], &parts[j],
					&commondirs[k]);
}

static void in_doubt(void **state)
{
	(void)state;
	static const struct made shut = { SHUT, NULL, true };
	compare(&heads[1], &shut, &shut, &commondirs[0]);
	assert_int_equal(mkdirat(top, "shut", 0755), 0);
	autoclose int fd = openat(top, "shut", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make(fd, "HEAD", &heads[1]);
	make(fd, "objects", &shut);
	make(fd, "refs", &shut);
	assert_int_equal(fchmodat(fd, "HEAD", 0, 0), 0);
	assert_int_equal(git_directory(fd), GIT_WHOLE);
}

// What a .git file says, and whether git follows it to the repository beside it.
static void files(void **state)
{
	(void)state;
	static const struct {
		const char *text, *leads;
	} rows[] = {
		{ "gitdir: ../whole", "../whole" },
		{ "gitdir: ../whole\r\n\n", "../whole" },
		{ "gitdir:  ../whole", " ../whole" },
		{ "gitdir:../whole", NULL },
		{ "Gitdir: ../whole", NULL },
		{ "gitdir: ", NULL },
		{ "", NULL },
		{ "gitdir: ../whole\nx", NULL },
	};
	char text[GIT_POINTER_MAX];
	assert_int_equal(mkdirat(top, "whole", 0755), 0);
	assert_int_equal(mkdirat(top, "file", 0755), 0);
	autoclose int whole = openat(top, "whole", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	autoclose int file = openat(top, "file", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make(whole, "HEAD", &heads[1]);
	make(whole, "objects", &parts[1]);
	make(whole, "refs", &parts[1]);
	for (size_t i = 0; i < COUNT(rows); i++) {
		make(file, ".git", &(struct made){ TEXT, rows[i].text, false });
		const char *leads = git_read_pointer(file, ".git", GIT_FILE_PREFIX, text);
		assert_int_equal(leads == NULL, rows[i].leads == NULL);
		if (leads)
			assert_string_equal(leads, rows[i].leads);
		assert_int_equal(git_says("file"), leads && strcmp(leads, "../whole") == 0);
		assert_int_equal(unlinkat(file, ".git", 0), 0);
	}
	char hidden[] = "gitdir: a\0b";
	assert_null(git_pointer(hidden, sizeof(hidden) - 1, GIT_FILE_PREFIX));
}

enum { WIDE = 40, HELPERS = 3 };

static void note(struct dirs *seen, const char *path, unsigned depth, const char *name)
{
	struct stat status;
	assert_int_equal(fstatat(top, path, &status, AT_SYMLINK_NOFOLLOW), 0);
	size_t at = dirs_add(seen, &status, depth, name, INT64_MAX);
	if (depth == 0)
		seen->begin = at;
}

static void note_all(struct dirs *seen)
{
	char path[64], name[16];
	*seen = (struct dirs){ 0 };
	note(seen, "many", 0, "");
	for (int i = 0; i < WIDE; i++) {
		snprintf(path, sizeof(path), "many/%d", i);
		snprintf(name, sizeof(name), "%d", i);
		note(seen, path, 1, name);
		for (int j = 0; j < WIDE; j++) {
			snprintf(path, sizeof(path), "many/%d/%d", i, j);
			snprintf(name, sizeof(name), "%d", j);
			note(seen, path, 2, name);
		}
	}
	seen->whole = true;
}

// Files are stamped by a clock that stands still for some milliseconds.
static void change(const char *path)
{
	struct stat before, after;
	assert_int_equal(fstatat(top, path, &before, AT_SYMLINK_NOFOLLOW), 0);
	do {
		assert_int_equal(fchmodat(top, path, 0700, 0), 0);
		assert_int_equal(fstatat(top, path, &after, AT_SYMLINK_NOFOLLOW), 0);
	} while (after.st_ctim.tv_sec == before.st_ctim.tv_sec &&
		 after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

// Whichever of 1,641 directories it is, and whoever looks at it.
static void one_that_changed(void **state)
{
	char path[64], root[64];
	struct dirs seen;
	(void)state;
	assert_int_equal(mkdirat(top, "many", 0755), 0);
	for (int i = 0; i < WIDE * (WIDE + 1); i++) {
		snprintf(path, sizeof(path), i % (WIDE + 1) ? "many/%d/%d" : "many/%d",
			 i / (WIDE + 1), i % (WIDE + 1) - 1);
		assert_int_equal(mkdirat(top, path, 0755), 0);
	}
	snprintf(root, sizeof(root), "/proc/self/fd/%d/many", top);
	note_all(&seen);
	assert_true(still_all(&seen, root, INT64_MAX, HELPERS));
	assert_true(still_all(&seen, root, INT64_MAX, 0));
	for (int i = 0; i < WIDE; i++) {
		snprintf(path, sizeof(path), i % 3 ? "many/%d/%d" : "many/%d", i, (i * 7) % WIDE);
		change(path);
		assert_false(still_all(&seen, root, INT64_MAX, HELPERS));
		assert_false(still_all(&seen, root, INT64_MAX, 0));
		dirs_free(&seen);
		note_all(&seen);
	}
	assert_true(still_all(&seen, root, INT64_MAX, HELPERS));
	assert_false(still_all(&seen, root, 1, HELPERS)); // all of them changed later
	seen.length--;                                    // a row that is cut
	assert_false(still_all(&seen, root, INT64_MAX, HELPERS));
	dirs_free(&seen);
}

// Of the directories of a tree those that git's index makes share.
static void near_ones(void **state)
{
	static const char *const centres[] = { "", "a-b", "a/b", "src/deep/er" };
	static const struct share share = { .centres = centres,
					    .count = 4,
					    .directory = "run/here" };
	static const struct {
		const char *path;
		bool has, centre;
	} rows[] = {
		{ "", true, true },
		{ "other", true, false }, // right below the top
		{ "other/x", false, false },
		{ "a", true, false },
		{ "a/b", true, true },
		{ "a/b/c", true, false },
		{ "a/b/c/d", false, false },
		{ "a/bb", false, false },
		{ "a-b/c", true, false },
		{ "src/deep", true, false }, // above one
		{ "src/deep/er", true, true },
		{ "src/other", false, false },
		{ "run/here", true, true },
		{ "run/here/x", true, false },
		{ "run/there", false, false },
		{ "a/\xff", false, false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (share_has(&share, rows[i].path) != rows[i].has ||
		    share_is_centre(&share, rows[i].path) != rows[i].centre)
			fail_msg("'%s'", rows[i].path);
}

// The list of what is near, from that of the whole.
static void near_part(void **state)
{
	static const char *const centres[] = { "", "3" };
	static const struct share share = { .centres = centres,
					    .count = 2,
					    .index = { .inode = 7 } };
	struct dirs whole, part;
	struct dirs_row row;
	unsigned count = 0;
	(void)state;
	note_all(&whole);
	share_of_whole(&share, &whole, &part);
	for (size_t at = part.begin; dirs_next(part.text, part.length, &at, &row);)
		count++;
	assert_int_equal(count, 1 + WIDE + WIDE); // the top, what is in it, what is in 3
	assert_false(part.whole);
	assert_int_equal(part.index.inode, 7);
	assert_true(share_lists(&part, "") && share_lists(&part, "3"));
	assert_false(share_lists(&part, "4") || share_lists(&part, "3/4") ||
		     share_lists(&part, "nothing"));
	dirs_free(&part);
	dirs_free(&whole);
}

static char met[256]; // what a walk looked at, below the root

static bool is_kept(const char *path)
{
	return strncmp(path_name(path), "keep", 4) == 0;
}

static void meet(struct git_walk *walk, int directory, const struct dirent *entry)
{
	assert_int_equal(faccessat(directory, entry->d_name, F_OK, AT_SYMLINK_NOFOLLOW), 0);
	strcat(strcat(met, walk->path + walk->root + 1), " ");
}

static void no_repository(struct git_walk *walk, int directory, const char *name)
{
	fail_msg("%s, %d: %s", walk->path, directory, name);
}

// The next look, and what it sees without having read a directory: after it the tree is still.
static const char *look(const char *root, bool first)
{
	static char list[64];
	struct dirs known, fresh = { 0 };
	struct arena *arena = arena_new();
	snprintf(list, sizeof(list), "/proc/self/fd/%d/state/list", top);
	struct git_walk *walk = arena_take(arena, sizeof(*walk));
	*walk = (struct git_walk){ .entry = meet,
				   .repository = no_repository,
				   .keeps = is_kept,
				   .known = !first && dirs_read(arena, list, "boot", &known)
						    ? &known
						    : NULL,
				   .fresh = &fresh,
				   .settled = INT64_MAX,
				   .since = INT64_MAX,
				   .processor = 1000000000 };
	met[0] = '\0';
	if (walk->known)
		walk->known->whole = true;
	bool still = walk->known && still_all(walk->known, root, INT64_MAX, HELPERS);
	walk_tree(walk, root, "");
	assert_false(still && met[0]);
	fresh.whole = true;
	dirs_write(&fresh, list, "boot");
	dirs_free(&fresh);
	assert_true(dirs_read(arena, list, "boot", &known));
	assert_true(still_all(&known, root, INT64_MAX, HELPERS));
	arena_free(arena);
	return met;
}

// A file that counts is looked at wherever its directory has not changed; nothing else is.
static void kept_files(void **state)
{
	static const char *const folders[] = { "state", "kept", "kept/a", "kept/a/b", "kept/c" };
	static const struct made file = { TEXT, "x", false };
	char root[64];
	(void)state;
	snprintf(root, sizeof(root), "/proc/self/fd/%d/kept", top);
	for (size_t i = 0; i < COUNT(folders); i++)
		assert_int_equal(mkdirat(top, folders[i], 0700), 0);
	make(top, "kept/keep", &file); // at the top others look
	make(top, "kept/a/keep", &file);
	make(top, "kept/a/b/keep", &file);
	make(top, "kept/c/other", &file);
	assert_non_null(strstr(look(root, true), "a/b/keep "));
	assert_string_equal(look(root, false), "");
	change("kept/a/b/keep");
	assert_string_equal(look(root, false), "a/b/keep ");
	assert_string_equal(look(root, false), "");
	change("kept/a/keep");
	assert_string_equal(look(root, false), "a/keep ");
	change("kept/c/other");
	change("kept/keep");
	assert_string_equal(look(root, false), "");
	make(top, "kept/c/keep2", &file);
	assert_non_null(strstr(look(root, false), "c/keep2 "));
	assert_string_equal(look(root, false), "");
	change("kept/c/keep2");
	assert_string_equal(look(root, false), "c/keep2 ");
	assert_int_equal(unlinkat(top, "kept/a/b/keep", 0), 0);
	assert_string_equal(look(root, false), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_git), cmocka_unit_test(in_doubt),
		cmocka_unit_test(files),       cmocka_unit_test(one_that_changed),
		cmocka_unit_test(near_ones),   cmocka_unit_test(near_part),
		cmocka_unit_test(kept_files),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
