// Owns the commands of a box: how a program is found and executed, and those that come after the
// first. In pid 1: raw calls, no memory.
#include "process/further.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "process/pty.h"
#include "run.h"

// --- a program -----------------------------------------------------------------------------------

// A script without #!: the shell runs it, as execvp does. Apart, for its words take eight pages of
// stack.
__attribute__((noinline)) static int execute_script(const struct further_words *words,
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

// A program for another machine is no script: the shell would read it as one.
static bool is_program(const char *path)
{
	char begin[4] = "";
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return read(fd, begin, sizeof(begin)) == sizeof(begin) &&
	       memcmp(begin, "\177ELF", sizeof(begin)) == 0;
}

static int execute(const struct further_words *words, const char *path)
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

// PATH is searched here: execvp takes a hidden directory for "permission denied".
int further_execute(const struct further_words *words)
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

// --- further ones --------------------------------------------------------------------------------

bool further_text_is_good(const struct further_text *text, size_t length)
{
	size_t wanted = 1, found = 0;
	if (length <= sizeof(*text) || length > FURTHER_BYTES_MAX)
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
	struct further_text *text;
	char **words;
	size_t text_size, words_size;
};

static void unmap(const struct mapped *mapped)
{
	munmap(mapped->text, mapped->text_size);
	if (mapped->words != MAP_FAILED)
		munmap(mapped->words, mapped->words_size);
}

// 0 or an errno.
static int map(int fd, struct mapped *ret_mapped)
{
	struct stat status;
	struct mapped mapped = { .words = MAP_FAILED };
	if (fstat(fd, &status) < 0)
		return errno;
	if (status.st_size <= 0 || status.st_size > FURTHER_BYTES_MAX)
		return EINVAL;
	mapped.text_size = (size_t)status.st_size;
	mapped.text = mmap(NULL, mapped.text_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapped.text == MAP_FAILED)
		return errno;
	bool good = further_text_is_good(mapped.text, mapped.text_size);
	if (good) {
		mapped.words_size = ((size_t)mapped.text->arguments + mapped.text->variables + 2) *
				    sizeof(*mapped.words);
		mapped.words = mmap(NULL, mapped.words_size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	if (mapped.words == MAP_FAILED) {
		int number = good ? errno : EINVAL;
		unmap(&mapped);
		return number;
	}
	char *at = mapped.text->texts, **word = mapped.words;
	for (uint32_t i = 0; i < mapped.text->arguments; i++)
		*word++ = at += strlen(at) + 1;
	*word++ = NULL;
	for (uint32_t i = 0; i < mapped.text->variables; i++)
		*word++ = at += strlen(at) + 1;
	*ret_mapped = mapped;
	return 0;
}

// In the vfork child, as the first command's (process/init.c). What it has of walls is pid 1's.
static _Noreturn void become(const struct run *run, const struct mapped *mapped,
			     const struct further_order *order, const int fds[FD_PASSED],
			     volatile int *problem)
{
	enum { ABOVE = 16, STANDARD = 3 };
	int high[STANDARD];
	bool done = setsid() >= 0;
	for (int i = 0; i < STANDARD; i++)
		high[i] = fcntl(fds[1 + i], F_DUPFD_CLOEXEC, ABOVE);
	for (int i = 0; i < STANDARD; i++)
		done = done && dup2(high[i], i) == i;
	done = done && (!order->terminal.wanted || pty_take() == 0);
	if (run->child_ignored)
		signal(SIGCHLD, SIG_IGN);
	if (done && sys_prlimit(RLIMIT_NOFILE, &run->further->files, NULL) == 0 &&
	    fd_close_except(NULL, 0, CLOSE_RANGE_CLOEXEC) == 0 &&
	    (!mapped->text->texts[0] || chdir(mapped->text->texts) == 0)) {
		sigprocmask(SIG_SETMASK, &run->callers_mask, NULL);
		*problem = further_execute(&(struct further_words){
			mapped->words, mapped->words + mapped->text->arguments + 1 });
		_exit(1);
	}
	*problem = errno;
	_exit(1);
}

static struct further_child *free_place(struct run *run)
{
	for (unsigned i = 0; i < FURTHER_MAX; i++)
		if (!run->further->all[i].pid)
			return &run->further->all[i];
	return NULL;
}

// 0 or an errno.
static int start(struct run *run, const struct further_order *order, const int fds[FD_PASSED])
{
	volatile int problem = 0;
	struct mapped mapped;
	if (!free_place(run) || run->paused)
		return EAGAIN;
	for (int i = 0; i < FD_PASSED; i++)
		if (fds[i] < 0)
			return EBADF;
	int unmapped = map(fds[0], &mapped);
	if (unmapped)
		return unmapped;
	pid_t pid = vfork();
	if (pid == 0)
		become(run, &mapped, order, fds, &problem);
	int result = pid < 0 ? errno : problem;
	unmap(&mapped);
	if (pid > 0 && problem)
		waitpid(pid, NULL, __WALL);
	else if (pid > 0) {
		struct further_child *child = free_place(run);
		child->pid = run->message.child = pid;
		child->number = order->number;
	}
	return result;
}

static void tell(struct run *run, enum message_kind kind, int number, int status, int fd)
{
	run->message.kind = kind;
	run->message.step = number;
	run->message.number = run->message.status = status;
	fd_send(run->to_host, &run->message, sizeof(run->message), &fd, fd >= 0);
}

static void execute_order(struct run *run, const struct further_order *order, int fds[FD_PASSED])
{
	autoclose int master = -1;
	int problem = order->terminal.wanted ? pty_open(&order->terminal, &master, &fds[1]) : 0;
	for (int i = 2; order->terminal.wanted && problem == 0 && i < FD_PASSED; i++)
		fds[i] = fcntl(fds[1], F_DUPFD_CLOEXEC, 0);
	if (problem == 0)
		problem = start(run, order, fds);
	tell(run, MESSAGE_FURTHER, order->number, problem, problem ? -1 : master);
}

void further_take(struct run *run, const struct further_order *order, int fds[FD_PASSED])
{
	if (order->kind == FURTHER_EXECUTE)
		execute_order(run, order, fds);
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&fds[i]);
	// A command that has ended is none of these any more, whatever process has its number.
	for (unsigned i = 0; order->kind == FURTHER_SIGNAL && i < FURTHER_MAX; i++)
		if (run->further->all[i].pid && run->further->all[i].number == order->number)
			kill(-run->further->all[i].pid, order->signal);
}

void further_reaped(struct run *run, pid_t pid, int status)
{
	for (unsigned i = 0; i < FURTHER_MAX; i++) {
		if (run->further->all[i].pid != pid || WIFSTOPPED(status))
			continue;
		run->further->all[i].pid = 0;
		tell(run, MESSAGE_FURTHER_ENDED, run->further->all[i].number, status, -1);
		return;
	}
}
