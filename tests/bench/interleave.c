// Times several commands in rounds, so that noise hits all alike, each round in another order: what
// the kernel still clears away of one is paid by the next.
//   interleave ROUNDS PAUSE_US NAME=FIRST-WORD WORD... :: NAME=... WORD...
// Prints for each command its median, first quartile and p99 in us with the quartile's ratio to the
// last command's; and, of all its processes (wait4(2)), processor time in us with that ratio, page
// faults and switches, quartiles too.
#include <errno.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { COMMANDS_MAX = 16, ROUNDS_MAX = 5000 };

enum figure { WALL, CPU, FAULTS, SWITCHES, FIGURES };

struct command {
	const char *name;
	char **words;
	double *figures[FIGURES];
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

static double micros(struct timeval time)
{
	return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

static int counters[FIGURES] = { -1, -1, -1, -1 };

// Of this process and all that it will start.
static void open_counters(void)
{
	static const unsigned long long events[FIGURES] = {
		[CPU] = PERF_COUNT_SW_TASK_CLOCK,
		[FAULTS] = PERF_COUNT_SW_PAGE_FAULTS,
		[SWITCHES] = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	for (int i = CPU; i < FIGURES; i++) {
		struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE,
						 .size = sizeof event,
						 .config = events[i],
						 .inherit = 1 };
		counters[i] = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
	}
}

static double counted(int figure)
{
	unsigned long long value = 0;
	if (read(counters[figure], &value, sizeof value) != sizeof value)
		return 0;
	return figure == CPU ? (double)value / 1e3 : (double)value;
}

static void run_once(const struct command *command, double *figures)
{
	int status;
	pid_t pid;
	struct rusage used;
	double before[FIGURES];
	for (int i = CPU; i < FIGURES; i++)
		before[i] = counted(i);
	double start = now();
	if (posix_spawn(&pid, command->words[0], NULL, NULL, command->words, environ) != 0 ||
	    wait4(pid, &status, 0, &used) < 0 || status != 0) {
		fprintf(stderr, "interleave: %s failed\n", command->name);
		exit(1);
	}
	figures[WALL] = now() - start;
	figures[CPU] = micros(used.ru_utime) + micros(used.ru_stime);
	figures[FAULTS] = (double)(used.ru_minflt + used.ru_majflt);
	figures[SWITCHES] = (double)(used.ru_nvcsw + used.ru_nivcsw);
	if (counters[SWITCHES] >= 0) {
		usleep(2000); // what ends after the command
		for (int i = CPU; i < FIGURES; i++)
			figures[i] = counted(i) - before[i];
	}
}

static int split(char **words, struct command *commands)
{
	int count = 0;
	while (*words && count < COMMANDS_MAX) {
		char *equal = strchr(*words, '=');
		if (!equal)
			return -1;
		*equal = '\0';
		commands[count] = (struct command){ *words, words, { NULL } };
		for (int i = 0; i < FIGURES; i++)
			commands[count].figures[i] = calloc(ROUNDS_MAX, sizeof(double));
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
	open_counters();
	int order[COMMANDS_MAX];
	for (int i = 0; i < most; i++)
		order[i] = i;
	for (int round = -3; round < rounds; round++) {
		shuffle(order, most);
		for (int i = 0; i < most; i++) {
			if (pause)
				usleep((useconds_t)pause);
			double figures[FIGURES];
			run_once(&commands[order[i]], figures);
			for (int j = 0; round >= 0 && j < FIGURES; j++)
				commands[order[i]].figures[j][round] = figures[j];
		}
	}
	for (int i = 0; i < most; i++)
		for (int j = 0; j < FIGURES; j++)
			qsort(commands[i].figures[j], (size_t)rounds, sizeof(double), ascending);
	int quarter = rounds / 4;
	double *const *last = commands[most - 1].figures;
	for (int i = 0; i < most; i++) {
		double *const *of = commands[i].figures;
		printf("%-28s median %6.0f  p25 %6.0f  p99 %6.0f us  %5.3f x", commands[i].name,
		       of[WALL][rounds / 2], of[WALL][quarter], of[WALL][rounds * 99 / 100],
		       of[WALL][quarter] / last[WALL][quarter]);
		printf("  CPU %6.0f us  %5.3f x  faults %4.0f  switches %3.0f\n", of[CPU][quarter],
		       of[CPU][quarter] / last[CPU][quarter], of[FAULTS][quarter],
		       of[SWITCHES][quarter]);
	}
	return 0;
}
