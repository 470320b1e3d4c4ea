// Owns the words between sbx allow and a run.
#include "net/live.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/list.h"
#include "base/str.h"
#include "net/proxy.h"

enum { ANSWER_MILLISECONDS = 2000, WISH_MILLISECONDS = 100 };

struct wish {
	enum { WISH_ALLOW, WISH_DENY } kind;
	char destination[RULE_TEXT_MOST];
};

static socklen_t fill_name(struct sockaddr_un *address, uid_t uid, pid_t run)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	int length = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "sbx-%u-%d",
			      (unsigned)uid, (int)run);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

// Not in a sandbox of its own: what shares the host's network reaches abstract sockets (before
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

int live_listen(void)
{
	struct sockaddr_un address;
	socklen_t size = fill_name(&address, geteuid(), getpid());
	autoclose int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, size) < 0 || listen(fd, 8) < 0)
		return fail(errno, "the socket for sbx allow");
	return take(&fd);
}

// The kernel's answer, as an errno: 0 when the rule stands.
static int add(struct proxy *proxy, const struct wish *wish)
{
	struct destination destination;
	struct list *list = wish->kind == WISH_ALLOW ? &proxy->more_allow : &proxy->more_deny;
	unsigned count = 0;
	if (memchr(wish->destination, '\0', sizeof(wish->destination)) == NULL ||
	    !destination_parse(wish->destination, &destination))
		return EINVAL;
	list_each (item, list)
		count++;
	if (count == RULES_ADDED_MOST)
		return ENOSPC;
	if (!proxy->words)
		proxy->words = arena_new();
	list_add(list, proxy->words,
		 arena_copy(proxy->words, wish->destination, strlen(wish->destination)),
		 (struct origin){ .file = "sbx allow" });
	return 0;
}

bool live_take(struct proxy *proxy)
{
	struct wish wish;
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

int live_tell(pid_t run, const char *word, const char *destination)
{
	struct wish wish = { .kind = str_equal(word, "allow") ? WISH_ALLOW : WISH_DENY };
	struct sockaddr_un address;
	socklen_t size = fill_name(&address, geteuid(), run);
	int answer = 0;
	if (strlen(destination) >= sizeof(wish.destination))
		return fail(0, "'%.40s' is too long", destination);
	memcpy(wish.destination, destination, strlen(destination));
	autoclose int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, size) < 0 || !is_own(fd, run))
		return fail(0,
			    "no run %d of yours has a network to change; those that have: sbx log "
			    "--runs",
			    (int)run);
	struct pollfd event = { .fd = fd, .events = POLLIN };
	if (send(fd, &wish, sizeof(wish), MSG_NOSIGNAL) < 0 ||
	    poll(&event, 1, ANSWER_MILLISECONDS) <= 0 ||
	    recv(fd, &answer, sizeof(answer), 0) != (ssize_t)sizeof(answer))
		return fail(0, "run %d does not answer", (int)run);
	return answer ? fail(answer, "run %d refused '%s'", (int)run, destination) : 0;
}

unsigned live_runs(pid_t *runs, unsigned most)
{
	char line[512], prefix[64];
	unsigned count = 0;
	FILE *file = fopen("/proc/net/unix", "re");
	if (!file)
		return 0;
	snprintf(prefix, sizeof(prefix), "@sbx-%u-", (unsigned)geteuid());
	while (count < most && fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, prefix);
		unsigned long long pid;
		size_t length = at ? strcspn(at + strlen(prefix), "\n") : 0;
		if (at && str_number(at + strlen(prefix), length, 1, 1 << 30, &pid))
			runs[count++] = (pid_t)pid;
	}
	fclose(file);
	return count;
}
