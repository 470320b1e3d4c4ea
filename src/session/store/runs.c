// Owns the list of a session's running commands.
#include "session/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/process_stat.h"
#include "base/sys.h"

enum { NSFS_MAGIC = 0x6e736673, DYING_MILLISECONDS = 10000 };
static const char links_name[] = "runs";

static int elsewhere(const struct record_entry *entry)
{
	return fail(0,
		    "process %d uses the session, in another pid namespace or on another machine; "
		    "to end it: sbx stop %d, there",
		    (int)entry->supervisor, (int)entry->supervisor);
}

// Makes the run's file. Removes a file "runs", which older versions of sbx made.
int runs_note(int session, const char *name)
{
	enum { TRIES = 100 };
	char link[RECORD_NAME + sizeof(links_name)];
	str_put(link, sizeof(link), "%s/%s", links_name, name);
	for (int i = 0; i < TRIES; i++) {
		if (mkdirat(session, links_name, 0700) < 0 && errno != EEXIST)
			break;
		if (mknodat(session, link, S_IFREG | 0600, 0) == 0)
			return 0;
		if (errno == ENOTDIR)
			unlinkat(session, links_name, 0);
		else if (errno != ENOENT)
			break;
	}
	return fail(errno, "note the run in its session");
}

void runs_forget(int session, const char *name)
{
	char link[RECORD_NAME + sizeof(links_name)];
	str_put(link, sizeof(link), "%s/%s", links_name, name);
	unlinkat(session, link, 0);
	unlinkat(session, links_name, AT_REMOVEDIR);
}

static int leave_older(int session)
{
	static const struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	autoclose int slots =
		openat(session, links_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	pid_t run = slots < 0 ? -1 : process_holding(slots, whole);
	if (run >= 0)
		return fail(
			0,
			"process %d, of an older version of sbx, uses the session, and cannot be "
			"joined; to end it: sbx stop %d, by that version",
			(int)run, (int)run);
	return 0;
}

int runs_open(const char *state, int session, struct runs *ret_runs)
{
	autoclose int links =
		openat(session, links_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (links < 0 && errno == ENOTDIR)
		TRY(leave_older(session));
	autoclose int boxes = links < 0 ? -1 : records_open(state);
	*ret_runs = (struct runs){ .session = session };
	ret_runs->entries = (struct entry_stream){ .fd = links, .left = LONG_MAX };
	ret_runs->links = take(&links);
	ret_runs->boxes = take(&boxes);
	return 0;
}

// Waits up to 10 s for the end of a killed box.
static int wait_for_death(const struct record_entry *entry)
{
	struct process_stat init;
	autoclose int process = record_is_here(entry) ? sys_pidfd_open(entry->init) : -1;
	// Compares start times after the pidfd is open: another time means a reused pid. A zombie
	// has ended.
	if (process < 0 || !process_stat(entry->init, &init) || strchr("ZX", init.state) ||
	    init.start != entry->init_start)
		return 0;
	struct pollfd event = { .fd = process, .events = POLLIN };
	return poll(&event, 1, DYING_MILLISECONDS) == 1
		       ? 0
		       : fail(0,
			      "a command of a killed sbx does not end (process %d); to end it: "
			      "kill -KILL %d",
			      (int)entry->init, (int)entry->init);
}

bool runs_lasts(const struct session_run *run)
{
	struct record_entry entry;
	return record_pid_here(run->record.lock) >= 0 && record_read(run->record.lock, &entry) &&
	       entry.end == RECORD_LIVES;
}

static int look_at(const struct runs *runs, const char *name, struct session_run *run)
{
	int result = 0;
	if (record_open(runs->boxes, name, &run->record) == 0) {
		bool known = record_read(run->record.lock, &run->entry);
		if (known && runs_lasts(run))
			return 1;
		if (!known && record_pid_here(run->record.lock) >= 0)
			result = fail(0, "another version of sbx uses the session; to see it: "
					 "sbx ps");
		else if (known && runs->clears)
			result = wait_for_death(&run->entry);
		record_close(&run->record);
	}
	if (result == 0 && runs->clears)
		runs_forget(runs->session, name);
	return result;
}

int runs_next(struct runs *runs, struct session_run *ret_run)
{
	const struct sys_entry *entry;
	int found = 0;
	while (found == 0 && (entry = entries_next(&runs->entries)))
		found = look_at(runs, entry->name, ret_run);
	return found;
}

void runs_close(struct runs *runs)
{
	fd_close(&runs->links);
	fd_close(&runs->boxes);
}

bool runs_live(const char *state, int session, pid_t *ret_run)
{
	FORGIVING;
	struct runs runs = { .links = -1, .boxes = -1 };
	struct session_run run;
	bool lives = runs_open(state, session, &runs) == 0 && runs_next(&runs, &run) == 1;
	if (lives) {
		*ret_run = record_pid_here(run.record.lock);
		record_close(&run.record);
	}
	runs_close(&runs);
	return lives;
}

int runs_settle(const char *state, int session)
{
	struct runs runs;
	struct session_run run;
	int found;
	TRY(runs_open(state, session, &runs));
	runs.clears = true;
	while ((found = runs_next(&runs, &run)) == 1)
		record_close(&run.record);
	runs_close(&runs);
	return found;
}

int runs_signal(const struct session_run *run, int number)
{
	if (!record_is_here(&run->entry))
		return elsewhere(&run->entry);
	autoclose int process = sys_pidfd_open(run->entry.supervisor);
	if (process < 0 || !runs_lasts(run) || sys_pidfd_send_signal(process, number, NULL) < 0)
		return fail(errno, "signal process %d", (int)run->entry.supervisor);
	return 0;
}

static int open_namespace(pid_t supervisor, int number, uint64_t inode)
{
	char path[64];
	struct stat status;
	struct statfs kind;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)supervisor, number);
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &status) < 0 || fstatfs(fd, &kind) < 0 ||
	    kind.f_type != NSFS_MAGIC || status.st_ino != inode)
		return -1;
	return take(&fd);
}

int runs_enter(const struct session_run *run, int *ret_user, int *ret_view)
{
	const struct record_entry *entry = &run->entry;
	if (!record_is_here(entry))
		return elsewhere(entry);
	autoclose int process = sys_pidfd_open(entry->supervisor);
	autoclose int user = open_namespace(entry->supervisor, entry->user, entry->user_inode);
	autoclose int view = open_namespace(entry->supervisor, entry->view, entry->view_inode);
	struct pollfd event = { .fd = process, .events = POLLIN };
	// The supervisor still lives after all were opened: the namespaces are the run's.
	if (process < 0 || user < 0 || view < 0 || poll(&event, 1, 0) != 0 || !runs_lasts(run))
		return fail(0, "the command that runs in the session cannot be joined (process %d)",
			    (int)entry->supervisor);
	*ret_user = take(&user);
	*ret_view = take(&view);
	return 0;
}
