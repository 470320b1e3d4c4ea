// Times several commands in rounds, so that noise hits all alike, each round in another order: what
// the kernel still clears away of one is paid by the next.
//   interleave ROUNDS PAUSE_US NAME=FIRST-WORD WORD... :: NAME=... WORD...
// Prints NAME median p99 minimum in us, and the median's ratio to that of the last command.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { COMMANDS_MAX = 16, ROUNDS_MAX = 5000 };

struct command {
	const char *name;
	char **words;
	double *times;
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return a < b ? -1 : a > b;
}

static double run_once(const struct command *command)
{
	int status;
	pid_t pid;
	double start = now();
	if (posix_spawn(&pid, command->words[0], NULL, NULL, command->words, environ) != 0 ||
	    waitpid(pid, &status, 0) < 0 || status != 0) {
		fprintf(stderr, "interleave: %s failed\n", command->name);
		exit(1);
	}
	return now() - start;
}

static int split(char **words, struct command *commands)
{
	int count = 0;
	while (*words && count < COMMANDS_MAX) {
		char *equal = strchr(*words, '=');
		if (!equal)
			return -1;
		*equal = '\0';
		commands[count] =
			(struct command){ *words, words, calloc(ROUNDS_MAX, sizeof(double)) };
		*words = equal + 1;
		while (*words && strcmp(*words, "::") != 0)
			words++;
		if (*words)
			*words++ = NULL;
		count++;
	}
	return count;
}

// Fisher and Yates; the same orders in each run.
static void shuffle(int *order, int count)
{
	static unsigned random = 1;
	for (int i = count - 1; i > 0; i--) {
		random = random * 1103515245U + 12345U; // the example of rand(3)
		int j = (int)(random >> 16) % (i + 1), kept = order[i];
		order[i] = order[j];
		order[j] = kept;
	}
}

int main(int count, char **words)
{
	static struct command commands[COMMANDS_MAX];
	if (count < 4)
		return 2;
	int rounds = atoi(words[1]), pause = atoi(words[2]);
	int most = split(words + 3, commands);
	if (most <= 0 || rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	int order[COMMANDS_MAX];
	for (int i = 0; i < most; i++)
		order[i] = i;
	for (int round = -3; round < rounds; round++) {
		shuffle(order, most);
		for (int i = 0; i < most; i++) {
			if (pause)
				usleep((useconds_t)pause);
			double time = run_once(&commands[order[i]]);
			if (round >= 0)
				commands[order[i]].times[round] = time;
		}
	}
	for (int i = 0; i < most; i++)
		qsort(commands[i].times, (size_t)rounds, sizeof(double), ascending);
	for (int i = 0; i < most; i++) {
		double *times = commands[i].times;
		printf("%-28s median %6.0f  p99 %6.0f  min %6.0f us  %5.2f x\n", commands[i].name,
		       times[rounds / 2], times[rounds * 99 / 100], times[0],
		       times[rounds / 2] / commands[most - 1].times[rounds / 2]);
	}
	return 0;
}
