// Owns the steps of an apply: compare, stage, write the journal, commit.
#include "session/apply/apply.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "boxes/record.h"
#include "names/names.h"
#include "session/compare/changes.h"

enum { NOTES_MAX = 20, RUN_MAX = 40 };

static struct applying *begin(struct held *held)
{
	struct arena *arena = held->store->arena;
	struct applying *applying = arena_take(arena, sizeof(*applying));
	*applying = (struct applying){ .arena = arena, .held = held, .words = "" };
	umask(applying->narrowed.umask = umask(0));
	for (unsigned i = 0; i < ROOTS_MAX; i++)
		applying->stages[i] = applying->hosts[i] = applying->above[i] = -1;
	return applying;
}

static const char *shown(const struct applying *applying, const struct change *change)
{
	return str_shown(change_name(applying->held, change));
}

static int refuse_conflicts(const struct applying *applying, enum force force, struct out *notes)
{
	unsigned count = 0, git = 0;
	const char *name = applying->held->name;
	for (unsigned i = 0; i < applying->changes.count; i++) {
		const struct change *change = &applying->changes.list[i];
		if (!change->selected || !change->conflict ||
		    (force == FORCE_YES && (!change->git || change->named)))
			continue;
		git += change->git;
		if (count++ < NOTES_MAX)
			out_text(notes, "sbx: conflict: %s: %s on the host since\n",
				 shown(applying, change),
				 change->was.st_mode ? "changed" : "removed");
	}
	if (count > NOTES_MAX)
		out_text(notes, "sbx: and %u more\n", count - NOTES_MAX);
	const char *one = count == 1 ? "" : "s";
	if (git > 0)
		return fail(0,
			    "%u conflict%s, %u in git's own files; nothing was changed. To apply "
			    "other paths: name them, then: git add; to give up the session's "
			    "files, once the commits are fetched: sbx session discard %s; for the "
			    "commits: sbx run -s %s -- git bundle create -q - HEAD >FILE; git "
			    "fetch FILE HEAD; git merge FETCH_HEAD",
			    count, one, git, name, name);
	return count == 0 ? 0
			  : fail(0,
				 "%u conflict%s; nothing was changed. To see them: sbx session "
				 "diff %s; to apply over them: --force, or name the paths without "
				 "them",
				 count, one, name);
}

static bool is_reported_below(const char *path)
{
	if (trusted_is_below(path))
		return true;
	trusted_each (row, TRUSTED_TELL)
		if (!row->pattern && strchr(trusted_name(row), '/') &&
		    str_equal(trusted_name(row), path))
			return true;
	return false;
}

static bool is_mentioned(const struct applying *applying, const struct change *change)
{
	const char *path = path_below(
		applying->arena, applying->held->session.roots[change->root].path, change->path);
	list_each (item, &applying->mentioned)
		if (path_within(item->text, path))
			return true;
	return false;
}

static bool will_run(const struct applying *applying, const struct change *change)
{
	bool whole = S_ISDIR(change->is.st_mode) || !change->is.st_mode;
	return (change->covered ? is_reported_below(change->path)
				: trusted_is_reported(change->path)) ||
	       (!whole && is_mentioned(applying, change));
}

static const char *why_not(const struct change *change)
{
	return change->refused    ? " "
	       : change->moved_to ? ": the session has moved it to "
	       : change->waits    ? ": a pipe, and your own programs would wait for it"
				  : ": your own programs would run or trust it";
}

static void tell_applied(struct applying *applying, const struct change *change, struct out *notes)
{
	char leads[PATH_MAX];
	if (will_run(applying, change) && applying->run++ < RUN_MAX)
		out_text(notes,
			 change->kind == CHANGE_REMOVED
				 ? "sbx: removed, and your own programs have used it: %s\n"
				 : "sbx: applied, and your own programs will run it: %s\n",
			 shown(applying, change));
	if (sides_leads_out(applying->held, change, leads) && applying->leading++ < NOTES_MAX)
		out_text(notes,
			 "sbx: applied: %s is a symlink to '%s', which the session could not see; "
			 "check it before you use it\n",
			 shown(applying, change), str_shown(leads));
}

static void tell_narrowed(const struct applying *applying, const char *first, struct out *notes)
{
	const struct narrowed *narrowed = &applying->narrowed;
	out_text(notes, "sbx: %s has mode %o and not %o, as your umask is %03o", first,
		 narrowed->first->is.st_mode & 0777, narrowed->mode & 0777, narrowed->umask);
	if (narrowed->count > 1)
		out_text(notes, "; the same of %u more", narrowed->count - 1);
	const char *word = quote_fix(applying->arena, first);
	if (word)
		out_text(notes, "; to change it: chmod %o %s", narrowed->mode & 0777, word);
	out_text(notes, "\n");
}

static void tell(struct applying *applying, struct out *notes)
{
	unsigned applied = 0, guarded = 0;
	const char *first = NULL;
	for (unsigned i = 0; i < applying->changes.count; i++) {
		const struct change *change = &applying->changes.list[i];
		applied += change->selected;
		if (change->selected)
			tell_applied(applying, change, notes);
		if (!change->asked)
			continue;
		if (change->far)
			out_text(notes, "sbx: not applied: %s: it is too deep to be compared\n",
				 shown(applying, change));
		if (change->selected || !change->guarded || change->inside)
			continue;
		first = first || change->left ? first : shown(applying, change);
		if (guarded++ < NOTES_MAX)
			out_text(notes, "sbx: not applied: %s%s%s%s\n", shown(applying, change),
				 why_not(change), change->refused ? str_shown(change->refused) : "",
				 change->moved_to ? str_shown(change->moved_to) : "");
	}
	if (applying->run > RUN_MAX)
		out_text(notes, "sbx: and %u more that your own programs will run\n",
			 applying->run - RUN_MAX);
	if (applying->leading > NOTES_MAX)
		out_text(notes, "sbx: and %u more such symlinks\n", applying->leading - NOTES_MAX);
	if (first)
		out_text(notes, "sbx: to apply such a name, name it: sbx session apply %s %s\n",
			 applying->held->name, first);
	if (applying->changes.too_far)
		out_text(notes, "sbx: not applied: files in %s, which is too deep or too long\n",
			 str_shown(applying->changes.too_far));
	if (applying->special > 0)
		out_text(notes, "sbx: %u socket%s or device%s not applied\n", applying->special,
			 applying->special == 1 ? "" : "s", applying->special == 1 ? "" : "s");
	if (applying->narrowed.set > 0)
		out_text(notes, "sbx: %u file%s without the set-user-ID and set-group-ID bits\n",
			 applying->narrowed.set, applying->narrowed.set == 1 ? "" : "s");
	if (applying->narrowed.count > 0)
		tell_narrowed(applying, shown(applying, applying->narrowed.first), notes);
	if (applying->links > 0)
		out_text(notes,
			 "sbx: %u replaced file%s had other names (hard links), which keep the old "
			 "content\n",
			 applying->links, applying->links == 1 ? "" : "s");
	out_text(notes, "sbx: %u change%s applied\n", applied - applying->special,
		 applied - applying->special == 1 ? "" : "s");
}

static int give_up(struct applying *applying)
{
	commit_clean(applying);
	return -1;
}

// Refuses files that programs trust, if a live box reaches the stage: through an open directory it
// could change a copy even after the rename.
static int refuse_reached(const struct applying *applying)
{
	struct store *store = applying->held->store;
	for (unsigned i = 0; i < applying->changes.count; i++) {
		const struct change *change = &applying->changes.list[i];
		if (!change->selected || !change->guarded || stage_is_own(applying, change->root))
			continue;
		const char *stage = applying->journal.roots[change->root].stage;
		if (records_reach(store->arena, store->state, path_parent(store->arena, stage)))
			return fail(0,
				    "'%s': your own programs would run or trust it, and a box "
				    "that runs in this project could change the copy; nothing was "
				    "changed; end that box, then: sbx session apply %s",
				    shown(applying, change), applying->held->name);
	}
	return 0;
}

static int prepare(struct applying *applying, char *const *words, enum force force,
		   struct out *notes)
{
	enum project project = force == FORCE_YES ? PROJECT_ANY : PROJECT_SAME;
	struct changes *changes = &applying->changes;
	TRY(changes_find(applying->held, project, changes));
	TRY(select_changes(applying->held, changes, words));
	TRY(refuse_conflicts(applying, force, notes));
	TRY(mentioned_find(applying->held, changes, &applying->mentioned));
	applying->journal.forced = force == FORCE_YES;
	TRY(stage_places(applying));
	return refuse_reached(applying);
}

int apply_run(struct held *held, char *const *words, enum force force, struct out *notes)
{
	struct applying *applying = begin(held);
	TRY(prepare(applying, words, force, notes));
	TRY(journal_write(applying));
	if (stage_make(applying) < 0 || stage_fill(applying) < 0)
		return give_up(applying);
	applying->journal.phase = PHASE_COMMIT;
	applying->journal.attempted = applying->journal.operation_count;
	// Syncs the staged files before names lead to them. commit.c syncs again.
	if (stage_sync(applying) < 0 || journal_write(applying) < 0 || journal_sync(applying) < 0)
		return give_up(applying);
	TRY(commit_run(applying, notes));
	tell(applying, notes);
	return 0;
}

bool apply_is_pending(const struct held *held)
{
	return faccessat(held->directory, "journal", F_OK, 0) == 0;
}

int apply_refuse_pending(const struct held *held)
{
	return apply_is_pending(held)
		       ? fail(0,
			      "an apply of session '%s' was interrupted; to complete it: sbx "
			      "session apply %s; to undo it: sbx session discard %s",
			      held->name, held->name, held->name)
		       : 0;
}

// Reports a journal that cannot be used, and changes nothing: a person must decide.
static int unusable(struct applying *applying)
{
	struct store *store = applying->held->store;
	const char *why = err_taken(), *stage = NULL;
	const char *name = applying->held->name;
	for (unsigned i = 0; i < ROOTS_MAX && !stage; i++)
		stage = applying->journal.roots[i].stage;
	return fail(0,
		    "the journal of an interrupted apply cannot be used: %s; nothing was changed. "
		    "The host's old files are in %s. To give up the rest, copy the files that "
		    "you want from there, then: rm '%s/%s/journal'",
		    why,
		    stage ? arena_text(store->arena, "'%s'", stage)
			  : arena_text(store->arena,
				       "'%s/%s/stage-*', or in '.sbx-apply-%s-*' in the project or "
				       "next to it",
				       store->sessions_path, name, name),
		    store->sessions_path, name);
}

// Returns 0 if there is no journal.
static int reopen(struct held *held, struct applying **ret_applying)
{
	const char *text;
	size_t length;
	struct arena *arena = held->store->arena;
	int found = store_read_file(arena, held->directory, "journal", JOURNAL_BYTES_MAX, &text,
				    &length);
	if (found <= 0)
		return found;
	struct applying *applying = begin(held);
	applying->resumed = true;
	if (journal_parse(arena, text, length, &applying->journal) < 0 ||
	    stage_reopen(applying) < 0)
		return unusable(applying);
	*ret_applying = applying;
	return 1;
}

static int take_back(struct applying *applying, struct out *notes)
{
	if (applying->journal.phase == PHASE_CLEAN)
		return commit_clean(applying);
	TRY(applying->journal.phase == PHASE_STAGE ? commit_clean(applying)
						   : commit_back(applying, notes));
	out_text(notes, "sbx: an interrupted apply was rolled back\n");
	return 0;
}

int apply_end(struct held *held, enum end end, struct out *notes)
{
	struct applying *applying;
	int found = reopen(held, &applying);
	if (found <= 0)
		return found;
	if (end == END_BACK || applying->journal.phase != PHASE_COMMIT)
		return take_back(applying, notes);
	TRY(commit_run(applying, notes));
	out_text(notes, "sbx: an interrupted apply was completed\n");
	return 0;
}
