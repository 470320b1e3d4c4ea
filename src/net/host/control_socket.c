// Owns the words between sbx allow and a run.
#include "net/host/control_socket.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/list.h"
#include "base/str.h"
#include "net/host/proxy.h"
#include "report/findings.h"

enum { ANSWER_MILLISECONDS = 2000, WISH_MILLISECONDS = 100, NAME_BYTES_MAX = 64 };

struct control_wish {
	enum { WISH_ALLOW, WISH_DENY } kind;
	char destination[RULE_TEXT_MAX];
};

// "@sbx-UID-RUN-RANDOM": nobody can take it before, and it is found among the machine's names.
static socklen_t fill_name(struct sockaddr_un *address, const char *name)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	int length = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "%s", name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

// The next name of a run of the caller's. False when there are no more.
static bool next_name(FILE *names, char name[NAME_BYTES_MAX], pid_t *ret_run)
{
	char line[512], prefix[64];
	unsigned long long run;
	snprintf(prefix, sizeof(prefix), "@sbx-%u-", (unsigned)geteuid());
	while (fgets(line, sizeof(line), names)) {
		const char *at = strstr(line, prefix), *number = at ? at + strlen(prefix) : "";
		size_t length = strcspn(at ? at : "", "\n");
		if (!at || length > NAME_BYTES_MAX ||
		    !str_number(number, strcspn(number, "-"), 1, 1 << 30, &run))
			continue;
		memcpy(name, at + 1, length - 1);
		name[length - 1] = '\0';
		*ret_run = (pid_t)run;
		return true;
	}
	return false;
}

// The peer is in no sandbox. One that shares the host's network reaches abstract sockets (before
// Linux 6.12 by any Landlock), and has the same uid.
static bool is_outside(pid_t pid)
{
	char path[64];
	struct stat ours, theirs;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	return pid > 0 && stat("/proc/self/ns/user", &ours) == 0 && stat(path, &theirs) == 0 &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static bool is_own(int fd, pid_t wanted)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       peer.uid == geteuid() && (wanted == 0 ? is_outside(peer.pid) : peer.pid == wanted);
}

int control_socket_listen(void)
{
	struct sockaddr_un address;
	char name[NAME_BYTES_MAX];
	uint64_t random;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -1;
	snprintf(name, sizeof(name), "sbx-%u-%d-%016llx", (unsigned)geteuid(), (int)getpid(),
		 (unsigned long long)random);
	socklen_t size = fill_name(&address, name);
	autoclose int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, size) < 0 || listen(fd, 8) < 0)
		return -1;
	return take(&fd);
}

// The kernel's answer, as an errno: 0 when the rule stands.
static int add(struct proxy *proxy, const struct control_wish *wish)
{
	struct destination destination;
	struct list *list = wish->kind == WISH_ALLOW ? &proxy->more_allow : &proxy->more_deny;
	unsigned count = 0;
	if (memchr(wish->destination, '\0', sizeof(wish->destination)) == NULL ||
	    !destination_parse(wish->destination, &destination) ||
	    (destination.suffix && wish->kind != WISH_ALLOW))
		return EINVAL;
	list_each (item, list)
		count++;
	if (count == RULES_ADDED_MAX)
		return ENOSPC;
	if (!proxy->words)
		proxy->words = arena_new();
	list_add(list, proxy->words,
		 arena_copy(proxy->words, wish->destination, strlen(wish->destination)),
		 (struct origin){ .file = "sbx allow" });
	return 0;
}

int control_socket_add(struct proxy *proxy, const char *destination)
{
	struct control_wish wish = { .kind = WISH_ALLOW };
	if (!str_put(wish.destination, sizeof(wish.destination), "%s", destination))
		return EINVAL;
	return add(proxy, &wish);
}

bool control_socket_take(struct proxy *proxy)
{
	struct control_wish wish;
	autoclose int fd = accept4(proxy->live, NULL, NULL, SOCK_CLOEXEC);
	struct pollfd event = { .fd = fd, .events = POLLIN };
	if (fd < 0 || !is_own(fd, 0))
		return false;
	if (poll(&event, 1, WISH_MILLISECONDS) <= 0 ||
	    recv(fd, &wish, sizeof(wish), MSG_DONTWAIT) != (ssize_t)sizeof(wish))
		return false;
	int answer = add(proxy, &wish);
	send(fd, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
	return answer == 0;
}

// Of all names that say they are the run's, the one whose process is; anybody can make others.
static int connect_to(pid_t run)
{
	char name[NAME_BYTES_MAX];
	pid_t claimed;
	int found = -1;
	FILE *names = fopen("/proc/net/unix", "re");
	while (names && found < 0 && next_name(names, name, &claimed)) {
		struct sockaddr_un address;
		socklen_t size = fill_name(&address, name);
		autoclose int fd = -1;
		if (claimed != run)
			continue;
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, size) == 0 &&
		    is_own(fd, run))
			found = take(&fd);
	}
	if (names)
		fclose(names);
	return found;
}

int control_socket_tell(pid_t run, const char *word, const char *destination)
{
	struct control_wish wish = { .kind = str_equal(word, "allow") ? WISH_ALLOW : WISH_DENY };
	int answer = 0;
	if (strlen(destination) >= sizeof(wish.destination))
		return fail(0, "'%.40s' is too long", destination);
	memcpy(wish.destination, destination, strlen(destination));
	autoclose int fd = connect_to(run);
	if (fd < 0)
		return fail(
			0,
			"no run %d of yours has a network to change; those that have: sbx audit "
			"--runs",
			(int)run);
	struct pollfd event = { .fd = fd, .events = POLLIN };
	if (send(fd, &wish, sizeof(wish), MSG_NOSIGNAL) < 0 ||
	    poll(&event, 1, ANSWER_MILLISECONDS) <= 0 ||
	    recv(fd, &answer, sizeof(answer), 0) != (ssize_t)sizeof(answer))
		return fail(0, "run %d does not answer", (int)run);
	return answer ? fail(answer, "run %d refused '%s'", (int)run, destination) : 0;
}

// Names prove nothing: a process of another user's is no run of the caller's.
static bool is_callers(pid_t run)
{
	char path[64];
	struct stat status;
	snprintf(path, sizeof(path), "/proc/%d", (int)run);
	return stat(path, &status) == 0 && status.st_uid == geteuid();
}

unsigned control_socket_runs(pid_t *runs, unsigned most)
{
	char name[NAME_BYTES_MAX];
	unsigned count = 0;
	pid_t run;
	FILE *names = fopen("/proc/net/unix", "re");
	while (names && count < most && next_name(names, name, &run)) {
		bool listed = !is_callers(run);
		for (unsigned i = 0; i < count; i++)
			listed = listed || runs[i] == run;
		if (!listed)
			runs[count++] = run;
	}
	if (names)
		fclose(names);
	return count;
}

void control_socket_note(const struct proxy *proxy, struct findings *found)
{
	if (proxy->live_problem)
		findings_add(found, FINDING_NO_CONTROL, "", strerror(proxy->live_problem), "");
}
