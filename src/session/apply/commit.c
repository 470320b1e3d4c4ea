// Owns the commit of an apply: one rename for each file, which the journal names before. Moves only
// unchanged files, and undoes only its own renames.
#include "session/apply/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "session/compare/changes.h"

enum { UNENDED = -2 };
enum { NUMBERS_MAX = 10000, KEPT_OF_NAME = NAME_MAX - 16 };

static const char *name_staged(const struct applying *applying, const struct operation *operation)
{
	return arena_text(applying->arena, "%u", operation->number);
}

static int changed(const struct operation *operation)
{
	return fail(0, "'%s' was changed on the host meanwhile", str_shown(operation->path));
}

static int fail_at(const char *what, const struct operation *operation)
{
	return fail(errno, "%s '%s'", what, str_shown(operation->path));
}

static int move(int from, const char *name, int to, const char *fresh, bool exchange)
{
	return exchange ? sys_renameat2(from, name, to, fresh, SYS_RENAME_EXCHANGE)
			: fd_rename_new(from, name, to, fresh);
}

// Moves the host's file to the stage, then compares it: another process may replace or fill it
// before the rename.
static int displace(int stage, const char *staged, int parent, const char *name,
		    const struct operation *operation)
{
	struct stat status;
	bool replaces = operation->kind == OPERATION_REPLACE;
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !thing_is_same(&operation->was, &status))
		return changed(operation);
	if (move(parent, name, stage, staged, replaces) < 0)
		return replaces && errno == EINVAL
			       ? fail(0,
				      "'%s' cannot be replaced: its file system does not exchange "
				      "names; see: sbx session diff",
				      str_shown(operation->path))
			       : fail_at(replaces ? "replace" : "remove", operation);
	return thing_moved(&operation->was, stage, staged) ? 0 : changed(operation);
}

static int change_mode(int parent, const char *name, const struct operation *operation,
		       mode_t before, mode_t mode)
{
	struct stat status;
	autoclose int fd = fd_directory(parent, name);
	if (fd < 0 || fstat(fd, &status) < 0 || status.st_ino != operation->was.inode)
		return changed(operation);
	if ((status.st_mode & 07777) == mode)
		return 0;
	if ((status.st_mode & 07777) != before)
		return changed(operation);
	return fchmod(fd, mode) < 0 ? fail_at("change the mode of", operation) : 0;
}

static bool is_done(int stage, const char *staged, const struct operation *operation)
{
	struct stat status;
	bool there = stage >= 0 && fstatat(stage, staged, &status, AT_SYMLINK_NOFOLLOW) == 0;
	switch (operation->kind) {
	case OPERATION_ADD:
		return !there;
	case OPERATION_REPLACE:
		return !there || status.st_ino != operation->staged.inode;
	case OPERATION_REMOVE:
		return there;
	case OPERATION_MODE:
	case OPERATION_LEAF:
		return false;
	}
	return false;
}

static bool displaces(const struct operation *operation)
{
	return operation->kind == OPERATION_REPLACE || operation->kind == OPERATION_REMOVE;
}

static int open_parent(struct applying *applying, const struct operation *operation,
		       const char **ret_name)
{
	struct stat status;
	autoclose int parent =
		sides_host_below(applying->hosts[operation->root], operation->path, ret_name);
	TRY(parent);
	if (fstat(parent, &status) < 0 || status.st_ino != operation->parent)
		return changed(operation);
	return take(&parent);
}

static bool is_absent(int directory, const char *name)
{
	return faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

// Compares a staged file only if others may reach the stage.
static int look_at_staged(const struct applying *applying, const struct operation *operation,
			  int stage, const char *staged)
{
	struct thing now;
	bool puts = operation->kind == OPERATION_ADD || operation->kind == OPERATION_REPLACE;
	if (!puts || stage_is_own(applying, operation->root))
		return 0;
	return thing_look(stage, staged, &now) == 0 && thing_is(&operation->staged, &now)
		       ? 0
		       : fail(0, "the copy of '%s' was changed in the stage",
			      str_shown(operation->path));
}

static int do_one(struct applying *applying, const struct operation *operation)
{
	const char *name;
	int stage = applying->stages[operation->root];
	const char *staged = name_staged(applying, operation);
	if (operation->kind == OPERATION_LEAF)
		return 0;
	if (applying->resumed && is_done(stage, staged, operation))
		return !displaces(operation) || thing_moved(&operation->was, stage, staged)
			       ? 0
			       : changed(operation);
	autoclose int parent = open_parent(applying, operation, &name);
	TRY(parent);
	TRY(look_at_staged(applying, operation, stage, staged));
	switch (operation->kind) {
	case OPERATION_ADD:
		if (fd_rename_new(stage, staged, parent, name) == 0)
			return 0;
		return errno == EEXIST ? changed(operation) : fail_at("make", operation);
	case OPERATION_REMOVE:
		if (applying->resumed && is_absent(parent, name) && is_absent(stage, staged))
			return 0;
		return displace(stage, staged, parent, name, operation);
	case OPERATION_REPLACE:
		return displace(stage, staged, parent, name, operation);
	case OPERATION_MODE:
		return change_mode(parent, name, operation, operation->old_mode, operation->mode);
	case OPERATION_LEAF:
		break;
	}
	return -1;
}

static int put_beside(int stage, const char *staged, int to, const char *name,
		      char ret_name[NAME_MAX + 1])
{
	for (int number = 1; number < NUMBERS_MAX; number++) {
		int length = snprintf(ret_name, NAME_MAX + 1, "%.*s.sbx-old", KEPT_OF_NAME, name);
		if (number > 1)
			snprintf(ret_name + length, (size_t)(NAME_MAX + 1 - length), "-%d", number);
		if (fd_rename_new(stage, staged, to, ret_name) == 0)
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

// Why an old version is saved under another name: the host changed the new one, or a process wrote
// to the old one or has it open.
enum beside { BESIDE_BACK, BESIDE_CHANGED, BESIDE_OPEN };

static const char *const reasons[] = {
	[BESIDE_BACK] =
		"was changed on the host meanwhile and stays; the version that the apply found",
	[BESIDE_CHANGED] = "was changed on the host while it was replaced; that version",
	[BESIDE_OPEN] = "is open in a program of the host, which may write to it; that version",
};

// Returns -1 when there is no free name: the file stays in the stage.
static int keep_beside(struct applying *applying, const struct operation *operation,
		       enum beside why)
{
	struct arena *arena = applying->arena;
	char kept[NAME_MAX + 1];
	const char *staged = name_staged(applying, operation);
	const char *name = path_name(operation->path), *place = kept;
	const char *root = applying->held->session.roots[operation->root].path;
	int stage = applying->stages[operation->root], top = applying->hosts[operation->root];
	autoclose int parent = ATTEMPT(sides_host_below(top, operation->path, &name));
	if (parent >= 0 && put_beside(stage, staged, parent, name, kept) == 0)
		place = name == operation->path
				? kept
				: path_below(arena, path_parent(arena, operation->path), kept);
	else if (put_beside(stage, staged, top, name, kept) < 0)
		return -1;
	const char *whole = arena_text(arena, "%s", str_shown(path_below(arena, root, place)));
	out_text(&applying->notes, "sbx: '%s' %s is saved as '%s'\n", str_shown(operation->path),
		 reasons[why], whole);
	return 0;
}

// Moves a new file back to the stage. Returns false when the host has replaced it.
static bool take_staged(int stage, const char *staged, int parent, const char *name,
			const struct operation *operation, bool exchange)
{
	struct stat status;
	if (parent < 0 || fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    status.st_ino != operation->staged.inode)
		return false;
	if (move(parent, name, stage, staged, exchange) < 0)
		return false;
	if (thing_moved(&operation->staged, stage, staged))
		return true;
	move(stage, staged, parent, name, exchange);
	return false;
}

static int undo_add(struct applying *applying, int stage, const char *staged, int parent,
		    const char *name, const struct operation *operation)
{
	struct stat status;
	if (parent < 0 || fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    take_staged(stage, staged, parent, name, operation, false))
		return 0;
	out_text(&applying->notes, "sbx: '%s' was changed since the apply put it there: it stays\n",
		 str_shown(operation->path));
	return 0;
}

static int undo_one(struct applying *applying, const struct operation *operation)
{
	const char *name;
	int stage = applying->stages[operation->root];
	const char *staged = name_staged(applying, operation);
	if (operation->kind != OPERATION_MODE && !is_done(stage, staged, operation))
		return 0;
	autoclose int parent = ATTEMPT(open_parent(applying, operation, &name));
	switch (operation->kind) {
	case OPERATION_ADD:
		return undo_add(applying, stage, staged, parent, name, operation);
	case OPERATION_REPLACE:
		if (faccessat(stage, staged, F_OK, AT_SYMLINK_NOFOLLOW) < 0 ||
		    take_staged(stage, staged, parent, name, operation, true))
			return 0;
		return keep_beside(applying, operation, BESIDE_BACK);
	case OPERATION_REMOVE:
		if (parent >= 0 && fd_rename_new(stage, staged, parent, name) == 0)
			return 0;
		return keep_beside(applying, operation, BESIDE_BACK);
	case OPERATION_MODE:
		if (parent >= 0)
			(void)ATTEMPT(change_mode(parent, name, operation, operation->mode,
						  operation->old_mode));
		return 0;
	case OPERATION_LEAF:
		break;
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
			    "the replaced files are still in its stage; when there is room for "
			    "them, repeat: sbx session discard %s",
			    applying->held->name);
	TRY(note_applied(applying));
	return commit_clean(applying);
}

// Saves old versions that a process changed or has open: its writes follow a renamed file.
static int keep_changed(struct applying *applying)
{
	const struct journal *journal = &applying->journal;
	bool asks[ROOTS_MAX];
	for (unsigned i = 0; i < ROOTS_MAX; i++)
		asks[i] = applying->stages[i] >= 0 && thing_can_be_asked(applying->stages[i]);
	for (unsigned i = 0; i < journal->operation_count; i++) {
		const struct operation *operation = &journal->operations[i];
		int stage = applying->stages[operation->root];
		const char *staged = name_staged(applying, operation);
		if (!displaces(operation) || is_absent(stage, staged))
			continue;
		if (!thing_moved(&operation->was, stage, staged))
			TRY(keep_beside(applying, operation, BESIDE_CHANGED));
		else if (asks[operation->root] && thing_is_open(stage, staged))
			TRY(keep_beside(applying, operation, BESIDE_OPEN));
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
		journal->attempted = applying->resumed ? journal->operation_count : done + 1;
		const char *text = err_taken(),
			   *why = arena_copy(applying->arena, text, strlen(text));
		if (back(applying) < 0)
			out_text(&applying->notes, "sbx: %s\n", err_taken());
		return fail(0, "%s", why);
	}
	// Syncs the new files before the old versions are removed.
	if (stage_sync(applying) < 0 || keep_changed(applying) < 0 || note_applied(applying) < 0)
		return UNENDED;
	journal->operation_count = journal->attempted = 0;
	journal->phase = PHASE_CLEAN;
	TRY(journal_write(applying));
	return commit_clean(applying);
}

static int run_apart(struct applying *applying, int (*run)(struct applying *applying),
		     struct out *notes)
{
	struct arena *arena = applying->arena;
	sigset_t all, before;
	int status = 0;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		int result = run(applying);
		applying->why = arena_text(arena, "%s", err_text());
		if (applying->notes.used > 0)
			applying->words =
				arena_copy(arena, applying->notes.text, applying->notes.used);
		_exit(-result);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
	out_text(notes, "%s", applying->words);
	if (pid < 0)
		return fail(errno, "fork");
	if (!WIFEXITED(status))
		return fail(0, "the apply was interrupted; to complete it: sbx session apply %s",
			    applying->held->name);
	if (WEXITSTATUS(status) == 0)
		return 0;
	if (WEXITSTATUS(status) == -UNENDED)
		return fail(0,
			    "%s; the changes are in place; when this is repaired, to complete the "
			    "apply: sbx session apply %s",
			    applying->why, applying->held->name);
	return fail(0,
		    applying->words[0] ? "%s; all else was rolled back" : "%s; nothing was changed",
		    applying->why);
}

int commit_run(struct applying *applying, struct out *notes)
{
	return run_apart(applying, forward, notes);
}

int commit_back(struct applying *applying, struct out *notes)
{
	return run_apart(applying, back, notes);
}
