// Owns the search in PATH, the exec of a command, and sbx exec. Raw calls, no heap.
#include "process/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "process/pty.h"
#include "run.h"

// Runs a script without "#!" by sh, as execvp() does. noinline: `script` takes eight pages of
// stack.
__attribute__((noinline)) static int execute_script(const struct exec_words *words,
						    const char *path)
{
	enum { WORDS_MAX = 4096 };
	const char *script[WORDS_MAX] = { "/bin/sh", path };
	for (unsigned i = 1; words->command[i]; i++) {
		if (i + 2 >= WORDS_MAX)
			return E2BIG;
		script[i + 1] = words->command[i];
	}
	syscall(SYS_execve, "/bin/sh", script, words->environment);
	return errno;
}

// Whether the file is ELF, of any architecture: sh would run it as a script.
static bool is_program(const char *path)
{
	char begin[4] = "";
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return read(fd, begin, sizeof(begin)) == sizeof(begin) &&
	       memcmp(begin, "\177ELF", sizeof(begin)) == 0;
}

static int execute(const struct exec_words *words, const char *path)
{
	execve(path, words->command, words->environment);
	if (errno != ENOEXEC)
		return errno;
	return is_program(path) ? ENOEXEC : execute_script(words, path);
}

static bool is_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static const char *path_of(char *const *environment)
{
	static const char name[] = "PATH=";
	for (; *environment; environment++)
		if (str_starts(*environment, name))
			return *environment + sizeof(name) - 1;
	return NULL;
}

// Unlike execvp(), returns ENOENT, not EACCES, if a directory of PATH is hidden.
int exec_execute(const struct exec_words *words)
{
	const char *name = words->command[0], *path = path_of(words->environment);
	size_t length = strlen(name);
	int worst = ENOENT;
	char file[PATH_MAX];
	if (strchr(name, '/') || length == 0)
		return execute(words, name);
	for (const char *at = path; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
		size_t directory = strcspn(at, ":");
		if (directory + length + 2 > sizeof(file))
			continue;
		memcpy(file, at, directory);
		file[directory] = '/';
		memcpy(file + directory + (directory > 0), name, length + 1);
		int result = execute(words, file);
		if (result == EACCES && is_file(file))
			worst = EACCES;
		else if (result != ENOENT && result != ENOTDIR && result != EACCES)
			return result;
	}
	return worst;
}

bool exec_text_is_good(const struct exec_text *text, size_t length)
{
	size_t wanted = 1, found = 0;
	if (length <= sizeof(*text) || length > EXEC_BYTES_MAX)
		return false;
	size_t size = length - sizeof(*text);
	if (text->arguments == 0 || text->arguments > size || text->variables > size)
		return false;
	wanted += (size_t)text->arguments + text->variables;
	for (size_t i = 0; i < size; i++)
		found += text->texts[i] == '\0';
	return found == wanted && text->texts[size - 1] == '\0';
}

struct mapped {
	struct exec_text *text;
	char **words;
};

static int map(int fd, struct mapped *ret_mapped)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		return errno;
	if (status.st_size <= 0 || status.st_size > EXEC_BYTES_MAX)
		return EINVAL;
	struct exec_text *text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return errno;
	if (!exec_text_is_good(text, (size_t)status.st_size))
		return EINVAL;
	char **words = mmap(NULL, ((size_t)text->arguments + text->variables + 2) * sizeof(*words),
			    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (words == MAP_FAILED)
		return errno;
	char *at = text->texts, **word = words;
	for (uint32_t i = 0; i < text->arguments; i++)
		*word++ = at += strlen(at) + 1;
	*word++ = NULL;
	for (uint32_t i = 0; i < text->variables; i++)
		*word++ = at += strlen(at) + 1;
	*ret_mapped = (struct mapped){ text, words };
	return 0;
}

// Exit status after a failed chdir(): WHY_DIRECTORY + errno. After another failure: errno.
enum { WHY_DIRECTORY = 128 };

static _Noreturn void give_up(int why, int number)
{
	_exit(why + (number < WHY_DIRECTORY ? number : EIO));
}

static _Noreturn void become(const struct run *run, const struct exec_order *order,
			     const int fds[FD_PASSED])
{
	enum { ABOVE = 16, STANDARD = 3 };
	int high[STANDARD];
	struct mapped mapped = { 0 };
	int unmapped = map(fds[0], &mapped);
	if (unmapped)
		give_up(0, unmapped);
	// The filter refuses setsid() to a box in the background of a terminal (seccomp/asking.c).
	bool done = (run->background ? setpgid(0, 0) : setsid()) >= 0;
	for (int i = 0; i < STANDARD; i++)
		high[i] = fcntl(fds[order->terminal.wanted ? 1 : 1 + i], F_DUPFD_CLOEXEC, ABOVE);
	for (int i = 0; i < STANDARD; i++)
		done = done && dup2(high[i], i) == i;
	done = done && (!order->terminal.wanted || pty_take() == 0);
	if (run->child_ignored)
		signal(SIGCHLD, SIG_IGN);
	if (!done || sys_prlimit(RLIMIT_NOFILE, &run->exec->files, NULL) < 0 ||
	    fd_close_except(NULL, 0, CLOSE_RANGE_CLOEXEC) < 0)
		give_up(0, errno);
	if (mapped.text->texts[0] && chdir(mapped.text->texts) < 0)
		give_up(WHY_DIRECTORY, errno);
	if (testing_skips("exec-haste")) // a process of the box can see this one before its exec
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	sigprocmask(SIG_SETMASK, &run->callers_mask, NULL);
	give_up(0, exec_execute(&(struct exec_words){ mapped.words,
						      mapped.words + mapped.text->arguments + 1 }));
}

static struct exec_child *find(struct run *run, int number)
{
	for (unsigned i = 0; i < EXEC_MAX; i++)
		if (run->exec->all[i].pid && run->exec->all[i].number == number)
			return &run->exec->all[i];
	return NULL;
}

static struct exec_child *free_place(struct run *run)
{
	for (unsigned i = 0; i < EXEC_MAX; i++)
		if (!run->exec->all[i].pid)
			return &run->exec->all[i];
	return NULL;
}

static void forget(struct exec_child *child)
{
	child->pid = 0;
	fd_close(&child->peer);
}

static void tell(struct run *run, int command, enum exec_kind kind, int number, int fd)
{
	run->message.kind = MESSAGE_EXEC;
	run->message.exec = command;
	run->message.number = (int)kind;
	run->message.status = number;
	fd_send(run->to_host, &run->message, sizeof(run->message), &fd, fd >= 0);
}

// Until the child's exec its exit signal is SIGNAL_ORDER: waitpid(2) finds the child with __WCLONE.
static enum exec_kind start(struct run *run, const struct exec_order *order, int fds[FD_PASSED],
			    int *ret_master, int *ret_number)
{
	struct exec_child *child = free_place(run);
	*ret_number = 0;
	if (run->paused)
		return EXEC_PAUSED;
	if (!child)
		return EXEC_FULL;
	if (order->terminal.wanted && run->background)
		return EXEC_BACKGROUND;
	if (order->terminal.wanted)
		*ret_number = pty_open(&order->terminal, ret_master, &fds[1]);
	if (*ret_number)
		return EXEC_NO_TERMINAL;
	pid_t pid = sys_fork(SIGNAL_ORDER);
	if (pid == 0)
		become(run, order, fds);
	*ret_number = pid < 0 ? errno : 0;
	if (pid < 0)
		return EXEC_NO_PROCESS;
	// `peer` stays open: otherwise the master fails when the command closes its terminal.
	run->message.child = pid;
	*child = (struct exec_child){ pid, order->number,
				      order->terminal.wanted ? take(&fds[1]) : -1 };
	return EXEC_STARTED;
}

// Sends the signal, then SIGCONT to a stopped command.
static void pass_signal(struct run *run, const struct exec_order *order)
{
	struct exec_child *child = find(run, order->number);
	if (!child)
		return;
	if (kill(-child->pid, order->signal) < 0)
		kill(child->pid, order->signal);
	if (!run->paused)
		kill(-child->pid, SIGCONT);
	if (order->signal == SIGKILL)
		forget(child);
	else
		tell(run, order->number, EXEC_SIGNALLED, 0, -1);
}

void exec_take(struct run *run, const struct exec_order *order, int fds[FD_PASSED])
{
	autoclose int master = -1;
	int number;
	if (order->kind == EXEC_EXECUTE) {
		enum exec_kind kind = start(run, order, fds, &master, &number);
		tell(run, order->number, kind, number, kind == EXEC_STARTED ? master : -1);
	} else {
		pass_signal(run, order);
	}
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&fds[i]);
}

static void tell_unmade(struct run *run, int command, int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	bool directory = code >= WHY_DIRECTORY;
	tell(run, command,
	     !WIFEXITED(status) ? EXEC_KILLED
	     : directory        ? EXEC_NO_DIRECTORY
				: EXEC_NOT_FOUND,
	     directory ? code - WHY_DIRECTORY : code, -1);
}

void exec_reaped(struct run *run, enum exec_stage stage, pid_t pid, int status)
{
	for (unsigned i = 0; i < EXEC_MAX; i++) {
		struct exec_child *child = &run->exec->all[i];
		if (child->pid != pid)
			continue;
		if (WIFSTOPPED(status)) {
			if (stage == EXEC_MADE && !run->paused)
				kill(pid, SIGKILL);
			return;
		}
		forget(child);
		if (stage == EXEC_MADE)
			tell_unmade(run, child->number, status);
		else
			tell(run, child->number, EXEC_ENDED, status, -1);
		return;
	}
}
