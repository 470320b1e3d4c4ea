// Owns the file by which other processes of the caller's find a run.
#include "net/host/roll.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/process_stat.h"
#include "net/host/control_socket.h"
#include "net/host/publish.h"
#include "net/host/proxy.h"
#include "net/host/refusals.h"
#include "plan.h"
#include "report/findings.h"
#include "run.h"

static void copy_text(char *into, size_t size, const char *text)
{
	size_t length = text ? strnlen(text, size - 1) : 0;
	memcpy(into, text ? text : "", length);
}

static void copy_command(struct roll_entry *entry, char *const *command)
{
	size_t used = 0;
	for (; *command && used < ROLL_COMMAND - 1; command++) {
		if (used > 0)
			entry->command[used++] = ' ';
		copy_text(entry->command + used, ROLL_COMMAND - used, *command);
		used += strlen(entry->command + used);
	}
}

static void fill(const struct plan *plan, const struct run *run, pid_t own,
		 struct roll_entry *entry)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	entry->magic = ROLL_MAGIC;
	entry->place = process_place_here();
	entry->supervisor = own;
	entry->init = run->init;
	entry->landlock = run->tier_landlock;
	entry->begun = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	entry->network = plan->egress.on ? ROLL_PROXY : plan->own_network ? ROLL_NONE : ROLL_HOST;
	entry->ports = doors_ports(run->proxy);
	copy_text(entry->session, sizeof(entry->session),
		  plan->session ? plan->session->name : NULL);
	copy_text(entry->project, sizeof(entry->project), plan->project);
	copy_command(entry, plan->command);
}
_Static_assert((int)DOORS_MAX == (int)ROLL_PORTS, "all published ports fit");

// By pid and time: what another pid namespace or boot has made is never met, and never taken over.
static int write_entry(const struct plan *plan, struct run *run)
{
	struct roll_entry entry = { 0 };
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct timespec now;
	pid_t own = getpid();
	clock_gettime(CLOCK_REALTIME, &now);
	TRY(run->roll_directory =
		    owned_directory(path_below(plan->arena, plan->state, ROLL_DIRECTORY)));
	snprintf(run->roll_name, sizeof(run->roll_name), "%d-%llx%08lx", (int)own,
		 (unsigned long long)now.tv_sec, (unsigned long)now.tv_nsec);
	run->roll = openat(run->roll_directory, run->roll_name,
			   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (run->roll < 0)
		return fail(errno, "note the run");
	fill(plan, run, own, &entry);
	// The lock first: what is written and not locked was left by a dead one.
	if (fcntl(run->roll, F_SETLK, &lock) == 0 &&
	    pwrite(run->roll, &entry, sizeof(entry), 0) == (ssize_t)sizeof(entry))
		return 0;
	int number = errno;
	roll_undo(plan, run);
	fd_close(&run->roll);
	return fail(number, "note the run");
}

int roll_host(const struct plan *plan, struct run *run)
{
	int noted = write_entry(plan, run);
	if (noted < 0 && plan->ready) // in the background nobody would find it
		return -1;
	if (noted < 0)
		run->roll_problem = arena_text(
			plan->arena, "sbx ps, stop, wait, allow and deny (%s)", err_taken());
	else if (plan->egress.on || plan->ready || plan->session)
		run->proxy->live = control_socket_listen(run->roll_directory, run->roll_name);
	if (!run->roll_problem && plan->egress.on && run->proxy->live < 0)
		run->roll_problem =
			arena_text(plan->arena, "sbx allow and deny (%s)", strerror(errno));
	return 0;
}

// The socket first: the file leads to it.
void roll_remove(int roll, const char *name)
{
	char path[128];
	if (str_put(path, sizeof(path), "%s" ROLL_SOCKET, name))
		unlinkat(roll, path, 0);
	unlinkat(roll, name, 0);
}

// The file stays open and locked: who waits reads the status from it.
int roll_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	if (run->roll >= 0 && run->roll_directory >= 0)
		roll_remove(run->roll_directory, run->roll_name);
	return 0;
}

// Not those of the network, which the proxy counts whether they were noted yet or not.
static uint32_t count_others(const struct denials *denials)
{
	uint32_t count = 0;
	for (unsigned i = 0; i < denials->count; i++)
		count += !str_equal(denials->all[i].kind, "connect");
	return count;
}

void roll_turn(struct run *run, const struct denials *denials)
{
	uint64_t refused = refusals_count(run->proxy), seen = refused + denials->count;
	if (run->roll < 0 || seen == run->roll_seen)
		return;
	uint32_t count = (uint32_t)refused + count_others(denials);
	run->roll_seen = seen;
	(void)!pwrite(run->roll, &count, sizeof(count), offsetof(struct roll_entry, denials));
}

bool roll_is_killed(const struct run *run)
{
	struct roll_entry entry;
	return pread(run->roll, &entry, sizeof(entry), 0) == (ssize_t)sizeof(entry) &&
	       entry.ended == ROLL_KILLED;
}

void roll_end(struct run *run, const char *end, int status)
{
	struct {
		enum roll_end ended;
		int32_t status;
	} last = { ROLL_EXIT, status };
	while (last.ended < ROLL_FAILED && !str_equal(roll_ends[last.ended], end))
		last.ended++;
	_Static_assert(offsetof(struct roll_entry, status) ==
			       offsetof(struct roll_entry, ended) + sizeof(uint32_t),
		       "both are written at once");
	if (run->roll >= 0)
		(void)!pwrite(run->roll, &last, sizeof(last), offsetof(struct roll_entry, ended));
}

void roll_note(const struct run *run, struct findings *found)
{
	if (run->roll_problem && !run->journal_problem) // which has the same cause
		findings_add(found, FINDING_UNLISTED, "", run->roll_problem, "");
}
