// Owns --review: a session for one run, and the question at its end.
#include "cli/session/sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/typed.h"
#include "base/base.h"
#include "base/fd.h"
#include "names/names.h"
#include "session/apply/apply.h"
#include "session/compare/changes.h"
#include "session/store/store.h"

enum { LINES_MAX = 40, LIST_BYTES_MAX = 1 << 20, PATHS_MAX = 65536 };

enum decision { DECIDE_APPLY, DECIDE_CHOSEN, DECIDE_DISCARD, DECIDE_KEEP };

// Opens the terminal anew: the supervisor has replaced stdin.
static int open_terminal(void)
{
	return isatty(STDERR_FILENO) ? open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) : -1;
}

// True for changes that are shown last and always: others cannot push them off the screen.
static bool is_watched(const struct held *held, const struct change *change)
{
	char leads[PATH_MAX];
	mode_t mode = change->is.st_mode;
	bool plain = !mode || S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode);
	return change->conflict || change->guarded || trusted_is_reported(change->path) || !plain ||
	       (S_ISREG(mode) && (mode & (S_ISUID | S_ISGID))) ||
	       sides_leads_out(held, change, leads);
}

static bool is_covered(const struct change *change)
{
	return change->covered && change->kind == CHANGE_REMOVED;
}

static int show_list(const struct held *held, const struct changes *changes)
{
	struct out out = { 0 };
	unsigned plain = 0;
	const char *reset = isatty(STDERR_FILENO) ? typed_reset() : "";
	if (fd_write_all(STDERR_FILENO, reset, strlen(reset)) < 0)
		return fail(errno, "stderr");
	// A new directory needs no line: its files imply it.
	for (int watched = 0; watched <= 1; watched++) {
		for (unsigned i = 0; i < changes->count; i++) {
			const struct change *change = &changes->list[i];
			if (is_covered(change) || is_watched(held, change) != watched)
				continue;
			if (watched || plain++ < LINES_MAX)
				changes_line(&out, held, change);
		}
		if (!watched && plain > LINES_MAX)
			out_text(&out, "and %u more (s shows all)\n", plain - LINES_MAX);
	}
	out_flush(&out, STDERR_FILENO);
	return 0;
}

struct person {
	int terminal, interrupt;
	sigset_t stop;
};

// Returns one of `letters`, or '\0' after ^C and at the end of input. ^Z stops sbx, which then asks
// again.
static char ask_letter(const struct person *person, const char *question, const char *letters,
		       const char *help, enum typed_silence silence)
{
	const struct typed typed = { person->terminal, person->interrupt, letters,
				     question,         question,          help };
	struct signalfd_siginfo taken = { .ssi_signo = SIGTSTP };
	struct termios before;
	char letter = '\0';
	while (!letter && taken.ssi_signo == SIGTSTP) {
		taken.ssi_signo = 0;
		if (typed_begin(person->terminal, ISIG, &before) < 0)
			return '\0';
		sigprocmask(SIG_BLOCK, &person->stop, NULL);
		letter = typed_answer(&typed, silence);
		if (!letter && read(person->interrupt, &taken, sizeof(taken)) < 0)
			taken.ssi_signo = 0;
		tcsetattr(person->terminal, TCSANOW, &before);
		sigprocmask(SIG_UNBLOCK, &person->stop, NULL);
		if (fd_write_all(person->terminal, "\n", 1) < 0)
			return '\0';
		if (taken.ssi_signo == SIGTSTP)
			raise(SIGTSTP);
	}
	return letter;
}

// A directory with changed entries gets no question: the answers about its entries decide.
static bool is_asked(const struct changes *changes, unsigned index)
{
	const struct change *change = &changes->list[index];
	if (change->kind == CHANGE_REMOVED)
		return !change->covered;
	return !S_ISDIR(change->is.st_mode) || change->kind == CHANGE_MODE ||
	       !changes_has_inside(changes, index);
}

// Returns the letter. ^C counts as q, which discards earlier answers.
static char ask_file(const struct held *held, const struct change *change,
		     const struct person *person, enum typed_silence silence)
{
	static const char question[] = "sbx: apply this change [y,n,a,d,q,?]? ";
	static const char help[] = "sbx: y: apply it; n: leave it out; a: apply it and all that "
				   "follow, but what your own programs would run; d: leave out it "
				   "and all that follow; q: back, and choose nothing\n";
	struct out out = { 0 };
	changes_line(&out, held, change);
	out_flush(&out, STDERR_FILENO);
	char answer = ask_letter(person, question, "ynadq", help, silence);
	return answer ? answer : 'q';
}

// Returns NULL if nothing was chosen.
static char **choose_files(const struct held *held, const struct changes *changes,
			   const struct person *person)
{
	struct arena *arena = held->store->arena;
	char **words = arena_take(arena, (changes->count + 1) * sizeof(*words));
	unsigned count = 0, asked = 0;
	bool all = false;
	for (unsigned i = 0; i < changes->count; i++) {
		const struct change *change = &changes->list[i];
		if (!is_asked(changes, i) || change->far)
			continue;
		enum typed_silence silence =
			asked == 0 || is_watched(held, change) ? SILENCE_FIRST : SILENCE_LATER;
		char answer = all ? 'a' : ask_file(held, change, person, silence);
		asked++;
		if (answer == 'q')
			return NULL;
		if (answer == 'd')
			break;
		if (answer == 'y' || (answer == 'a' && !(all && change->guarded)))
			words[count++] = path_below(arena, held->session.roots[change->root].path,
						    change->path);
		all = answer == 'a';
	}
	return count > 0 ? words : NULL;
}

static int show_changes(struct sessions *sessions, const struct held *held, int terminal)
{
	char *none[] = { NULL };
	if (dup2(terminal, STDOUT_FILENO) < 0 || dup2(terminal, STDIN_FILENO) < 0)
		return fail(errno, "the terminal");
	TRY(changes_show(sessions, held, none, DIFF_TEXT));
	out_flush(&sessions->notes, STDERR_FILENO);
	return 0;
}

static int decide_on(struct sessions *sessions, const struct held *held,
		     const struct changes *changes, const struct person *person,
		     enum decision *ret_decision, char ***ret_words)
{
	static const char question[] = "sbx: [a]pply, [f]iles one by one, [d]iscard, [k]eep as a "
				       "session, [s]how the text? ";
	static const char help[] =
		"sbx: a: make the changes in the project; f: choose some of them; "
		"d: delete them; k: decide later; s: show the text\n";
	for (;;) {
		switch (ask_letter(person, question, "adksf", help, SILENCE_FIRST)) {
		case 's':
			TRY(show_changes(sessions, held, person->terminal));
			continue;
		case 'f':
			*ret_words = choose_files(held, changes, person);
			if (!*ret_words) {
				out_text(&sessions->notes, "sbx: nothing was changed\n");
				out_flush(&sessions->notes, STDERR_FILENO);
				continue;
			}
			*ret_decision = DECIDE_CHOSEN;
			return 0;
		case 'a':
			*ret_decision = DECIDE_APPLY;
			return 0;
		case 'd':
			out_text(&sessions->notes, "sbx: discarded; nothing was changed\n");
			*ret_decision = DECIDE_DISCARD;
			return 0;
		default:
			out_text(&sessions->notes, "sbx: nothing was changed\n");
			return 0;
		}
	}
}

static int decide_by_asking(struct sessions *sessions, const struct held *held,
			    const struct changes *changes, enum decision *ret_decision,
			    char ***ret_words)
{
	autoclose int terminal = open_terminal();
	sigset_t signals;
	struct person person = { .terminal = terminal };
	*ret_decision = DECIDE_KEEP;
	if (terminal < 0)
		return 0;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	sigemptyset(&person.stop);
	sigaddset(&person.stop, SIGTSTP);
	sigaddset(&signals, SIGTSTP);
	signal(SIGTTOU, SIG_DFL);
	autoclose int interrupt = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	person.interrupt = interrupt;
	return decide_on(sessions, held, changes, &person, ret_decision, ret_words);
}

static int read_list(struct arena *arena, const char *path, char ***ret_words)
{
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = arena_take(arena, LIST_BYTES_MAX + 1);
	ssize_t length = fd < 0 ? -1 : fd_read_all(fd, text, LIST_BYTES_MAX);
	if (length < 0)
		return fail(errno, "--apply: '%s'", path);
	if (length == LIST_BYTES_MAX || memchr(text, '\0', (size_t)length))
		return fail(0, "--apply: '%s' is not a list of paths", path);
	char **words = arena_take(arena, PATHS_MAX * sizeof(*words));
	unsigned count = 0;
	for (char *line = text; *line && count < PATHS_MAX - 1;) {
		size_t size = strcspn(line, "\n");
		if (size > 0)
			words[count++] = arena_copy(arena, line, size);
		line += size + (line[size] == '\n');
	}
	*ret_words = words;
	return count > 0 ? 1 : 0;
}

static int keep(const struct held *held, struct out *notes)
{
	out_text(notes,
		 "sbx: saved as a session: sbx session diff %s, then: sbx session apply %s, or: "
		 "sbx session rm %s\n",
		 held->name, held->name, held->name);
	return 0;
}

static int throw_away(struct sessions *sessions, struct held *held)
{
	TRY(store_remove(held));
	return store_sweep(&sessions->store) < 0 ? -1 : 0;
}

static int carry_out(struct sessions *sessions, struct held *held, const struct changes *changes)
{
	const char *wanted = sessions->box->invocation.apply;
	char *none[] = { NULL }, **words = none;
	enum decision decision = DECIDE_APPLY;
	struct changes left;
	if (!wanted)
		TRY(decide_by_asking(sessions, held, changes, &decision, &words));
	else if (str_equal(wanted, "no"))
		decision = DECIDE_DISCARD;
	else if (!str_equal(wanted, "yes")) {
		int found = read_list(sessions->store.arena, wanted, &words);
		TRY(found);
		decision = found ? DECIDE_APPLY : DECIDE_DISCARD;
	}
	switch (decision) {
	case DECIDE_KEEP:
		return keep(held, &sessions->notes);
	case DECIDE_APPLY:
	case DECIDE_CHOSEN:
		TRY(apply_run(held, words, FORCE_NO, &sessions->notes));
		// Keeps changes that are left: a user can name a conflict only once it is listed.
		TRY(changes_find(held, PROJECT_SAME, &left));
		if (left.count > 0 && (words == none || decision == DECIDE_CHOSEN))
			return keep(held, &sessions->notes);
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
	TRY(changes_find(&held, PROJECT_SAME, &changes));
	if (changes.count == 0) {
		out_text(&sessions->notes, "sbx: nothing was changed\n");
		return throw_away(sessions, &held);
	}
	if (!sessions->box->invocation.apply)
		TRY(show_list(&held, &changes));
	int result = carry_out(sessions, &held, &changes);
	if (result < 0)
		keep(&held, &sessions->notes);
	return result;
}

static int after(struct box *box, const struct ending *ending, int status)
{
	(void)ending;
	struct sessions sessions;
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (box->plan.session)
		join_release(&box->plan);
	int result = sessions_open(box, SESSIONS_APPLY, &sessions);
	if (result == 0)
		result = review(&sessions);
	out_flush(&sessions.notes, STDERR_FILENO);
	return result < 0 ? box_failed() : status;
}

static int prepare(struct box *box)
{
	struct sessions sessions;
	const char *project;
	if (box->invocation.json == TOGGLE_YES)
		return fail(0, "--json and --review cannot be given together; in a session the "
			       "changes wait, too: sbx run --json -s NAME -- COMMAND");
	if (box->invocation.session)
		return fail(0,
			    "--review makes its own session; without --review: sbx session diff %s",
			    box->invocation.session);
	if (box->invocation.project_dir)
		return fail(0,
			    "--review is of the current directory's project; change to it, without "
			    "--project-dir");
	TRY(sessions_project(box->arena, &project));
	TRY(sessions_open(box, SESSIONS_CREATE, &sessions));
	const char *name = arena_text(box->arena, "review-%d", (int)getpid());
	TRY(history_create(&sessions.store, name, project, RIGHTS_CALLER));
	store_close(&sessions.store);
	box->invocation.session = name;
	box->after = after;
	box->plan.executes = true; // the supervisor starts the program that shows the changes
	return 0;
}

int review_prepare(struct box *box)
{
	if (box->invocation.review == TOGGLE_YES)
		return prepare(box);
	return box->invocation.apply
		       ? fail(0,
			      "--apply belongs to --review; for a session: sbx session apply NAME")
		       : 0;
}
