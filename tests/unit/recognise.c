// git/git.h against git itself: every layout of the table, and `git rev-parse` in it; and
// trees/trees.h.
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "git/git.h"
#include "trees/trees.h"

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

// An answer that came early outlives the arena of who asked first.
static void ahead(void **state)
{
	(void)state;
	static const char *const texts[] = { "[core]\n\tworktree = a\n",
					     "[core]\n\tworktree = b\n" };
	static const char *const trees[] = { "a", "b" };
	struct rows rows;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_int_equal(gitnamed_ahead(texts[i], strlen(texts[i])), 0);
	for (size_t i = 0; i < 2 * COUNT(texts); i++) {
		const char *text = texts[i % COUNT(texts)];
		struct arena *arena = arena_new_of((size_t)1 << 20);
		assert_int_equal(
			gitnamed_read(APART_OTHERS, arena, text, strlen(text), true, &rows), 0);
		assert_string_equal(rows_text(&rows, ROW_WORKTREE), trees[i % COUNT(texts)]);
		arena_free(arena);
	}
	assert_int_equal(apart_end(), 0);
	apart_reap();
}

// Files are stamped by a clock that stands still for some milliseconds. The time of the change.
static int64_t change(const char *path)
{
	struct stat before, after;
	const struct timespec tick = { .tv_nsec = 12000000 }; // of the clock of files
	nanosleep(&tick, NULL);
	assert_int_equal(fstatat(top, path, &before, AT_SYMLINK_NOFOLLOW), 0);
	do {
		assert_int_equal(fchmodat(top, path, 0700, 0), 0);
		assert_int_equal(fstatat(top, path, &after, AT_SYMLINK_NOFOLLOW), 0);
	} while (after.st_ctim.tv_sec == before.st_ctim.tv_sec &&
		 after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
	return after.st_ctim.tv_sec * (int64_t)1000000000 + after.st_ctim.tv_nsec;
}

static char met[1024]; // what a sweep looked at, below the root

static void meet(struct git_walk *walk, int directory, const char *name, unsigned type)
{
	(void)type;
	assert_int_equal(faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW), 0);
	if (walk->depth > 0 && !walk->probes)
		strcat(strcat(met, walk->path + walk->root + 1), " ");
}

static void meet_repository(struct git_walk *walk, int directory, const char *name)
{
	(void)directory;
	walk->cut = walk->cut || walk->probes;
	strcat(strcat(strcat(met, name), walk->moved ? ":moved:" : ":"),
	       walk->path + walk->root + 1);
	strcat(met, " ");
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// A file system has an order of its entries for itself.
static void sort_met(void)
{
	char text[sizeof(met)], *words[64], *at = text;
	size_t count = 0;
	memcpy(text, met, sizeof(met));
	for (char *word; count < 64 && (word = strtok_r(at, " ", &at));)
		words[count++] = word;
	qsort(words, count, sizeof(*words), by_name);
	met[0] = '\0';
	for (size_t i = 0; i < count; i++)
		strcat(strcat(met, words[i]), " ");
}

static char in_order[sizeof(met)];
static bool probed; // whether a look without reading saw that there is something to read

static const char *sweep(const char *root, int64_t since, int64_t start, bool whole)
{
	static struct tracked tracked[] = { { "", SHARE_NONE }, { "run", 0 },   { "run/here", 1 },
					    { "src", 0 },       { "src-b", 0 }, { "src/a", 3 },
					    { "src/a/b", 5 } };
	static struct gitindex_kept kept[] = { { "src/a/keep", 10 }, { "src/a/in/file", 8 } };
	static const struct share share = { .tracked = tracked,
					    .count = 7,
					    .kept = kept,
					    .kept_count = 2,
					    .directory = "run/here" };
	static struct git_walk walk;
	const struct git_walk begin = { .entry = meet,
					.repository = meet_repository,
					.share = whole ? NULL : &share,
					.since = since,
					.start = start,
					.arena = arena_new() };
	walk = begin;
	walk.probes = true;
	if (!whole)
		walk_tree(&walk, root);
	probed = walk.cut;
	walk = begin;
	met[0] = '\0';
	walk_tree(&walk, root);
	assert_false(walk.cut || walk.lost);
	arena_free(walk.arena);
	memcpy(in_order, met, sizeof(met));
	sort_met();
	return met;
}

// Read are the top, the command's directory, directories with tracked files that changed, and what
// came to one of these; of the rest the files that are kept.
static void sweeps(void **state)
{
	static const char *const folders[] = {
		"swept",          "swept/src",      "swept/src/a",        "swept/src/a/b",
		"swept/src/a/in", "swept/src/old",  "swept/src/old/er",   "swept/src-b",
		"swept/src-b/x",  "swept/other",    "swept/other/deep",   "swept/other/deep/est",
		"swept/run",      "swept/run/here", "swept/run/here/old", "swept/run/here/old/er"
	};
	static const struct made file = { TEXT, "x", false };
	char root[64];
	(void)state;
	snprintf(root, sizeof(root), "/proc/self/fd/%d/swept", top);
	for (size_t i = 0; i < COUNT(folders); i++)
		assert_int_equal(mkdirat(top, folders[i], 0700), 0);
	make(top, "swept/src/a/keep", &file);
	make(top, "swept/src/a/in/file", &file);
	int64_t now = change("swept/src/old/er");
	now = change("swept/src/old/er"); // where nothing reads it
	assert_string_equal(sweep(root, now, now, false), "run/here/old ");
	assert_false(probed);
	// In place: the file, and the directory that is kept because of one in it.
	change("swept/src/a/keep");
	change("swept/src/a/in/file");
	assert_string_equal(sweep(root, now, now, false), "run/here/old src/a/in src/a/keep ");
	assert_true(probed);
	// An old directory that nobody tracks is read where the one around it is, and not below.
	now = change("swept/src/old/er");
	assert_int_equal(mkdirat(top, "swept/other/new", 0700), 0);
	assert_int_equal(mkdirat(top, "swept/other/deep/new", 0700), 0);
	assert_string_equal(sweep(root, now, now, false),
			    "other/deep other/deep/est other/deep/new other/new "
			    "run/here/old ");
	now = change("swept/src/old/er");
	assert_int_equal(mkdirat(top, "swept/other/deep/est/.git", 0700), 0);
	assert_string_equal(sweep(root, now, now, false), "run/here/old ");
	assert_false(probed);
	// What comes to a tracked directory is read to its end, and may be older than it looks.
	now = change("swept/src/old/er");
	assert_int_equal(renameat(top, "swept/other/deep", top, "swept/src/a/b/moved"), 0);
	assert_string_equal(sweep(root, now, now, false),
			    ".git:moved:src/a/b/moved/est/.git other/new run/here/old "
			    "src/a/b/moved src/a/b/moved/est src/a/b/moved/est/.git "
			    "src/a/b/moved/new ");
	// By the user, before the run.
	int64_t later = change("swept/src/old/er");
	assert_string_equal(sweep(root, now, later, false),
			    ".git:src/a/b/moved/est/.git other/new run/here/old "
			    "src/a/b/moved src/a/b/moved/est src/a/b/moved/est/.git "
			    "src/a/b/moved/new ");
	// All, once each.
	assert_non_null(strstr(sweep(root, later, later, true), "src-b/x "));
	assert_non_null(strstr(met, "src/old/er "));
	assert_non_null(strstr(met, ".git:src/a/b/moved/est/.git "));
	assert_null(strstr(strstr(met, "src-b/x ") + 1, "src-b/x "));
	// Git on the host comes to the tracked directories first.
	now = change("swept/src/old/er");
	assert_int_equal(mkdirat(top, "swept/fresh", 0700), 0);
	assert_int_equal(mkdirat(top, "swept/fresh/.git", 0700), 0);
	assert_int_equal(mkdirat(top, "swept/src-b/.git", 0700), 0);
	sweep(root, now, now, false);
	const char *fresh = strstr(in_order, "fresh/.git "),
		   *tracked = strstr(in_order, "src-b/.git ");
	assert_true(fresh && tracked && tracked < fresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_git), cmocka_unit_test(in_doubt), cmocka_unit_test(ahead),
		cmocka_unit_test(files),       cmocka_unit_test(sweeps),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
