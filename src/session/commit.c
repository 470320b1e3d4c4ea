// Owns the commit of an apply: each thing is put in place by one rename, noted before in the
// journal; what was there goes to the stage. Only what is still the thing that was looked at is
// moved, and only what this apply has put itself is taken back.
#include "session/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/str.h"
#include "base/sys.h"
#include "session/beside.h"
#include "session/note.h"
#include "session/thing.h"

enum { TEXT_MOST = 512, TOLD_MOST = 65536, NAME_MOST = 16 };

static int changed(const struct operation *operation)
{
	return fail(0, "'%s' was changed on the host meanwhile", str_shown(operation->path));
}

static int fail_at(const char *what, const struct operation *operation)
{
	return fail(errno, "%s '%s'", what, str_shown(operation->path));
}

static bool stands(const struct operation *operation, int parent, const char *name)
{
	struct stat status;
	return fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       thing_stands(&operation->was, &status);
}

// Between the look and the rename somebody may have been quicker, and a directory is filled
// whenever somebody likes: what has come to the stage is compared as a whole.
static int replace(int stage, const char *staged, int parent, const char *name,
		   const struct operation *operation)
{
	if (!stands(operation, parent, name))
		return changed(operation);
	if (sys_renameat2(stage, staged, parent, name, SYS_RENAME_EXCHANGE) < 0)
		return errno == EINVAL ? fail(0,
					      "'%s' cannot be replaced: its file system does not "
					      "exchange names; see: sbx session diff",
					      str_shown(operation->path))
				       : fail_at("replace", operation);
	if (thing_moved(&operation->was, stage, staged))
		return 0;
	sys_renameat2(stage, staged, parent, name, SYS_RENAME_EXCHANGE);
	return changed(operation);
}

static int remove_one(int stage, const char *staged, int parent, const char *name,
		      const struct operation *operation)
{
	if (!stands(operation, parent, name))
		return changed(operation);
	if (fd_rename_new(parent, name, stage, staged) < 0)
		return fail_at("remove", operation);
	if (thing_moved(&operation->was, stage, staged))
		return 0;
	fd_rename_new(stage, staged, parent, name);
	return changed(operation);
}

static int change_mode(int parent, const char *name, const struct operation *operation,
		       mode_t before, mode_t mode)
{
	struct stat status;
	autoclose int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || (status.st_ino & INT64_MAX) != operation->was.inode)
		return changed(operation);
	if ((status.st_mode & 07777) == mode)
		return 0; // done before a crash
	if ((status.st_mode & 07777) != before)
		return changed(operation);
	return fchmod(fd, mode) < 0 ? fail_at("change the mode of", operation) : 0;
}

// Whether it was done before a crash, seen from what the stage holds.
static bool is_done(int stage, const char *staged, const struct operation *operation)
{
	struct stat status;
	bool there = stage >= 0 && fstatat(stage, staged, &status, AT_SYMLINK_NOFOLLOW) == 0;
	switch (operation->kind) {
	case OPERATION_ADD:
		return !there;
	case OPERATION_REPLACE:
		return !there || (status.st_ino & INT64_MAX) != operation->staged.inode;
	case OPERATION_REMOVE:
		return there;
	case OPERATION_MODE:
		return false; // doing it twice is the same
	}
	return false;
}

static bool displaces(const struct operation *operation)
{
	return operation->kind == OPERATION_REPLACE || operation->kind == OPERATION_REMOVE;
}

static void name_staged(char name[NAME_MOST], const struct operation *operation)
{
	snprintf(name, NAME_MOST, "%u", operation->number);
}

// The directory of the host that holds it, which is the one that was looked at.
static int open_parent(struct applying *applying, const struct operation *operation,
		       const char **ret_name)
{
	struct stat status;
	autoclose int parent =
		changes_host_below(applying->hosts[operation->root], operation->path, ret_name);
	TRY(parent);
	if (fstat(parent, &status) < 0 || (status.st_ino & INT64_MAX) != operation->parent)
		return changed(operation);
	return take(&parent);
}

static int do_one(struct applying *applying, const struct operation *operation)
{
	char staged[NAME_MOST];
	const char *name;
	int stage = applying->stages[operation->root];
	name_staged(staged, operation);
	if (applying->resumed && is_done(stage, staged, operation))
		return !displaces(operation) || thing_moved(&operation->was, stage, staged)
			       ? 0
			       : changed(operation);
	autoclose int parent = open_parent(applying, operation, &name);
	TRY(parent);
	switch (operation->kind) {
	case OPERATION_ADD:
		if (fd_rename_new(stage, staged, parent, name) == 0)
			return 0;
		return errno == EEXIST ? changed(operation) : fail_at("make", operation);
	case OPERATION_REPLACE:
		return replace(stage, staged, parent, name, operation);
	case OPERATION_REMOVE:
		return remove_one(stage, staged, parent, name, operation);
	case OPERATION_MODE:
		return change_mode(parent, name, operation, operation->old_mode, operation->mode);
	}
	return -1;
}

// Ours, and untouched: back to the stage. False: it is the host's by now.
static bool take_staged(int stage, const char *staged, int parent, const char *name,
			const struct operation *operation, unsigned exchange)
{
	struct stat status;
	if (parent < 0 || fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (status.st_ino & INT64_MAX) != operation->staged.inode)
		return false;
	if ((exchange ? sys_renameat2(parent, name, stage, staged, exchange)
		      : fd_rename_new(parent, name, stage, staged)) < 0)
		return false;
	if (thing_moved(&operation->staged, stage, staged))
		return true;
	if (exchange)
		sys_renameat2(stage, staged, parent, name, exchange);
	else
		fd_rename_new(stage, staged, parent, name);
	return false;
}

static int undo_add(struct applying *applying, int stage, const char *staged, int parent,
		    const char *name, const struct operation *operation)
{
	struct stat status;
	if (parent < 0 || fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    take_staged(stage, staged, parent, name, operation, 0))
		return 0;
	out_text(&applying->told, "sbx: '%s' was changed since the apply put it there: it stays\n",
		 str_shown(operation->path));
	return 0;
}

// -1: the host's old version could not be put anywhere but in the stage.
static int undo_one(struct applying *applying, const struct operation *operation)
{
	char staged[NAME_MOST];
	const char *name;
	int stage = applying->stages[operation->root];
	name_staged(staged, operation);
	if (operation->kind != OPERATION_MODE && !is_done(stage, staged, operation))
		return 0;
	autoclose int parent = open_parent(applying, operation, &name);
	err_clear();
	switch (operation->kind) {
	case OPERATION_ADD:
		return undo_add(applying, stage, staged, parent, name, operation);
	case OPERATION_REPLACE:
		if (faccessat(stage, staged, F_OK, AT_SYMLINK_NOFOLLOW) < 0 ||
		    take_staged(stage, staged, parent, name, operation, SYS_RENAME_EXCHANGE))
			return 0;
		return beside_keep(applying, operation);
	case OPERATION_REMOVE:
		if (parent >= 0 && fd_rename_new(stage, staged, parent, name) == 0)
			return 0;
		return beside_keep(applying, operation);
	case OPERATION_MODE:
		if (parent >= 0)
			change_mode(parent, name, operation, operation->mode, operation->old_mode);
		err_clear();
		return 0;
	}
	return -1;
}

int commit_clean(struct applying *applying)
{
	TRY(stage_remove(applying));
	return unlinkat(applying->held->directory, "journal", 0) < 0
		       ? fail(errno, "remove the journal")
		       : 0;
}

static int back(struct applying *applying)
{
	struct journal *journal = &applying->journal;
	int left = 0;
	journal->phase = PHASE_BACK;
	TRY(journal_write(applying));
	for (unsigned i = journal->attempted; i-- > 0;)
		left |= undo_one(applying, &journal->operations[i]);
	if (left < 0)
		return fail(0,
			    "what it had replaced is still in its stage; when there is room "
			    "for it, again: sbx session discard %s",
			    applying->held->name);
	TRY(note_back(applying));
	return commit_clean(applying);
}

// Whoever has a file open writes to it wherever it goes, and a directory is somebody's own: what
// has changed in the stage is kept, too.
static int keep_changed(struct applying *applying)
{
	const struct journal *journal = &applying->journal;
	for (unsigned i = 0; i < journal->operation_count; i++) {
		const struct operation *operation = &journal->operations[i];
		char staged[NAME_MOST];
		name_staged(staged, operation);
		if (displaces(operation) &&
		    !thing_moved(&operation->was, applying->stages[operation->root], staged) &&
		    faccessat(applying->stages[operation->root], staged, F_OK,
			      AT_SYMLINK_NOFOLLOW) == 0)
			TRY(beside_keep(applying, operation));
	}
	return 0;
}

static int forward(struct applying *applying)
{
	struct journal *journal = &applying->journal;
	unsigned done = 0;
	while (done < journal->operation_count && do_one(applying, &journal->operations[done]) == 0)
		done++;
	if (done < journal->operation_count) {
		journal->attempted = done + 1; // it may have been moved to and fro
		const char *why =
			arena_copy(applying->store->arena, err_text(), strlen(err_text()));
		err_clear();
		if (back(applying) < 0)
			out_text(&applying->told, "sbx: %s\n", err_text());
		err_clear();
		return fail(0, "%s", why);
	}
	// The names must be on the disk before what they replaced goes: the second point that needs
	// it.
	TRY(stage_sync(applying));
	TRY(keep_changed(applying));
	TRY(note_done(applying));
	// What was done is known by now: the stage alone is left.
	journal->operation_count = journal->leaf_count = journal->attempted = 0;
	journal->phase = PHASE_CLEAN;
	TRY(journal_write(applying));
	return commit_clean(applying);
}

// Its words come back by memory that both have.
static int run_apart(struct applying *applying, int (*run)(struct applying *applying))
{
	struct arena *arena = applying->store->arena;
	char *why = arena_take(arena, TEXT_MOST), *told = arena_take(arena, TOLD_MOST);
	sigset_t all, before;
	int status = 0;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		int result = run(applying);
		snprintf(why, TEXT_MOST, "%s", err_text());
		snprintf(told, TOLD_MOST, "%s", applying->told.text ? applying->told.text : "");
		_exit(result < 0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return fail(errno, "fork");
	applying->words = told;
	if (!WIFEXITED(status))
		return fail(0, "the apply was interrupted; to end it: sbx session apply %s",
			    applying->held->name);
	if (WEXITSTATUS(status) == 0)
		return 0;
	return fail(0, told[0] ? "%s; all else was taken back" : "%s; nothing was changed", why);
}

int commit_run(struct applying *applying)
{
	return run_apart(applying, forward);
}

int commit_back(struct applying *applying)
{
	return run_apart(applying, back);
}
