// Owns the records of running commands.
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

enum { NSFS_MAGIC = 0x6e736673, DYING_MILLISECONDS = 10000, SLOT_BYTES = 512, SLOTS_MAX = 1024 };
_Static_assert(sizeof(struct run_record) <= SLOT_BYTES, "a record fits into its slot");
static const uint64_t magic = 0x3230732d78627300; // and its version

// Of version 1, which locked no slot.
struct older_record {
	uint64_t magic;
	pid_t supervisor, init;
	uint64_t supervisor_start, init_start; // clock ticks since boot
};
static const uint64_t older_magic = 0x3130732d78627300;

// A zombie runs nothing and holds nothing.
uint64_t runs_start_of(pid_t pid)
{
	struct process_stat process;
	return process_stat(pid, &process) && !strchr("ZX", process.state) ? process.start : 0;
}

// One file of slots: to write into it costs a twentieth of making a file.
static int open_slots(int session, int flags)
{
	int fd = openat(session, "runs", flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	return fd < 0 ? fail(errno, "the runs of a session") : fd;
}

static struct flock lock_of(unsigned slot)
{
	return (struct flock){ .l_type = F_WRLCK,
			       .l_whence = SEEK_SET,
			       .l_start = (off_t)slot * SLOT_BYTES,
			       .l_len = SLOT_BYTES };
}

static bool is_here(const struct run_record *record)
{
	struct process_place here = process_place_here();
	return str_equal(record->place.boot, here.boot) &&
	       record->place.pid_namespace == here.pid_namespace;
}

static int elsewhere(const struct run_record *record)
{
	return fail(0,
		    "process %d uses the session, in another pid namespace or on another machine; "
		    "to end it: sbx stop %d, there",
		    (int)record->supervisor, (int)record->supervisor);
}

static off_t place_of(unsigned slot)
{
	return (off_t)slot * SLOT_BYTES;
}

static bool is_alive(pid_t pid, uint64_t start)
{
	return start > 0 && runs_start_of(pid) == start;
}

// Of version 1 one of which the supervisor or the box lives; dead ones count as none.
enum slot_state { SLOT_FREE, SLOT_LIVES, SLOT_DEAD, SLOT_OLDER };

// `ret_run`: which process the supervisor of one that lives is, 0 where it has no number here.
static enum slot_state read_slot(int fd, unsigned slot, struct run_record *ret_record,
				 pid_t *ret_run)
{
	struct older_record older = { 0 };
	ret_record->magic = 0;
	bool whole =
		pread(fd, ret_record, sizeof(*ret_record), place_of(slot)) == sizeof(*ret_record);
	ret_record->command[sizeof(ret_record->command) - 1] = '\0';
	ret_record->place.boot[sizeof(ret_record->place.boot) - 1] = '\0';
	*ret_run = process_holding(fd, lock_of(slot));
	if (whole && ret_record->magic == magic)
		return *ret_run >= 0 ? SLOT_LIVES : SLOT_DEAD;
	if (pread(fd, &older, sizeof(older), place_of(slot)) != sizeof(older) ||
	    older.magic != older_magic ||
	    !(is_alive(older.supervisor, older.supervisor_start) ||
	      is_alive(older.init, older.init_start)))
		return SLOT_FREE;
	*ret_run = older.supervisor;
	return SLOT_OLDER;
}

static int refuse_older(pid_t run)
{
	return fail(0,
		    "process %d, of an older version of sbx, uses the session, and cannot be "
		    "joined; to end it: sbx stop %d",
		    (int)run, (int)run);
}

int runs_write(int session, const struct run_record *record, int *ret_slots)
{
	struct run_record there, written = *record;
	pid_t run;
	written.magic = magic;
	written.place = process_place_here();
	autoclose int fd = open_slots(session, O_RDWR | O_CREAT);
	TRY(fd);
	for (unsigned slot = 0; slot < SLOTS_MAX; slot++) {
		struct flock lock = lock_of(slot);
		if (read_slot(fd, slot, &there, &run) != SLOT_FREE)
			continue;
		// The lock first: a record that nobody has locked is that of a dead one. One that
		// ends has cleared its record, and has the lock yet.
		int locked = fcntl(fd, F_SETLK, &lock);
		if (locked < 0 && (errno == EAGAIN || errno == EACCES))
			continue;
		if (locked < 0 ||
		    pwrite(fd, &written, sizeof(written), place_of(slot)) != sizeof(written))
			return fail(errno, "note the run in its session");
		*ret_slots = take(&fd);
		return (int)slot;
	}
	return fail(0, "more than %d commands run in the session", SLOTS_MAX);
}

void runs_forget(int slots, unsigned slot)
{
	static const struct run_record none;
	// The next one that reads it finds nobody alive, should this fail.
	(void)!pwrite(slots, &none, sizeof(none), place_of(slot));
}

int runs_open(int session, int flags, struct runs *ret_runs)
{
	int fd = open_slots(session, flags);
	TRY(fd);
	*ret_runs = (struct runs){ fd, 0 };
	return 0;
}

// Its supervisor was killed; its box follows within milliseconds.
static int wait_for_death(const struct run_record *record)
{
	autoclose int process = is_here(record) ? sys_pidfd_open(record->init) : -1;
	// The number may be another's by now; asked after the descriptor it is not reused.
	if (process < 0 || runs_start_of(record->init) != record->init_start)
		return 0;
	struct pollfd event = { .fd = process, .events = POLLIN };
	return poll(&event, 1, DYING_MILLISECONDS) == 1
		       ? 0
		       : fail(0,
			      "a command of a killed sbx does not end (process %d); to end it: "
			      "kill -KILL %d",
			      (int)record->init, (int)record->init);
}

static bool is_end(int fd, unsigned slot)
{
	struct stat status;
	return slot >= SLOTS_MAX || fstat(fd, &status) < 0 || status.st_size <= place_of(slot);
}

bool runs_look(struct runs *runs, struct run_record *ret_record)
{
	pid_t run;
	while (!is_end(runs->fd, runs->slot))
		if (read_slot(runs->fd, runs->slot++, ret_record, &run) == SLOT_LIVES)
			return true;
	return false;
}

int runs_next(struct runs *runs, struct run_record *ret_record)
{
	pid_t run;
	while (!is_end(runs->fd, runs->slot)) {
		enum slot_state slot = read_slot(runs->fd, runs->slot++, ret_record, &run);
		if (slot == SLOT_LIVES)
			return 1;
		if (slot == SLOT_OLDER)
			return refuse_older(run);
		if (slot == SLOT_FREE)
			continue;
		TRY(wait_for_death(ret_record));
		runs_forget(runs->fd, runs->slot - 1);
	}
	return 0;
}

void runs_close(struct runs *runs)
{
	fd_close(&runs->fd);
}

bool runs_lasts(const struct runs *runs, const struct run_record *record)
{
	struct run_record now;
	pid_t run;
	return read_slot(runs->fd, runs->slot - 1, &now, &run) == SLOT_LIVES &&
	       memcmp(&now, record, sizeof(now)) == 0;
}

bool runs_live(int session, pid_t *ret_run)
{
	struct run_record record;
	autoclose int fd = ATTEMPT(open_slots(session, O_RDONLY));
	for (unsigned slot = 0; fd >= 0 && !is_end(fd, slot); slot++) {
		enum slot_state kind = read_slot(fd, slot, &record, ret_run);
		if (kind == SLOT_LIVES || kind == SLOT_OLDER)
			return true;
	}
	return false;
}

int runs_settle(int session)
{
	struct runs runs;
	struct run_record record;
	int found;
	TRY(runs_open(session, O_RDWR | O_CREAT, &runs));
	while ((found = runs_next(&runs, &record)) == 1)
		;
	runs_close(&runs);
	return found;
}

int runs_signal(const struct runs *runs, const struct run_record *record, int number)
{
	if (!is_here(record))
		return elsewhere(record);
	autoclose int process = sys_pidfd_open(record->supervisor);
	if (process < 0 || !runs_lasts(runs, record) ||
	    sys_pidfd_send_signal(process, number, NULL) < 0)
		return fail(errno, "signal process %d", (int)record->supervisor);
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

int runs_enter(const struct runs *runs, const struct run_record *record, int *ret_user,
	       int *ret_view)
{
	if (!is_here(record))
		return elsewhere(record);
	autoclose int process = sys_pidfd_open(record->supervisor);
	autoclose int user = open_namespace(record->supervisor, record->user, record->user_inode);
	autoclose int view = open_namespace(record->supervisor, record->view, record->view_inode);
	struct pollfd event = { .fd = process, .events = POLLIN };
	// Alive after both were opened: the descriptors were its own.
	if (process < 0 || user < 0 || view < 0 || poll(&event, 1, 0) != 0 ||
	    !runs_lasts(runs, record))
		return fail(0, "the command that runs in the session cannot be joined (process %d)",
			    (int)record->supervisor);
	*ret_user = take(&user);
	*ret_view = take(&view);
	return 0;
}
