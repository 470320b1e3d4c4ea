// Runs a program and stands still at its n-th system call, counted over all of its processes: says
// so on descriptor SAYS, and reads from HEARS whether it goes on ('c') or is killed with all of
// them ('k'). Ends with the program's status and, on SAYS, with the number of its calls.
//   stop SAYS HEARS N PROGRAM ARGUMENT...      -N: of those after the first rename
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PROCESSES_MAX = 64,
	OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		  PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL
};

static struct {
	pid_t pid;
	bool inside; // of a call
} processes[PROCESSES_MAX];
static unsigned count;
static int says, hears;
static long calls, wanted;
static bool counting;

static unsigned find(pid_t pid)
{
	for (unsigned i = 0; i < count; i++)
		if (processes[i].pid == pid)
			return i;
	if (count == PROCESSES_MAX)
		exit(2);
	processes[count].pid = pid;
	processes[count].inside = false;
	return count++;
}

static void stand_still(void)
{
	char answer = 'c';
	if (dprintf(says, "stopped\n") < 0 || read(hears, &answer, 1) < 0)
		answer = 'k';
	for (unsigned i = 0; answer == 'k' && i < count; i++)
		kill(processes[i].pid, SIGKILL);
}

static bool is_rename(pid_t pid)
{
	struct __ptrace_syscall_info info;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) <= 0)
		return false;
	return info.op == PTRACE_SYSCALL_INFO_ENTRY &&
	       (info.entry.nr == SYS_renameat || info.entry.nr == SYS_renameat2);
}

// The signal to deliver.
static int look(pid_t pid, int status)
{
	int number = WSTOPSIG(status);
	unsigned at = find(pid);
	if (number == (SIGTRAP | 0x80)) {
		processes[at].inside = !processes[at].inside;
		counting = counting || (processes[at].inside && is_rename(pid));
		if (counting && processes[at].inside && ++calls == wanted)
			stand_still();
		return 0;
	}
	return number == SIGTRAP || number == SIGSTOP ? 0 : number;
}

int main(int argc, char **argv)
{
	int status, result = 137;
	if (argc < 5)
		return 2;
	says = (int)strtol(argv[1], NULL, 10);
	hears = (int)strtol(argv[2], NULL, 10);
	wanted = strtol(argv[3], NULL, 10);
	counting = wanted > 0;
	wanted = labs(wanted);
	pid_t first = fork();
	if (first == 0) {
		close(says);
		close(hears);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	find(first);
	if (waitpid(first, &status, 0) < 0 || ptrace(PTRACE_SETOPTIONS, first, NULL, OPTIONS) < 0)
		return 2;
	ptrace(PTRACE_SYSCALL, first, NULL, NULL);
	for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
		if (WIFSTOPPED(status))
			ptrace(calls < wanted ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL,
			       (long)look(pid, status));
		else if (pid == first && WIFEXITED(status))
			result = WEXITSTATUS(status);
	}
	dprintf(says, "%ld\n", calls);
	return result;
}
