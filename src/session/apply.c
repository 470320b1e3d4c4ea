// Owns the commit of an apply. Everything is staged first; then each thing is put in place by one
// rename, noted before in the journal, in a process that a killed sbx does not take along; what
// was there goes to the stage, so that a failure takes all of it back.
#include "session/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "base/trusted.h"
#include "session/history.h"
#include "session/select.h"
#include "session/stage.h"

enum { TOLD_MOST = 20, TEXT_MOST = 512 };

static bool is_there(const struct operation *operation, const struct stat *status)
{
	return status->st_ino == operation->was &&
	       (S_ISDIR(status->st_mode) ||
		(status->st_ctim.tv_sec == operation->changed.tv_sec &&
		 status->st_ctim.tv_nsec == operation->changed.tv_nsec));
}

static int changed(const struct operation *operation)
{
	return fail(0, "'%s' was changed on the host meanwhile", str_shown(operation->path));
}

static int fail_at(const char *what, const struct operation *operation)
{
	return fail(errno, "%s '%s'", what, str_shown(operation->path));
}

static int replace(int stage, const char *staged, int parent, const char *name,
		   const struct operation *operation)
{
	struct stat status;
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !is_there(operation, &status))
		return changed(operation);
	if (sys_renameat2(stage, staged, parent, name, SYS_RENAME_EXCHANGE) < 0)
		return errno == EINVAL ? fail(0,
					      "'%s' cannot be replaced: its file system does not "
					      "exchange names; see: sbx session diff",
					      str_shown(operation->path))
				       : fail_at("replace", operation);
	// Between the look and the rename somebody may have been quicker.
	if (fstatat(stage, staged, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    status.st_ino == operation->was)
		return 0;
	sys_renameat2(stage, staged, parent, name, SYS_RENAME_EXCHANGE);
	return changed(operation);
}

static int remove_one(int stage, const char *staged, int parent, const char *name,
		      const struct operation *operation)
{
	struct stat status;
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !is_there(operation, &status))
		return changed(operation);
	if (fd_rename_new(parent, name, stage, staged) < 0)
		return fail_at("remove", operation);
	if (fstatat(stage, staged, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    status.st_ino == operation->was)
		return 0;
	fd_rename_new(stage, staged, parent, name);
	return changed(operation);
}

static int change_mode(int parent, const char *name, const struct operation *operation, mode_t mode)
{
	struct stat status;
	autoclose int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || status.st_ino != operation->was)
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
		return !there || status.st_ino != operation->staged;
	case OPERATION_REMOVE:
		return there;
	case OPERATION_MODE:
		return false; // doing it twice is the same
	}
	return false;
}

static int do_one(struct applying *applying, const struct operation *operation)
{
	char staged[16];
	const char *name;
	int stage = applying->stages[operation->root];
	snprintf(staged, sizeof(staged), "%u", operation->number);
	if (is_done(stage, staged, operation))
		return 0;
	autoclose int parent = changes_host_parent(&applying->held->session, operation->root,
						   operation->path, &name);
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
		return change_mode(parent, name, operation, operation->mode);
	}
	return -1;
}

static void undo_one(struct applying *applying, const struct operation *operation)
{
	char staged[16];
	const char *name;
	int stage = applying->stages[operation->root];
	snprintf(staged, sizeof(staged), "%u", operation->number);
	bool done = is_done(stage, staged, operation) || operation->kind == OPERATION_MODE;
	autoclose int parent = changes_host_parent(&applying->held->session, operation->root,
						   operation->path, &name);
	if (!done || parent < 0)
		return;
	switch (operation->kind) {
	case OPERATION_ADD:
		fd_rename_new(parent, name, stage, staged);
		break;
	case OPERATION_REPLACE:
		sys_renameat2(stage, staged, parent, name, SYS_RENAME_EXCHANGE);
		break;
	case OPERATION_REMOVE:
		fd_rename_new(stage, staged, parent, name);
		break;
	case OPERATION_MODE:
		change_mode(parent, name, operation, operation->old_mode);
		break;
	}
}

static int note_known(struct applying *applying)
{
	struct arena *arena = applying->store->arena;
	const struct journal *journal = &applying->journal;
	struct known *before, all;
	struct out out = { 0 };
	TRY(known_read(applying->store, applying->held, &before));
	all.files = arena_take(arena, ((size_t)before->count + journal->leaf_count + 1) *
					      sizeof(*all.files));
	all.count = before->count;
	if (before->count > 0)
		memcpy(all.files, before->files, before->count * sizeof(*all.files));
	for (unsigned i = 0; i < journal->leaf_count; i++) {
		const struct leaf *leaf = &journal->leaves[i];
		struct stat status;
		const char *name;
		autoclose int parent = changes_host_parent(&applying->held->session, leaf->root,
							   leaf->path, &name);
		if (parent >= 0 && fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
			all.files[all.count++] =
				(struct known_file){ leaf->root, leaf->path, status.st_ino,
						     status.st_ctim };
	}
	err_clear();
	known_order(&all);
	known_format(&all, &out);
	int result = store_replace_file(applying->held->directory, "known", out.text, out.used);
	out_free(&out);
	return result;
}

static int clean(struct applying *applying)
{
	TRY(stage_remove(applying));
	return unlinkat(applying->held->directory, "journal", 0) < 0
		       ? fail(errno, "remove the journal")
		       : 0;
}

static int commit(struct applying *applying)
{
	struct journal *journal = &applying->journal;
	unsigned done = 0;
	while (done < journal->operation_count && do_one(applying, &journal->operations[done]) == 0)
		done++;
	if (done < journal->operation_count) {
		while (done-- > 0)
			undo_one(applying, &journal->operations[done]);
		journal->phase = PHASE_STAGE;
		journal_write(applying); // the first reason is kept
		clean(applying);
		return -1;
	}
	TRY(note_known(applying));
	journal->phase = PHASE_CLEAN;
	TRY(journal_write(applying));
	return clean(applying);
}

// In a process of its own; its words come back by memory that both have.
static int commit_apart(struct applying *applying)
{
	char *why = arena_take(applying->store->arena, TEXT_MOST);
	sigset_t all, before;
	int status = 0;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		int result = commit(applying);
		snprintf(why, TEXT_MOST, "%s", err_text());
		_exit(result < 0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return fail(errno, "fork");
	if (!WIFEXITED(status))
		return fail(0, "the apply was interrupted; to end it: sbx session apply %s",
			    applying->held->name);
	return WEXITSTATUS(status) == 0 ? 0 : fail(0, "%s; nothing was changed", why);
}

static struct applying *begin(struct store *store, struct held *held)
{
	struct applying *applying = arena_take(store->arena, sizeof(*applying));
	*applying = (struct applying){ .store = store, .held = held };
	for (unsigned i = 0; i < ROOTS_MOST; i++)
		applying->stages[i] = -1;
	return applying;
}

// Relative to the project, else absolute: as it can be named.
static const char *shown(const struct applying *applying, const struct change *change)
{
	const struct session *session = &applying->held->session;
	const char *root = session->roots[change->root].path;
	const char *path = str_shown(change->path);
	return str_equal(root, session->project)
		       ? path
		       : path_below(applying->store->arena, str_shown(root), path);
}

static int refuse_conflicts(const struct applying *applying, struct out *told)
{
	unsigned count = 0;
	for (unsigned i = 0; i < applying->changes.count; i++) {
		const struct change *change = &applying->changes.list[i];
		if (!applying->selected[i] || !change->conflict)
			continue;
		if (count++ < TOLD_MOST)
			out_text(told, "sbx: conflict: %s: %s on the host since\n",
				 shown(applying, change),
				 change->was.st_mode ? "changed" : "removed");
	}
	if (count > TOLD_MOST)
		out_text(told, "sbx: and %u more\n", count - TOLD_MOST);
	return count == 0 ? 0
			  : fail(0,
				 "%u conflict%s; nothing was changed. To see them: sbx session "
				 "diff %s; to apply "
				 "over them: --force, or name the paths without them",
				 count, count == 1 ? "" : "s", applying->held->name);
}

static void tell(const struct applying *applying, struct out *told)
{
	unsigned applied = 0, guarded = 0;
	const char *first = NULL;
	for (unsigned i = 0; i < applying->changes.count; i++) {
		const struct change *change = &applying->changes.list[i];
		applied += applying->selected[i];
		if (applying->selected[i] && !change->covered && trusted_is_reported(change->path))
			out_text(told, "sbx: applied, and your own programs will run it: %s\n",
				 shown(applying, change));
		if (applying->selected[i] || !change->guarded || change->inside)
			continue;
		first = first ? first : shown(applying, change);
		if (guarded++ < TOLD_MOST)
			out_text(told,
				 "sbx: not applied: %s: your own programs would run or trust it\n",
				 shown(applying, change));
	}
	if (guarded > 0)
		out_text(told, "sbx: to apply such a name, name it: sbx session apply %s %s\n",
			 applying->held->name, first);
	if (applying->special > 0)
		out_text(told, "sbx: %u socket%s or device%s not applied\n", applying->special,
			 applying->special == 1 ? "" : "s", applying->special == 1 ? "" : "s");
	if (applying->links > 0)
		out_text(told,
			 "sbx: %u replaced file%s had other names (hard links), which keep the old "
			 "content\n",
			 applying->links, applying->links == 1 ? "" : "s");
	out_text(told, "sbx: %u change%s applied\n", applied, applied == 1 ? "" : "s");
}

int apply_run(struct store *store, struct held *held, char *const *words, enum force force,
	      struct out *told)
{
	struct applying *applying = begin(store, held);
	TRY(changes_find(store, held, &applying->changes));
	TRY(select_changes(store, held, &applying->changes, words, &applying->selected));
	if (force == FORCE_NO)
		TRY(refuse_conflicts(applying, told));
	TRY(stage_places(applying));
	TRY(journal_write(applying));
	if (stage_make(applying) < 0 || stage_fill(applying) < 0) {
		clean(applying); // the first reason is kept
		return -1;
	}
	applying->journal.phase = PHASE_COMMIT;
	if (journal_write(applying) < 0) {
		clean(applying);
		return -1;
	}
	TRY(commit_apart(applying));
	tell(applying, told);
	return 0;
}

bool apply_is_pending(const struct held *held)
{
	return faccessat(held->directory, "journal", F_OK, 0) == 0;
}

int apply_resume(struct store *store, struct held *held, struct out *told)
{
	struct applying *applying;
	const char *text;
	size_t length;
	int found = store_read_file(store->arena, held->directory, "journal", JOURNAL_BYTES_MOST,
				    &text, &length);
	if (found <= 0)
		return found;
	applying = begin(store, held);
	if (journal_parse(store->arena, text, length, &applying->journal) < 0) {
		const char *why = arena_copy(store->arena, err_text(), strlen(err_text()));
		err_clear();
		return fail(0,
			    "the journal of an interrupted apply cannot be used: %s "
			    "('%s/%s/journal'); nothing was changed",
			    why, store->sessions_path, held->name);
	}
	TRY(stage_reopen(applying));
	switch (applying->journal.phase) {
	case PHASE_STAGE:
		out_text(told, "sbx: an interrupted apply was taken back\n");
		return clean(applying);
	case PHASE_COMMIT:
		TRY(commit_apart(applying));
		out_text(told, "sbx: an interrupted apply was brought to its end\n");
		return 0;
	case PHASE_CLEAN:
		return clean(applying);
	}
	return -1;
}
