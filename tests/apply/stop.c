// Runs a program and stands still at its n-th system call, counted over all of its processes: says
// so on descriptor 3, and reads from 4 whether it goes on ('c') or is killed with all of them
// ('k'). Ends with the program's status and, on 3, with the number of its calls.
//   stop N PROGRAM ARGUMENT...
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PROCESSES_MOST = 64,
	OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		  PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL
};

static struct {
	pid_t pid;
	bool inside; // of a call
} processes[PROCESSES_MOST];
static unsigned count;
static long calls, wanted;

static unsigned find(pid_t pid)
{
	for (unsigned i = 0; i < count; i++)
		if (processes[i].pid == pid)
			return i;
	if (count == PROCESSES_MOST)
		exit(2);
	processes[count].pid = pid;
	processes[count].inside = false;
	return count++;
}

static void stand_still(void)
{
	char answer = 'c';
	if (dprintf(3, "stopped\n") < 0 || read(4, &answer, 1) < 0)
		answer = 'k';
	for (unsigned i = 0; answer == 'k' && i < count; i++)
		kill(processes[i].pid, SIGKILL);
}

// The signal to deliver.
static int look(pid_t pid, int status)
{
	int number = WSTOPSIG(status);
	unsigned at = find(pid);
	if (number == (SIGTRAP | 0x80)) {
		processes[at].inside = !processes[at].inside;
		if (processes[at].inside && ++calls == wanted)
			stand_still();
		return 0;
	}
	return number == SIGTRAP || number == SIGSTOP ? 0 : number;
}

int main(int argc, char **argv)
{
	int status, result = 137;
	if (argc < 3)
		return 2;
	wanted = strtol(argv[1], NULL, 10);
	pid_t first = fork();
	if (first == 0) {
		close(3);
		close(4);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
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
	dprintf(3, "%ld\n", calls);
	return result;
}
