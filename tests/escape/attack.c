// One hostile act per word: exit 0 when it worked, 1 with its errno when it was stopped.
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static long number(const char *text)
{
	return strtol(text, NULL, 0);
}

// TIOCSTI with anything in the upper half of the request: the kernel looks at the lower.
static int act_ioctl(char **words)
{
	char letter = '\n';
	return (int)syscall(SYS_ioctl, 0, strtoul(words[0], NULL, 0), &letter);
}

static int act_socket(char **words)
{
	return socket((int)number(words[0]), (int)number(words[1]), (int)number(words[2]));
}

static int act_unshare(char **words)
{
	return unshare((int)number(words[0]));
}

static int act_clone(char **words)
{
	long pid = syscall(SYS_clone, number(words[0]) | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(0);
	return (int)pid;
}

static int act_mount(char **words)
{
	(void)words;
	return (int)syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL);
}

// Reaches the kernel's code: any answer but "no such call" and "not permitted".
static int act_call(char **words)
{
	// Another machine has other numbers.
	static const struct {
		const char *name;
		long number;
	} calls[] = { { "add_key", SYS_add_key },
		      { "keyctl", SYS_keyctl },
		      { "name_to_handle_at", SYS_name_to_handle_at },
		      { "io_uring_setup", SYS_io_uring_setup },
		      { "clone3", SYS_clone3 } };
	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (strcmp(calls[i].name, words[0]) != 0)
			continue;
		long result = syscall(calls[i].number, -1L, 0L, 0L, 0L, 0L);
		return result < 0 && (errno == ENOSYS || errno == EPERM) ? -1 : 0;
	}
	return -1;
}

static int act_int80(char **words)
{
	(void)words;
#ifdef __x86_64__
	long result;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory"); // getpid of i386
	return result > 0 ? 0 : -1;
#else
	return -1;
#endif
}

static int act_x32(char **words)
{
	(void)words;
	syscall(0x40000000 | SYS_getpid);
	return 0; // not killed
}

static int act_open(char **words)
{
	return open(words[0], O_WRONLY | O_CLOEXEC); // never written to
}

static int act_openat(char **words)
{
	return openat((int)number(words[0]), words[1], O_RDONLY);
}

static int act_ptrace(char **words)
{
	return (int)ptrace(PTRACE_SEIZE, (pid_t)number(words[0]), NULL, NULL);
}

static int act_abstract(char **words)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(words[0]);
	memcpy(address.sun_path + 1, words[0], length);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	return connect(fd, (struct sockaddr *)&address,
		       (socklen_t)(sizeof(address.sun_family) + 1 + length));
}

static int act_tcp(char **words)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)number(words[0])),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	return connect(fd, (struct sockaddr *)&address, sizeof(address));
}

static int act_shm(char **words)
{
	struct shmid_ds info;
	return shmctl((int)number(words[0]), IPC_STAT, &info);
}

static int act_kill(char **words)
{
	return kill((pid_t)number(words[0]), (int)number(words[1]));
}

static int act_ulp(char **words)
{
	(void)words;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int result = setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 3);
	return result < 0 && errno == EPERM ? -1 : 0;
}

static int act_capabilities(char **words)
{
	(void)words;
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	if (syscall(SYS_capget, &header, data) < 0)
		return -1;
	bool some = data[0].effective | data[1].effective | data[0].permitted | data[1].permitted;
	some |= prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 1;
	errno = EPERM;
	return some ? 0 : -1;
}

static int act_new_privileges(char **words)
{
	(void)words;
	errno = EPERM;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ? 0 : -1;
}

static int act_processes(char **words)
{
	int started = 0, most = (int)number(words[0]);
	for (int i = 0; i < most; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			pause();
			_exit(0);
		}
		if (pid < 0)
			return -1;
		started++;
	}
	return started == most ? 0 : -1;
}

/* Each process that is made gets this signal as soon as it is there: numbers follow each other.
 * Until the file "enough" is there. */
static int act_signal_next(char **words)
{
	enum { AHEAD = 8, LOOKS = 20000 };
	int number = atoi(words[0]);
	pid_t other = fork(), last = other > 0 ? other : getpid();
	while (access("enough", F_OK) < 0)
		for (int i = 0; i < LOOKS; i++)
			for (pid_t next = last + 1; next <= last + AHEAD; next++)
				if (kill(next, number) == 0)
					last = next;
	if (other > 0)
		wait(NULL);
	return 0;
}

struct act {
	const char *name;
	int words;
	int (*go)(char **words);
};

static const struct act acts[] = {
	{ "ioctl", 1, act_ioctl },
	{ "socket", 3, act_socket },
	{ "unshare", 1, act_unshare },
	{ "clone", 1, act_clone },
	{ "mount", 0, act_mount },
	{ "call", 1, act_call },
	{ "int80", 0, act_int80 },
	{ "x32", 0, act_x32 },
	{ "open-for-writing", 1, act_open },
	{ "openat", 2, act_openat },
	{ "ptrace", 1, act_ptrace },
	{ "abstract", 1, act_abstract },
	{ "tcp", 1, act_tcp },
	{ "shm", 1, act_shm },
	{ "kill", 2, act_kill },
	{ "ulp", 0, act_ulp },
	{ "capabilities", 0, act_capabilities },
	{ "new-privileges", 0, act_new_privileges },
	{ "processes", 1, act_processes },
	{ "signal-next", 1, act_signal_next },
};

int main(int count, char **words)
{
	for (size_t i = 0; count > 1 && i < sizeof(acts) / sizeof(*acts); i++) {
		if (strcmp(acts[i].name, words[1]) != 0 || count - 2 != acts[i].words)
			continue;
		if (acts[i].go(words + 2) >= 0)
			return 0;
		fprintf(stderr, "attack: %s: %s\n", words[1], strerror(errno));
		return 1;
	}
	fprintf(stderr, "attack: no such act\n");
	return 127; /* an attempt that was not made is no wall's merit */
}
