// Owns the look at an index that a box changed. It is parsed in a locked process.
#include "postcheck/git/index_look.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "git/gitconfig.h"
#include "git/gitindex.h"
#include "git/recognise.h"
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "postcheck/finding/locked.h"
#include "postcheck/git/config_merge.h"
#include "report/findings.h"
#include "text/sha.h"

enum { NAMES_MAX = 64, INDEX_MAX = 512 << 20, TRIES = 20, PAUSE_MILLISECONDS = 50 };
// Of the arena: what is read, its copy, and paths.
#define WORK_BYTES(length) (8 * (length) + ((size_t)64 << 20))

struct index_work {
	struct arena *arena;
	struct check *check;
	int directory;
	const char *path; // of the git directory
	struct stat status;
	const char *config, *bytes, *shared; // the texts of files
	size_t config_length, length, shared_length;
	uint32_t since;
	const char *names[NAMES_MAX];
	unsigned name_count;
	// What the locked process writes:
	bool good; // both can be read
	unsigned hash;
	const char *tree; // core.worktree, or NULL
	struct gitindex_vetted vetted, rest;
	const struct gitindex_entry *entries; // at or below one of `names`
	unsigned entry_count;
};

// In the locked process.
static void vet(void *argument)
{
	struct index_work *work = argument;
	struct gitconfig config;
	const char *format = NULL;
	work->good = false;
	if (gitconfig_parse(work->arena, work->config, work->config_length, &config) == 0) {
		format = gitconfig_value(&config, "extensions.objectformat");
		work->tree = gitconfig_value(&config, "core.worktree");
	}
	work->hash = format && strcasecmp(format, "sha256") == 0 ? SHA256_BYTES : SHA1_BYTES;
	work->good = gitindex_vet(work->arena, work->bytes, work->length, work->hash, work->since,
				  &work->vetted) == 0;
	if (work->good && work->name_count > 0)
		gitindex_find(work->arena, work->bytes, work->length, work->names, work->name_count,
			      &work->entries, &work->entry_count);
}

static void vet_shared(void *argument)
{
	struct index_work *work = argument;
	work->good = gitindex_vet(work->arena, work->shared, work->shared_length, work->hash,
				  work->since, &work->rest) == 0 &&
		     !work->rest.shared;
}

// The configuration of the repository, which worktrees share.
static void read_config(struct index_work *work)
{
	char text[GIT_POINTER_MAX], path[PATH_MAX];
	const char *shared = git_read_pointer(work->directory, "commondir", "", text);
	if (!str_put(path, sizeof(path), "%s/config", shared ? shared : ".") ||
	    file_read(work->directory, path, 0, GITCONFIG_BYTES_MAX, work->arena, &work->config,
		      &work->config_length) < 0)
		work->config = "";
}

// NULL: it is an index that git would write. Else what it is.
static const char *judge(struct index_work *volatile work) // another process writes it
{
	static const char unread[] = "is not an index that git can read; for a new one: git reset";
	if (ATTEMPT(locked_run(vet, work)) < 0 || !work->good)
		return unread;
	if (work->vetted.shared && !work->vetted.bad &&
	    (file_read(work->directory, work->vetted.shared, 0, INDEX_MAX, work->arena,
		       &work->shared, &work->shared_length) <= 0 ||
	     ATTEMPT(locked_run(vet_shared, work)) < 0 || !work->good))
		return unread;
	const char *bad = work->vetted.bad ? work->vetted.bad : work->rest.bad;
	return !bad ? NULL
		    : arena_text(work->arena,
				 "has an entry that git does not write ('%s'); for a new index: "
				 "git reset",
				 bad);
}

// 0 written, 1 another program was at it, -1.
static int rewrite(const struct index_work *work)
{
	static const char lock[] = "index.lock";
	struct stat now;
	int locked = merge_take_lock(work->directory, lock, work->status.st_mode & 0777,
				     work->vetted.text, work->vetted.length);
	if (locked != 0)
		return locked;
	bool same = fstatat(work->directory, "index", &now, AT_SYMLINK_NOFOLLOW) == 0 &&
		    now.st_ino == work->status.st_ino && now.st_size == work->status.st_size &&
		    now.st_ctim.tv_sec == work->status.st_ctim.tv_sec &&
		    now.st_ctim.tv_nsec == work->status.st_ctim.tv_nsec;
	if (same && renameat(work->directory, lock, work->directory, "index") == 0)
		return 0;
	int problem = errno;
	unlinkat(work->directory, lock, 0);
	return same ? fail(problem, "rename") : 1;
}

// Git reads files again that are not older than its index: those that changed in the run.
static void set_time(const struct index_work *work)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
				     { .tv_sec = work->rest.touched ? 1 : work->since } };
	(void)!utimensat(work->directory, "index", times, AT_SYMLINK_NOFOLLOW);
}

// The project's own names that are mounted over, as git writes them.
static unsigned masked_names(const struct plan *plan, const char *names[NAMES_MAX])
{
	unsigned count = 0;
	for (unsigned i = 0; i < plan->mount_count && count < NAMES_MAX; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->kind != MOUNT_BIND || !mount->on_host || mount->access != ACCESS_READ ||
		    !path_within(mount->target, plan->project) ||
		    str_equal(mount->target, plan->project))
			continue;
		const char *name = mount->target + strlen(plan->project) + 1;
		if (!path_within(name, ".git"))
			names[count++] = name;
	}
	return count;
}

// Git notes how a file looked when it wrote it, and nothing for one that it could not write. What
// the user changed keeps the note of before.
static bool is_unwritten(const struct gitindex_entry *entry)
{
	return !entry->absent && !entry->directory && entry->stage == 0 && entry->size == 0 &&
	       entry->seconds == 0 && entry->nanoseconds == 0;
}

static const char *name_of(const struct index_work *work, const char *path)
{
	for (unsigned i = 0; i < work->name_count; i++)
		if (path_within(path, work->names[i]))
			return work->names[i];
	return path;
}

static void tell_unwritten(const struct index_work *work)
{
	const char *before = "";
	for (unsigned i = 0; i < work->entry_count; i++) {
		const char *name = name_of(work, work->entries[i].path);
		if (str_equal(name, before) || !is_unwritten(&work->entries[i]))
			continue;
		before = name;
		findings_add(work->check->found, FINDING_TRACKED, name, "",
			     str_visible(name) ? name : "PATH");
	}
}

// The work tree: as the configuration says, where the worktree's .git file is, or around .git.
static int open_tree(const struct index_work *work)
{
	char text[GIT_POINTER_MAX];
	const char *file = git_read_pointer(work->directory, "gitdir", "", text);
	const char *place = work->tree ? work->tree : "..";
	if (file) {
		text[path_name(file) - text] = '\0';
		place = text;
	} else if (!work->tree && !str_equal(path_name(work->path), ".git")) {
		return -1;
	}
	return openat(work->directory, place, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

// The length of the first directory on the way that is not there, with its slash; 0: all are.
static size_t missing(int tree, const char *path)
{
	char above[PATH_MAX];
	struct stat status;
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
		if (!str_put(above, sizeof(above), "%.*s", (int)(slash - path), path) ||
		    fstatat(tree, above, &status, AT_SYMLINK_NOFOLLOW) < 0)
			return (size_t)(slash - path) + 1;
	return 0;
}

// Of files that are in the work tree. In a sparse checkout git itself unmarks such a one.
static void tell_marks(const struct index_work *work, const struct gitindex_vetted *vetted)
{
	char top[PATH_MAX] = "", link[32];
	struct stat status;
	const char *before = "";
	size_t lacks = 0;
	autoclose int tree = open_tree(work);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", tree);
	(void)!readlink(link, top, sizeof(top) - 1);
	for (unsigned i = 0; i < vetted->marked_count; i++) {
		const struct gitindex_entry *entry = &vetted->marked[i];
		if (!entry->path[0]) { // its name is in the other file
			findings_add(work->check->found, FINDING_GIT_HIDES,
				     "files of a split index (git ls-files -v)", "", "");
			return;
		}
		if ((entry->directory && !entry->unchanged) ||
		    (lacks > 0 && strncmp(before, entry->path, lacks) == 0))
			continue;
		lacks = 0;
		if (tree < 0 ? !entry->unchanged
			     : fstatat(tree, entry->path, &status, AT_SYMLINK_NOFOLLOW) < 0) {
			before = entry->path;
			lacks = tree < 0 ? 0 : missing(tree, before);
			continue;
		}
		const char *path =
			arena_text(work->arena, "%s/%s", tree < 0 ? work->path : top, entry->path);
		findings_add(work->check->found, FINDING_GIT_HIDES,
			     finding_path(work->check->plan, path), "", "");
	}
}

static void read_names(struct index_work *work)
{
	const struct plan *plan = work->check->plan;
	size_t length = strlen(work->path);
	work->name_count = 0;
	if (plan->project && plan->index && path_within(plan->index, work->path) &&
	    str_equal(plan->index + length, "/index"))
		work->name_count = masked_names(plan, work->names);
}

// 0 done, 1 another program was at it, -1.
static int look_once(struct arena *arena, struct check *check, int fd, const struct stat *status,
		     int directory, const char *path)
{
	struct index_work *work = arena_take(arena, sizeof(*work));
	const char *why = "is too large to be checked; for a new index: git reset";
	time_t start = check->start.tv_sec;
	*work = (struct index_work){ .arena = arena,
				     .check = check,
				     .directory = directory,
				     .path = path,
				     .status = *status,
				     .since = start > 0 ? (uint32_t)start : 1 };
	read_config(work);
	read_names(work);
	int read = file_read_open(fd, status, INDEX_MAX, arena, &work->bytes, &work->length);
	if (read < 0 && errno != EFBIG)
		return fail(errno, "read");
	if (read == 1)
		why = judge(work);
	if (why) {
		finding_take(check, directory, "index", arena_text(arena, "%s/index", path), why);
		return 0;
	}
	int result = work->vetted.text ? rewrite(work) : 0;
	if (result == 0) {
		set_time(work);
		tell_unwritten(work);
		tell_marks(work, &work->vetted);
		tell_marks(work, &work->rest);
	}
	return result;
}

void index_look(struct check *check, int directory, const char *path, bool shared)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MILLISECONDS * 1000000L };
	char index[PATH_MAX];
	struct stat status;
	int result = 1;
	if ((!shared && !finding_is_changed(check, directory, "index")) ||
	    !str_put(index, sizeof(index), "%s/index", path) ||
	    finding_is_own(check, directory, "index", index, OWN_ALL))
		return;
	for (int i = 0; i < TRIES && result == 1; i++) {
		if (i > 0)
			nanosleep(&pause, NULL);
		autoclose int fd = file_open(directory, "index", 0, &status);
		if (fd < 0) {
			result = file_missing() ? 0 : fail(errno, "open");
			break;
		}
		size_t length = status.st_size < INDEX_MAX ? (size_t)status.st_size : 0;
		struct arena *arena = arena_new_of(WORK_BYTES(length));
		result = look_once(arena, check, fd, &status, directory, path);
		arena_free(arena);
	}
	if (result != 0)
		findings_add(check->found, FINDING_GIT_INDEX, finding_path(check->plan, index),
			     result == 1 ? "another program holds git's lock" : err_taken(), "");
}
