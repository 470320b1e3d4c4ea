// What a box does to keep its supervisor from looking: many messages, and much to look at. Each
// mode runs until it is killed, and says "ready" when it has begun.
//   stall table PROCESSES DESCRIPTORS REFUSALS   processes that share one table, then refused
//   connections stall apart PROCESSES DESCRIPTORS REFUSALS   the same, each with a table of its own
//   stall connect NAMES [COUNT]   refused connections to so many addresses, without end or so many
//   stall names DIRECTORY [NAME]   files that come and go in it; of a protected name: questions
//   about mounts stall trusted DIRECTORY [COUNT]   the protected name .vscode, each time it is
//   gone; after COUNT it ends stall write DIRECTORY     refused writes below it: questions of
//   --explain stall processes COUNT     so many processes that wait
//   stall mappings PROCESSES MAPPINGS   processes that share 8 MiB and have so many mappings each
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void ready(void)
{
	if (write(1, "ready\n", 6) < 0)
		_exit(1);
}

static int refused(unsigned number)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)(1000 + number % 60000)) };
	struct timeval most = { .tv_sec = 10 };
	char byte;
	to.sin_addr.s_addr = htonl(0x08000000U | (number / 60000 + 1) << 8 | 1);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0)
		return fd;
	// A name is only read at the end of what is sent: an answer comes, or the end.
	static const char words[] = "GET / HTTP/1.0\r\n\r\n";
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
	if (send(fd, words, sizeof(words) - 1, MSG_NOSIGNAL) > 0)
		recv(fd, &byte, 1, 0);
	return fd;
}

static void open_many(int descriptors)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	int null = open("/dev/null", O_RDONLY);
	for (int i = 0; i < descriptors && dup(null) >= 0; i++)
		;
}

// One more process, with this one's table or a copy of it. 0 in the child.
static int more(int shared)
{
	int flags = SIGCHLD | (shared ? CLONE_FILES : 0);
	return (int)syscall(SYS_clone, (long)flags, 0L, 0L, 0L, 0L);
}

static void hold(int processes, int descriptors, int shared)
{
	open_many(descriptors);
	for (int i = 0; i < processes; i++) {
		int pid = more(shared);
		if (pid == 0)
			for (;;)
				pause();
		if (pid < 0)
			break;
	}
}

static void nap(long milliseconds)
{
	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
	nanosleep(&time, NULL);
}

// Half of the others come before the one that connects, half after: whatever the order in which
// they are looked at.
static void act_table(char **words, int shared)
{
	int ends[2], processes = atoi(words[0]), descriptors = atoi(words[1]);
	char byte = 0;
	if (pipe(ends) < 0)
		return;
	hold(processes / 2, descriptors, shared);
	if (fork() == 0) {
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		for (unsigned i = 0; i < (unsigned)atoi(words[2]); i++)
			close(refused(i));
		ready();
		for (;;)
			pause();
	}
	hold(processes - processes / 2, 0, shared);
	if (write(ends[1], "x", 1) == 1)
		for (;;)
			pause();
}

static void act_connect(char **words)
{
	unsigned names = (unsigned)atoi(words[0]),
		 count = words[1] ? (unsigned)atoi(words[1]) : ~0U;
	ready();
	for (unsigned i = 0; i < count; i++)
		close(refused(i % names));
	exit(0);
}

static void act_names(char **words)
{
	char name[4096];
	ready();
	for (;;) {
		snprintf(name, sizeof(name), words[1] ? "%s/%s" : "%s/n", words[0], words[1]);
		close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		unlink(name);
	}
}

static void act_trusted(char **words)
{
	char name[4096];
	snprintf(name, sizeof(name), "%s/.vscode", words[0]);
	ready();
	for (int made = 0; !words[1] || made < atoi(words[1]);)
		if (mkdir(name, 0700) == 0)
			made++;
		else
			nap(1);
	exit(0);
}

static void act_write(char **words)
{
	char name[4096];
	ready();
	for (unsigned i = 0;; i++) {
		snprintf(name, sizeof(name), "%s/n%u", words[0], i);
		close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
}

static void act_mappings(char **words)
{
	enum { SHARED = 8 << 20, PAGE = 4096 };
	int processes = atoi(words[0]), mappings = atoi(words[1]);
	volatile char *shared =
		mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *many =
		mmap(NULL, (size_t)mappings * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < mappings; i += 2)
		mprotect(many + (size_t)i * PAGE, PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < processes; i++) {
		if (fork() > 0)
			continue;
		for (int at = 0; at < SHARED; at += PAGE)
			shared[at] = 1;
		for (;;)
			pause();
	}
	sleep(1);
	ready();
	for (;;)
		pause();
}

int main(int count, char **words)
{
	const char *mode = count > 2 ? words[1] : "";
	words += 2;
	if (!strcmp(mode, "table") && count == 5)
		act_table(words, 1);
	else if (!strcmp(mode, "apart") && count == 5)
		act_table(words, 0);
	else if (!strcmp(mode, "connect"))
		act_connect(words);
	else if (!strcmp(mode, "names"))
		act_names(words);
	else if (!strcmp(mode, "trusted"))
		act_trusted(words);
	else if (!strcmp(mode, "write"))
		act_write(words);
	else if (!strcmp(mode, "mappings") && count == 4)
		act_mappings(words);
	else if (!strcmp(mode, "processes")) {
		hold(atoi(words[0]), 0, 1);
		ready();
		for (;;)
			pause();
	}
	fprintf(stderr, "stall: see the top of stall.c\n");
	return 2;
}
