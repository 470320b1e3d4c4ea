// Owns the child process of the check after a run.
#include "postcheck/postcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "net/setup/netns.h"
#include "base/testing.h"
#include "plan.h"
#include "report/findings.h"
#include "run.h"

enum { RECORDS_MAX = FINDING_KINDS * (FINDING_BYTES_MAX + (64 << 10)) };

enum { WRITABLE_MAX = 256 };

int64_t check_patience(const struct plan *plan, bool due)
{
	enum { CUT = 300, DUE = 15000, USUAL = 300000, HOUR = 3600000 };
	if (testing_skips("check-answer") || (due && testing_skips("due-answer")))
		return CUT;
	return plan->profile->check == CHECK_ALL ? HOUR : due ? DUE : USUAL;
}

struct writable {
	const char *paths[WRITABLE_MAX];
	int fds[WRITABLE_MAX];
	unsigned count;
};

// Lets the check write below `path`, unless there are already WRITABLE_MAX paths.
static void add_writable(struct writable *writable, const char *path, int follow)
{
	for (unsigned i = 0; i < writable->count; i++)
		if (path_within(path, writable->paths[i]))
			return;
	int fd = writable->count < WRITABLE_MAX
			 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | follow)
			 : -1;
	if (fd < 0) // too many, or a file
		return;
	writable->paths[writable->count] = path;
	writable->fds[writable->count++] = fd;
}

static int lock(const struct plan *plan, int copies)
{
	static const int of_root[] = { CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER,
				       CAP_FSETID };
	static char parents[COPIES_MAX][PATH_MAX];
	static struct writable writable;
	unsigned locks = confine_locks();
	add_writable(&writable, plan->state, 0);
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == MOUNT_BIND && plan->mounts[i].access == ACCESS_WRITE)
			add_writable(&writable, plan->mounts[i].source, O_NOFOLLOW);
	for (unsigned i = 0; i < plan->copy_count; i++) {
		const char *path = plan->copies[i].path;
		if (str_put(parents[i], PATH_MAX, "%.*s", (int)(path_name(path) - path - 1), path))
			add_writable(&writable, parents[i], O_NOFOLLOW);
	}
	// The copies are in the dead box's mount namespace: no path leads there.
	if (copies >= 0 && writable.count < WRITABLE_MAX)
		writable.fds[writable.count++] = copies;
	if (geteuid() == 0 && privileges_keep(of_root, sizeof(of_root) / sizeof(*of_root)) < 0)
		return -1;
	return confine_below(CONFINED_CHECK, locks, writable.fds, writable.count);
}

// Runs `look`, without the lock that marks the run as alive, and writes findings to `back`.
static _Noreturn void run_child(const struct plan *plan, const struct run *run, pid_t parent,
				void (*look)(void *argument), void *argument,
				struct findings *found, int back)
{
	size_t before = found->records.used;
	const int copies = run->copies;
	if (run->record_lock >= 0)
		close(run->record_lock);
	// A later change of credentials would clear PR_SET_PDEATHSIG.
	if (owned_override(OVER_ALL) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
	    getppid() != parent || (plan && (apart_inherit() < 0 || lock(plan, copies) < 0)))
		_exit(1);
	while (testing_skips("check-answer") || (!plan && testing_skips("due-answer")))
		pause();
	look(argument);
	size_t length = found->records.used - before;
	if (fd_write_all(back, found->counts, sizeof(found->counts)) < 0 ||
	    fd_write_all(back, &length, sizeof(length)) < 0 ||
	    (length > 0 && fd_write_all(back, found->records.text + before, length) < 0))
		_exit(1);
	_exit(0);
}

static bool read_whole(int from, int64_t end, void *bytes, size_t size)
{
	struct pollfd event = { .fd = from, .events = POLLIN };
	ssize_t got;
	for (char *at = bytes; size > 0; at += got, size -= (size_t)got) {
		int64_t left = end - steady_now();
		if (left <= 0 || poll(&event, 1, left < INT_MAX ? (int)left : INT_MAX) <= 0 ||
		    (got = read(from, at, size)) <= 0)
			return false;
	}
	return true;
}

// Checks every value: hostile files may have exploited the sender.
static bool read_findings(int from, int64_t end, struct findings *found)
{
	struct findings answer = { 0 };
	char part[4096];
	size_t left, want;
	bool whole = read_whole(from, end, answer.counts, sizeof(answer.counts)) &&
		     read_whole(from, end, &left, sizeof(left)) && left <= RECORDS_MAX;
	for (; whole && left > 0; left -= want) {
		want = left < sizeof(part) ? left : sizeof(part);
		whole = read_whole(from, end, part, want);
		out_bytes(&answer.records, part, whole ? want : 0);
	}
	whole = whole && findings_take(found, &answer);
	findings_free(&answer);
	return whole;
}

bool apart_run(const struct plan *plan, const struct run *run, int64_t patience,
	       void (*look)(void *argument), void *argument, struct findings *found)
{
	int ends[2];
	int64_t now = steady_now(), end = now + patience + (now - run->began);
	apart_reap();
	if ((plan && ATTEMPT(apart_begin()) < 0) || pipe2(ends, O_CLOEXEC) < 0)
		return false;
	pid_t own = getpid(), child = fork();
	if (child == 0)
		run_child(plan, run, own, look, argument, found, ends[1]);
	fd_close(&ends[1]);
	bool whole = child > 0 && read_findings(ends[0], end, found);
	fd_close(&ends[0]);
	if (child > 0)
		kill(child, SIGKILL);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return whole;
}
