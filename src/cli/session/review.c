// Owns --review: a session for one run, and the question at its end.
#include "cli/session/review.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/str.h"
#include "cli/session/session_diff.h"
#include "cli/verbs.h"
#include "jail/project.h"
#include "run/decide.h"
#include "session/apply.h"
#include "session/attach.h"
#include "session/history.h"
#include "session/rights.h"

extern char **environ;

enum { LINES_MOST = 40, LIST_BYTES_MOST = 1 << 20, PATHS_MOST = 65536 };

enum decision { DECIDE_APPLY, DECIDE_DISCARD, DECIDE_KEEP };

// Where people are asked; the command's own stdin is not ours any more.
static int open_terminal(void)
{
	return isatty(STDERR_FILENO) ? open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) : -1;
}

static void say(struct out *out)
{
	out_flush(out, STDERR_FILENO);
}

static int show_list(struct sessions *sessions, const struct held *held,
		     const struct changes *changes)
{
	struct out kept = sessions->out;
	unsigned shown = 0, all = 0;
	for (unsigned i = 0; i < changes->count; i++) {
		// A directory that comes with its files is told by them.
		if (changes->list[i].covered && changes->list[i].kind == CHANGE_REMOVED)
			continue;
		all++;
		if (shown < LINES_MOST) {
			changes_line(sessions, &held->session, &changes->list[i]);
			shown++;
		}
	}
	if (all > shown)
		out_text(&sessions->out, "and %u more\n", all - shown);
	say(&sessions->out);
	sessions->out = kept;
	return 0;
}

// 'a', 'd', 'k' or 's'; the end of input keeps.
static char ask(int terminal)
{
	static const char question[] =
		"sbx: [a]pply, [d]iscard, [k]eep as a session, [s]how the text? ";
	char line[64];
	for (;;) {
		if (fd_write_all(terminal, question, sizeof(question) - 1) < 0)
			return 'k';
		ssize_t length = read(terminal, line, sizeof(line));
		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			return 'k';
		if (strchr("adks", line[0]))
			return line[0];
	}
}

static int decide_by_asking(struct sessions *sessions, const struct held *held,
			    enum decision *ret_decision)
{
	autoclose int terminal = open_terminal();
	char *none[] = { NULL };
	*ret_decision = DECIDE_KEEP;
	if (terminal < 0)
		return 0;
	for (;;) {
		char answer = ask(terminal);
		if (answer == 's') {
			if (dup2(terminal, STDOUT_FILENO) < 0 || dup2(terminal, STDIN_FILENO) < 0)
				return fail(errno, "the terminal");
			TRY(changes_show(sessions, held, none, DIFF_TEXT));
			say(&sessions->told);
			continue;
		}
		*ret_decision = answer == 'a'   ? DECIDE_APPLY
				: answer == 'd' ? DECIDE_DISCARD
						: DECIDE_KEEP;
		return 0;
	}
}

// The lines of a file, as paths.
static int read_list(struct arena *arena, const char *path, char ***ret_words)
{
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = arena_take(arena, LIST_BYTES_MOST + 1);
	ssize_t length = fd < 0 ? -1 : fd_read_all(fd, text, LIST_BYTES_MOST);
	if (length < 0)
		return fail(errno, "--apply: '%s'", path);
	if (length == LIST_BYTES_MOST || memchr(text, '\0', (size_t)length))
		return fail(0, "--apply: '%s' is no list of paths", path);
	char **words = arena_take(arena, PATHS_MOST * sizeof(*words));
	unsigned count = 0;
	for (char *line = text; *line && count < PATHS_MOST - 1;) {
		size_t size = strcspn(line, "\n");
		if (size > 0)
			words[count++] = arena_copy(arena, line, size);
		line += size + (line[size] == '\n');
	}
	*ret_words = words;
	return count > 0 ? 1 : 0;
}

static int keep(const struct held *held, struct out *told)
{
	out_text(told,
		 "sbx: kept: sbx session diff %s, then: sbx session apply %s, or: sbx session rm "
		 "%s\n",
		 held->name, held->name, held->name);
	return 0;
}

static int throw_away(struct sessions *sessions, struct held *held)
{
	TRY(store_remove(&sessions->store, held));
	return store_sweep(&sessions->store) < 0 ? -1 : 0;
}

static int carry_out(struct sessions *sessions, struct held *held)
{
	const char *wanted = sessions->box->invocation.apply;
	char *none[] = { NULL }, **words = none;
	enum decision decision = DECIDE_APPLY;
	struct changes left;
	if (!wanted)
		TRY(decide_by_asking(sessions, held, &decision));
	else if (str_equal(wanted, "no"))
		decision = DECIDE_DISCARD;
	else if (!str_equal(wanted, "yes")) {
		int found = read_list(sessions->store.arena, wanted, &words);
		TRY(found);
		decision = found ? DECIDE_APPLY : DECIDE_DISCARD;
	}
	switch (decision) {
	case DECIDE_KEEP:
		return keep(held, &sessions->told);
	case DECIDE_APPLY:
		TRY(apply_run(&sessions->store, held, words, FORCE_NO, &sessions->told));
		// What has to be named is there to be named.
		TRY(changes_find(&sessions->store, held, PROJECT_SAME, &left));
		if (left.count > 0 && words == none)
			return keep(held, &sessions->told);
		break;
	case DECIDE_DISCARD:
		break;
	}
	return throw_away(sessions, held);
}

static int review(struct sessions *sessions)
{
	struct held held;
	struct changes changes;
	TRY(store_hold(&sessions->store, sessions->box->invocation.session, HOLD_ALONE, &held));
	TRY(changes_find(&sessions->store, &held, PROJECT_SAME, &changes));
	if (changes.count == 0)
		return throw_away(sessions, &held);
	if (!sessions->box->invocation.apply)
		TRY(show_list(sessions, &held, &changes));
	int result = carry_out(sessions, &held);
	if (result < 0)
		keep(&held, &sessions->told);
	return result;
}

static int after(struct box *box, const struct ending *ending, int status)
{
	(void)ending;
	struct sessions sessions;
	sigset_t none;
	err_clear(); // of the run; it was told
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL); // ^C at the question keeps the session
	if (box->plan.session)
		attach_release(&box->plan);
	int result = sessions_open(box, &sessions);
	if (result == 0)
		result = rights_begin(&sessions.store);
	if (result == 0)
		result = owned_override(OVER_READING);
	if (result == 0)
		result = review(&sessions);
	say(&sessions.told);
	return result < 0 ? box_failed() : status;
}

static int prepare(struct box *box)
{
	struct sessions sessions;
	struct plan plan = { .arena = box->arena };
	if (box->invocation.session)
		return fail(0,
			    "--review makes a session of its own; without it: sbx session diff %s",
			    box->invocation.session);
	if (box->invocation.project_dir)
		return fail(0,
			    "--review is of the current directory's project; change to it, without "
			    "--project-dir");
	decide_places(&plan, environ);
	const char *why = plan.toplevel ? project_refusal(&plan, plan.toplevel)
					: "is no project to review changes of";
	if (why)
		return fail(0, "'%s' %s; change to a project's directory",
			    plan.current ? plan.current : "(deleted)", why);
	TRY(sessions_open(box, &sessions));
	const char *name = arena_text(box->arena, "review-%d", (int)getpid());
	TRY(history_create(&sessions.store, name, plan.toplevel, RIGHTS_CALLER));
	store_close(&sessions.store);
	box->invocation.session = name;
	box->after = after;
	return 0;
}

int review_run(struct box *box)
{
	bool wanted = box->invocation.review == ANSWER_YES;
	if (!wanted && box->invocation.apply) {
		fail(0, "--apply belongs to --review; for a session: sbx session apply NAME");
		return box_failed();
	}
	if (wanted && prepare(box) < 0)
		return box_failed();
	return box_run(box);
}
