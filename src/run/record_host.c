// Owns what sbx writes into the record of its run.
#include "run/steps.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/process_stat.h"
#include "boxes/record.h"
#include "net/host/control_socket.h"
#include "net/host/proxy.h"
#include "net/host/destinations.h"
#include "plan.h"
#include "report/findings.h"
#include "run.h"
#include "session/apply/apply.h"

static uint64_t inode_of(int fd)
{
	struct stat status;
	return fd >= 0 && fstat(fd, &status) == 0 ? status.st_ino : 0;
}

static void fill_session(const struct plan *plan, const struct run *run, struct record_entry *entry)
{
	struct process_stat init;
	str_put(entry->session, sizeof(entry->session), "%s", plan->session->name);
	entry->init_start = process_stat(run->init, &init) ? init.start : 0;
	entry->user = run->session_user;
	entry->view = run->session_view;
	entry->user_inode = inode_of(run->session_user);
	entry->view_inode = inode_of(run->session_view);
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == MOUNT_LAYERS)
			entry->roots |= 1ULL << plan->mounts[i].root;
}

static int enter(const struct plan *plan, struct run *run)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	struct record_entry entry = {
		.magic = RECORD_MAGIC,
		.place = process_place_here(),
		.supervisor = plan->run,
		.init = run->init,
		.begun = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000,
		.landlock = run->tier_landlock,
		.network = plan->egress.on     ? RECORD_PROXY
			   : plan->own_network ? RECORD_NONE
					       : RECORD_HOST,
	};
	doors_ports(run->proxy, &entry.ports);
	record_command(plan->command, entry.command);
	if (plan->project)
		str_put(entry.project, sizeof(entry.project), "%s", plan->project);
	if (plan->session)
		fill_session(plan, run, &entry);
	if (record_enter(run->boxes, run->record_lock, &entry, run->record_name) < 0)
		return fail(errno, "note the run");
	return join_note(plan, run);
}

static int make(const struct plan *plan, struct run *run)
{
	if (run->record < 0) { // a background run has its record already
		TRY(run->boxes = records_directory(plan->state));
		run->record = record_make(run->boxes, run->record_name, &run->record_lock);
	}
	return run->record < 0 ? fail(errno, "note the run") : enter(plan, run);
}

// Fails for a background run: without a record nobody would find it.
int record_host(const struct plan *plan, struct run *run)
{
	int noted = make(plan, run), number = errno;
	if (noted < 0 && plan->ready)
		return -1;
	if (noted < 0) {
		run->journal_problem = plan->place_count > 0 ? number : 0;
		run->unlisted = arena_text(plan->arena, "sbx ps, stop, wait, allow and deny (%s)",
					   err_taken());
		record_drop(run);
		return 0;
	}
	if (plan->egress.on || plan->ready || plan->session)
		run->proxy->control = control_socket_listen(run->record);
	if (plan->egress.on && run->proxy->control < 0)
		run->unlisted = arena_text(plan->arena, "sbx allow and deny (%s)", strerror(errno));
	return 0;
}

int record_undo(const struct plan *plan, struct run *run)
{
	if (run->record < 0)
		return 0;
	record_mark(run->record_lock, RECORD_OVER, 0);
	if (plan->egress.on || plan->ready || plan->session)
		unlinkat(run->record, RECORD_SOCKET, 0);
	return 0;
}

static uint32_t count_others(const struct denials *denials)
{
	uint32_t count = 0;
	for (unsigned i = 0; i < denials->count; i++)
		count += !str_equal(denials->all[i].kind, "connect");
	return count;
}

void record_turn(struct run *run, const struct denials *denials)
{
	uint64_t refused = refusals_count(run->proxy), seen = refused + denials->count;
	if (run->record_lock < 0 || seen == run->record_seen)
		return;
	uint32_t count = (uint32_t)refused + count_others(denials);
	run->record_seen = seen;
	record_put(run->record_lock, offsetof(struct record_entry, denials), &count, sizeof(count));
}

bool record_is_killed(const struct run *run)
{
	struct record_entry entry;
	return record_read(run->record_lock, &entry) && entry.killed;
}

// Lets pid 1, which ends later, close the removed file last: this takes 0.2 ms on ext4 with
// discard. O_PATH: pid 1 cannot read it.
static void leave_to_init(const struct run *run)
{
	autoclose int entry = openat(run->record, "entry", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (entry >= 0 && run->from_box >= 0)
		fd_send_now(run->from_box, &(char){ 0 }, 1, &entry, 1);
}

// Writes the status into `entry`, which a process that waits for the run has open.
void record_finish(struct run *run, const char *end, int status)
{
	enum record_end kind = RECORD_EXIT;
	while (kind < RECORD_FAILED && !str_equal(record_ends[kind], end))
		kind++;
	if (run->record < 0)
		return;
	record_mark(run->record_lock, kind, status);
	if (run->fronted)
		return;
	if (kind == RECORD_EXIT && run->journal_count == 0)
		leave_to_init(run);
	record_drop(run);
}

// Removes the record, unless a later check needs it.
void record_drop(struct run *run)
{
	if (run->record >= 0 && run->journal_count == 0)
		record_remove(run->boxes, run->record, run->record_name);
	fd_close(&run->record);
	fd_close(&run->record_lock);
	fd_close(&run->boxes);
}

void record_note(const struct run *run, struct findings *found)
{
	if (run->unlisted && !run->journal_problem)
		findings_add(found, FINDING_UNLISTED, "", run->unlisted, "");
}
