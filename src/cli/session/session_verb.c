// sbx session: actions on sessions, which are boxes that last.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "limits/group.h"
#include "policy/keys.h"
#include "run/run_command.h"
#include "cli/session/sessions.h"
#include "cli/verbs.h"
#include "run.h"
#include "session/apply/apply.h"
#include "session/compare/changes.h"
#include "session/store/store.h"
#include "text/words.h"
#include "view/paths/wishes.h"

extern char **environ;

enum { WORDS_MAX = 4096 };

static int refer_alone(struct sessions *sessions, const char *word, struct held *ret_held)
{
	TRY(store_hold(&sessions->store, word, HOLD_ALONE, ret_held));
	return apply_refuse_pending(ret_held);
}

// Holds a session that is to be removed. Undoes an interrupted apply.
static int refer_to_throw(struct sessions *sessions, const char *word, struct held *ret_held)
{
	TRY(store_hold(&sessions->store, word, HOLD_ALONE, ret_held));
	return apply_end(ret_held, END_BACK, &sessions->notes);
}

// Prints that work goes on: copies, such as of /etc, can take minutes.
static void begin_slow(void)
{
	enum { SLOW_SECONDS = 2 };
	static const char text[] =
		"sbx: still at work: the session's files are made or removed one by one\n";
	pid_t parent = getpid();
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		_exit(0);
	sys_close_range(STDERR_FILENO + 1, ~0U, 0);
	sleep(SLOW_SECONDS);
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0);
}

static int create(struct sessions *sessions, char **words)
{
	const char *from = sessions->box->invocation.from, *project;
	struct reference reference;
	begin_slow();
	if (from && sessions->box->invocation.as_root == TOGGLE_YES)
		return fail(0, "--as-root cannot be combined with --from; the new session is as "
			       "root if the old one is");
	if (from && (strchr(from, '/') || str_ends(from, ".tar") || str_equal(from, "-")))
		return fail(
			0,
			"a session does not begin as a file; sbx has no images; to install "
			"packages: "
			"sbx session create --as-root NAME; to unpack an archive: sbx run -s NAME "
			"-- tar x <FILE");
	if (from) {
		TRY(history_refer(sessions->store.arena, from, &reference));
		return history_fork(&sessions->store, &reference, words[0]);
	}
	TRY(sessions_project(sessions->store.arena, &project));
	return history_create(&sessions->store, words[0], project,
			      sessions->box->invocation.as_root == TOGGLE_YES ? RIGHTS_ROOT
									      : RIGHTS_CALLER);
}

static int fork_one(struct sessions *sessions, char **words)
{
	struct reference reference;
	TRY(history_refer(sessions->store.arena, words[0], &reference));
	return history_fork(&sessions->store, &reference, words[1]);
}

static int snapshot(struct sessions *sessions, char **words)
{
	struct held held;
	const char *name;
	TRY(refer_alone(sessions, words[0], &held));
	TRY(history_snapshot(&held, words[1], &name));
	out_text(&sessions->out, "%s\n", name);
	return 0;
}

static int restore(struct sessions *sessions, char **words)
{
	struct held held;
	const char *kept;
	TRY(refer_alone(sessions, words[0], &held));
	TRY(history_restore(&held, words[1], &kept));
	if (kept)
		out_text(&sessions->notes, "sbx: the earlier state is saved as snapshot '%s'\n",
			 kept);
	return 0;
}

// `done` is the action that has already succeeded.
static int sweep_others(struct sessions *sessions, const char *done)
{
	if (ATTEMPT(store_sweep(&sessions->store)) < 0)
		out_text(&sessions->notes,
			 "sbx: %s; its layers stay, for another session cannot be read, which may "
			 "use them; to see which: sbx session list\n",
			 done);
	return 0;
}

static int discard(struct sessions *sessions, char **words)
{
	struct held held;
	begin_slow();
	TRY(refer_to_throw(sessions, words[0], &held));
	TRY(history_discard(&held));
	return sweep_others(sessions, "discarded");
}

static void tell_lost(struct sessions *sessions, const struct held *held)
{
	struct changes changes = { 0 };
	unsigned branches = 0;
	if (ATTEMPT(changes_find(held, PROJECT_ANY, &changes)) < 0 || changes.count == 0)
		return;
	for (unsigned i = 0; i < changes.count; i++)
		branches += changes.list[i].git && !changes.list[i].trace &&
			    strstr(changes.list[i].path, "refs/heads/");
	out_text(&sessions->notes, "sbx: %u change%s of the session had not been applied",
		 changes.count, changes.count == 1 ? "" : "s");
	if (branches > 0)
		out_text(&sessions->notes, ", with commits on %u branch%s", branches,
			 branches == 1 ? "" : "es");
	out_text(&sessions->notes, "\n");
}

static int remove_one(struct sessions *sessions, char **words)
{
	struct reference reference;
	struct held held;
	begin_slow();
	TRY(history_refer(sessions->store.arena, words[0], &reference));
	TRY((reference.snapshot ? refer_alone : refer_to_throw)(sessions, reference.session,
								&held));
	if (!reference.snapshot)
		tell_lost(sessions, &held);
	TRY(reference.snapshot ? history_forget(&held, reference.snapshot) : store_remove(&held));
	return sweep_others(sessions, "removed");
}

static int sweep(struct sessions *sessions, char **words)
{
	(void)words;
	int count = store_sweep(&sessions->store);
	if (count >= 0)
		out_text(&sessions->out, "%d unused layer%s removed\n", count,
			 count == 1 ? "" : "s");
	return count;
}

static int apply(struct sessions *sessions, char **words)
{
	struct held held;
	bool pending;
	TRY(store_hold(&sessions->store, words[0], HOLD_ALONE, &held));
	TRY(run_settle(held.session.project));
	pending = apply_is_pending(&held);
	TRY(apply_end(&held, END_ON, &sessions->notes));
	if (pending && !words[1])
		return 0;
	return apply_run(&held, words + 1,
			 sessions->box->invocation.force == TOGGLE_YES ? FORCE_YES : FORCE_NO,
			 &sessions->notes);
}

// Returns the number of processes that run besides pid 1. Looks twice: a timer may have continued
// one after the stop.
static uint64_t still_running(const struct record_entry *entry)
{
	enum { STOP_MILLISECONDS = 2000, AGAIN_MICROSECONDS = 20000 };
	int64_t end = steady_now() + STOP_MILLISECONDS;
	struct process_tree tree = { 0 };
	for (int stopped = 0; stopped < 2 && steady_now() < end;) {
		usleep(AGAIN_MICROSECONDS);
		tree_count(entry->init, &tree);
		stopped = tree.running > 1 ? 0 : stopped + 1;
	}
	return tree.running > 1 ? tree.running - 1 : 0;
}

static int signal_runs(struct sessions *sessions, const char *name, int number)
{
	struct held held;
	struct runs runs;
	struct session_run run;
	unsigned count = 0;
	uint64_t running = 0;
	int found;
	TRY(store_hold(&sessions->store, name, HOLD_LOOK, &held));
	TRY(runs_open(sessions->store.state, held.directory, &runs));
	runs.clears = true;
	while ((found = runs_next(&runs, &run)) == 1) {
		bool sent = ATTEMPT(runs_signal(&run, number)) == 0; // else the run has just ended
		count += sent;
		running += sent && number == SIGNAL_PAUSE ? still_running(&run.entry) : 0;
		record_close(&run.record);
	}
	runs_close(&runs);
	TRY(found);
	if (running > 0)
		return fail(0, "session '%s': processes that could not be stopped: %llu", name,
			    (unsigned long long)running);
	return count > 0 ? 0 : fail(0, "no command runs in session '%s'", name);
}

static int pause_runs(struct sessions *sessions, char **words)
{
	return signal_runs(sessions, words[0], SIGNAL_PAUSE);
}

static int resume_runs(struct sessions *sessions, char **words)
{
	return signal_runs(sessions, words[0], SIGNAL_RESUME);
}

static int diff(struct sessions *sessions, char **words)
{
	const struct invocation *invocation = &sessions->box->invocation;
	enum diff_form form = invocation->json == TOGGLE_YES   ? DIFF_JSON
			      : invocation->stat == TOGGLE_YES ? DIFF_STAT
							       : DIFF_TEXT;
	struct held held;
	TRY(store_hold(&sessions->store, words[0], HOLD_SHARED, &held));
	return changes_show(sessions, &held, words + 1, form);
}

static const struct session_action {
	const char *name;
	int (*run)(struct sessions *sessions, char **words);
	int least_words, most_words; // words after the name, as in session_usages[]
} actions[] = {
	{ "create", create, 1, 1 },       { "list", sessions_list, 0, 0 },
	{ "show", sessions_show, 1, 1 },  { "snapshot", snapshot, 1, 2 },
	{ "log", sessions_log, 1, 1 },    { "restore", restore, 2, 2 },
	{ "fork", fork_one, 2, 2 },       { "diff", diff, 1, WORDS_MAX },
	{ "apply", apply, 1, WORDS_MAX }, { "pause", pause_runs, 1, 1 },
	{ "resume", resume_runs, 1, 1 },  { "discard", discard, 1, 1 },
	{ "rm", remove_one, 1, 1 },       { "gc", sweep, 0, 0 },
};
_Static_assert(sizeof(actions) / sizeof(*actions) == SESSION_ACTIONS, "see session_usages[]");

static const struct session_action *find_action(const char *name)
{
	for (size_t i = 0; name && i < SESSION_ACTIONS; i++)
		if (str_equal(actions[i].name, name))
			return &actions[i];
	return NULL;
}

static int say_usage(const struct session_action *action, const char *name)
{
	if (action && str_equal(action->name, "restore") && name)
		fail(0, "restore needs a snapshot of '%.80s'; to see them: sbx session log %.80s",
		     str_shown(name), str_shown(name));
	else if (action)
		fail(0, "usage: sbx session %s", session_usages[action - actions]);
	else
		fail(0, "usage: sbx session ACTION [NAME] [OPTION]...; see: sbx session --help");
	return box_failed();
}

// Raises the limit of descriptors: a walk holds one for each layer and level.
static void raise_files(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int sessions_project(struct arena *arena, const char **ret_project)
{
	struct plan plan = { .arena = arena };
	decide_places(&plan, environ);
	const char *why = plan.toplevel ? project_refusal(&plan, plan.toplevel)
					: "cannot be the project of a session";
	*ret_project = plan.toplevel;
	return why ? fail(0, "'%s' %s; change to a project's directory",
			  plan.current ? plan.current : "(deleted)", why)
		   : 0;
}

int sessions_open(struct box *box, enum sessions_for purpose, struct sessions *ret_sessions)
{
	struct sessions sessions = { .box = box, .out.json = box->invocation.json == TOGGLE_YES };
	raise_files();
	// Needs a new arena: the plan's is sealed at the end of a run.
	struct arena *arena = arena_new_shared(SESSIONS_ARENA);
	TRY(store_open(arena, decide_state_directory(arena, environ), &sessions.store));
	sessions.store.home = decide_home(arena, environ);
	sessions.store.config = path_parent(arena, decide_config_directory(arena, environ));
	if (purpose == SESSIONS_APPLY)
		TRY(rights_begin(&sessions.store));
	if (purpose != SESSIONS_CREATE)
		TRY(owned_override(OVER_READING));
	*ret_sessions = sessions;
	return 0;
}

int verb_session(char **words)
{
	struct box *box = box_new();
	struct sessions sessions = { .box = box };
	char **names;
	int count = 0;
	if (box_read_mixed(box, VERB_SESSION, words, &names) < 0)
		return box_failed();
	const struct session_action *action = find_action(names[0]);
	while (names[0] && names[1 + count])
		count++;
	if (!action || count < action->least_words || count > action->most_words)
		return say_usage(action, count > 0 ? names[1] : NULL);
	int result = sessions_open(box, action->run == apply ? SESSIONS_APPLY : SESSIONS_READ,
				   &sessions);
	if (result >= 0)
		result = action->run(&sessions, names + 1);
	out_flush(&sessions.notes, STDERR_FILENO);
	return box_done(&sessions.out, result);
}
