// Owns the way from command-line words to a running box.
#include "run/run_command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "limits/group.h"
#include "net/host/proxy.h"
#include "postcheck/postcheck.h"
#include "probe/machine.h"
#include "process/exec_clients.h"
#include "report/findings.h"
#include "report/front.h"
#include "run.h"
#include "ask/ask.h"
#include "report/summary.h"

extern char **environ;

int box_failed(void)
{
	struct out out = { 0 };
	if (err_number() == ERR_HELP)
		return STATUS_HELP;
	out_text(&out, "sbx: %s\n", err_text());
	if (err_number() == EMFILE)
		out_text(&out, "sbx: %s\n", probe_advice("", EMFILE));
	terminal_lines_say(&out, STDERR_FILENO, NULL);
	return STATUS_FAILURE;
}

int box_refused(const struct box *box, char *const *words)
{
	bool json = box->invocation.json == TOGGLE_YES;
	for (; *words && !json && !str_equal(*words, "--"); words++)
		json = str_equal(*words, "--json");
	return json && err_number() != ERR_HELP ? result_failed() : box_failed();
}

int box_done(struct out *out, int result)
{
	if (result < 0)
		return box_failed();
	return out_flush(out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : STATUS_OK;
}

static const char *box_shell(void)
{
	static const char *const fallbacks[] = { "/bin/bash", "/usr/bin/bash", "/bin/zsh",
						 "/bin/sh" };
	const char *shell = getenv("SHELL");
	const char *name = shell ? path_name(shell) : "";
	if ((str_equal(name, "bash") || str_equal(name, "zsh")) && access(shell, X_OK) == 0)
		return shell;
	for (size_t i = 0; i < sizeof(fallbacks) / sizeof(*fallbacks); i++)
		if (access(fallbacks[i], X_OK) == 0)
			return fallbacks[i];
	return "/bin/sh";
}

struct box *box_new(void)
{
	struct arena *arena = arena_new_shared(ARENA_BYTES_PLAN);
	struct box *box = arena_take(arena, sizeof(*box));
	box->arena = arena;
	box->invocation.parent = getppid();
	box->invocation.umask = umask(0);
	umask(box->invocation.umask & ~(mode_t)S_IRWXU);
	return box;
}

// Handles --help, and -C before any look at the current directory.
static int finish_reading(const struct box *box)
{
	const char *directory = box->invocation.directory;
	char real[PATH_MAX];
	if (box->invocation.help)
		return fail(ERR_HELP, "%s", box->invocation.help == HELP_ALL ? "all" : "screen");
	if (!directory)
		return 0;
	if (chdir(directory) < 0 || !getcwd(real, sizeof(real)))
		return fail(errno, "--chdir: enter '%s'", str_shown(directory));
	setenv("PWD", real, 1);
	return 0;
}

int box_read(struct box *box, enum verb verb, char **words)
{
	apart_words(words);
	TRY(argv_read(box->arena, verb, words, &box->invocation, &box->arguments));
	box->invocation.command = box->arguments.rest;
	return finish_reading(box);
}

int box_read_mixed(struct box *box, enum verb verb, char **words, char ***ret_names)
{
	size_t count = 0;
	apart_words(words);
	while (words[count])
		count++;
	char **names = arena_take(box->arena, (count + 1) * sizeof(*names)), **next = names;
	bool literal = false;
	while (words[0]) {
		if (!literal && words[0][0] == '-' && words[0][1]) {
			char **before = words;
			TRY(argv_read(box->arena, verb, words, &box->invocation, &box->arguments));
			words = box->arguments.rest;
			literal = words > before && str_equal(words[-1], "--");
			continue;
		}
		*next++ = *words++;
	}
	*ret_names = names;
	return finish_reading(box);
}

void box_use_shell(struct box *box, const char *string, char **rest)
{
	size_t count = 0;
	while (rest[count])
		count++;
	char **command = arena_take(box->arena, (count + 4) * sizeof(*command)), **next = command;
	const char *shell = box_shell();
	*next++ = arena_copy(box->arena, shell, strlen(shell));
	if (string) {
		*next++ = arena_copy(box->arena, "-c", 2);
		*next++ = arena_copy(box->arena, string, strlen(string));
	}
	for (size_t i = 0; i < count; i++)
		*next++ = rest[i];
	box->invocation.command = command;
}

int box_decide(struct box *box)
{
	TRY(decide_profile(box->arena, &box->invocation, &box->arguments, environ, &box->profile,
			   &box->plan));
	if (box->invocation.die_with_parent == TOGGLE_YES)
		box->plan.parent = box->invocation.parent > 0 ? box->invocation.parent : -1;
	TRY(ask_plan(&box->plan, &box->profile, &box->invocation));
	box->plan.run = getpid();
	box->plan.ready = box->invocation.ready;
	box->plan.front = box->invocation.front;
	box->plan.logged = box->invocation.logged == TOGGLE_YES;
	box->plan.terminal = box->invocation.size;
	if (box->plan.terminal.wanted && box->plan.tier == TIER_LANDLOCK)
		return fail(0, "--tty: a box in tier landlock has no terminals; leave --tty out");
	TRY(events_plan(&box->plan, &box->invocation));
	return box->plan.ready ? standard_io_alone(&box->plan) : 0;
}

int box_plan(struct box *box)
{
	TRY(box_decide(box));
	return decide_view(&box->plan, environ);
}

static void init_before_steps(const struct box *box, struct run *run)
{
	static int mounts[MOUNTS_MAX];
	static struct proxy proxy;
	static struct group group;
	static struct events events;
	static struct ask ask;
	static struct exec_clients clients;
	run_init(run, box->arguments.all, environ);
	group_init(&group);
	run->group = &group;
	run->mounts = mounts;
	proxy_init(&proxy);
	run->proxy = &proxy;
	events_init(&events);
	run->events = &events;
	ask_init(&ask);
	run->ask = &ask;
	exec_clients_init(&clients);
	run->clients = &clients;
	run->execute = exec_clients_take;
	run->denied = exec_clients_denied;
	run->relay = relay_connect;
	run->began = steady_now();
	run->fronted = box->front && box->front->record >= 0;
	if (!run->fronted)
		return;
	run->boxes = box->front->boxes;
	run->record = box->front->record;
	run->record_lock = box->front->lock;
	memcpy(run->record_name, box->front->name, sizeof(run->record_name));
}

struct outcome run_try(struct box *box, struct run *run)
{
	init_before_steps(box, run);
	struct outcome outcome = supervise(&box->plan, run, walk_host(&box->plan, run));
	record_drop(run);
	return outcome;
}

// True if the machine denied namespaces, and the profile accepts tier landlock.
static bool may_fall_back(const struct box *box, const struct run *run)
{
	return run->lock != LOCK_DONE && box->plan.tier == TIER_FULL &&
	       box->profile.minimum == TIER_LANDLOCK &&
	       steps[run->message.step].lost_without_namespaces;
}

static struct box *renew(const struct box *box, struct run *run)
{
	struct box *fresh = box_new();
	signals_restore(run);
	fd_close(&run->events->fd);
	fd_close(&run->parent);
	if (!run->fronted)
		record_drop(run);
	for (unsigned i = 0; i < box->plan.copy_count; i++)
		close(box->plan.copies[i].lock);
	fresh->invocation = box->invocation;
	fresh->arguments = box->arguments;
	fresh->after = box->after;
	fresh->front = box->front;
	fresh->handback = box->handback;
	fresh->result_more = box->result_more;
	fresh->plan.snippet = box->plan.snippet;
	fresh->earlier_tries = box->earlier_tries + 1;
	return fresh;
}

static int fall_back(const struct box *box, struct run *run)
{
	struct out out = { 0 };
	struct box *lower = renew(box, run);
	out_text(&out,
		 "sbx: no namespaces here (step '%s': %s): tier landlock; to see what it lacks: "
		 "sbx plan --isolation landlock\n",
		 steps[run->message.step].name, run->message.text);
	out_flush(&out, STDERR_FILENO);
	lower->invocation.tier = ASKED_LANDLOCK;
	return run_command(lower);
}

// True if a host program, such as git or an editor, replaced a file of the plan before the command
// began.
static bool may_try_again(const struct box *box, const struct run *run)
{
	enum { TRIES_MAX = 100 };
	int number = run->message.number;
	bool changed = number == ERR_CHANGED || number == ENOENT || number == ENOTDIR;
	return changed && !box->plan.session && box->earlier_tries < TRIES_MAX;
}

static bool restore_owner_access(int directory, const char *path, struct findings *found)
{
	char self[64];
	struct stat status;
	enum { OWNER = S_IRUSR | S_IWUSR | S_IXUSR };
	autoclose int fd =
		openat(directory, path_name(path), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (fd < 0 || fstat(fd, &status) < 0 || (status.st_mode & OWNER) == OWNER ||
	    chmod(self, (status.st_mode & 07777) | OWNER) < 0)
		return false;
	findings_add(found, FINDING_OPENED, path, "", "");
	return true;
}

static bool clear_way(const struct box *box)
{
	enum { OBSTACLES_MAX = 100 };
	const char *path = box->plan.unreadable;
	struct findings found = { 0 };
	struct out out = { 0 };
	if (!path || box->earlier_tries >= OBSTACLES_MAX)
		return false;
	autoclose int directory =
		sys_openat2(AT_FDCWD, path_parent(box->arena, path),
			    O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (directory < 0)
		return false;
	bool cleared = restore_owner_access(directory, path, &found);
	findings_text(&found, READER_PERSON, &out);
	out_flush(&out, STDERR_FILENO);
	findings_free(&found);
	return cleared;
}

int run_command(struct box *box)
{
	struct run run;
	if (box_decide(box) < 0)
		return box->after ? box->after(box, NULL, box_failed()) : box_failed();
	init_before_steps(box, &run);
	struct outcome outcome = supervise(&box->plan, &run, walk_host(&box->plan, &run));
	if (outcome.kind == OUTCOME_FAILED && may_fall_back(box, &run))
		return fall_back(box, &run);
	// With secrets there is no second try: their variables are wiped.
	if (outcome.kind == OUTCOME_FAILED && run.lock != LOCK_DONE &&
	    (may_try_again(box, &run) || clear_way(box)) && box->plan.credential_count == 0) {
		findings_free(&outcome.found);
		denials_free(&outcome.denials);
		return run_command(renew(box, &run));
	}
	int status = report_outcome(&box->plan, &run, &outcome);
	if (box->after)
		status = box->after(
			box, &(struct ending){ &outcome.denials, &run.group->usage, &outcome },
			status);
	record_finish(&run, summary_end(&outcome), status);
	findings_free(&outcome.found);
	findings_free(&outcome.failure);
	denials_free(&outcome.denials);
	if (outcome.kind == OUTCOME_ENDED && WIFSIGNALED(outcome.status) &&
	    box->invocation.json != TOGGLE_YES)
		signals_die(WTERMSIG(outcome.status));
	return status;
}

void box_set_first(struct box *box, const char *section, const char *name, const char *value)
{
	struct argument *set = arena_take(box->arena, (box->arguments.count + 1) * sizeof(*set));
	set[0] = (struct argument){ key_find(section, name), value };
	if (box->arguments.count)
		memcpy(set + 1, box->arguments.set, box->arguments.count * sizeof(*set));
	box->arguments.set = set;
	box->arguments.count++;
}

static _Noreturn void settle(const char *project)
{
	static char nothing[] = "true";
	static char *command[] = { nothing, NULL };
	struct box *box = box_new();
	box->invocation.command = box->arguments.all = command;
	_exit(chdir(project) < 0 ? STATUS_FAILURE : run_command(box));
}

static bool is_due(const char *project)
{
	struct arena *arena = arena_new();
	struct due due = { 0 };
	bool is = journal_due(arena, decide_state_directory(arena, environ), project, &due);
	if (is)
		journal_done(&due, false);
	arena_free(arena);
	return is;
}

int run_settle(const char *project)
{
	int status;
	if (!is_due(project))
		return 0;
	pid_t child = fork();
	if (child == 0)
		settle(project);
	if (child < 0)
		return fail(errno, "fork");
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return fail(errno, "wait");
	return WIFEXITED(status) && WEXITSTATUS(status) == STATUS_OK && !is_due(project)
		       ? 0
		       : fail(0, "could not check what a killed run left in %s", project);
}
