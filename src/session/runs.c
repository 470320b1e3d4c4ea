// Owns the records of running commands.
#include "session/runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "base/sys.h"

enum { NSFS_MAGIC = 0x6e736673, DYING_MILLISECONDS = 10000 };
static const uint64_t magic = 0x3130732d78627300; // and its version

// The 22nd word, counted from behind the name in brackets, which may hold anything.
uint64_t runs_start_of(pid_t pid)
{
	char path[32], text[1024];
	unsigned long long start;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	char *at = strrchr(text, ')');
	for (int words = 0; at && words < 20; words++)
		at = strchr(at + 1, ' ');
	if (!at || !str_number(at + 1, strcspn(at + 1, " "), 1, UINT64_MAX, &start))
		return 0;
	// A zombie runs nothing and holds nothing.
	char *state = strrchr(text, ')') + 2;
	return *state == 'Z' || *state == 'X' ? 0 : start;
}

static void name_of(char *name, size_t size, pid_t supervisor)
{
	snprintf(name, size, "%d", (int)supervisor);
}

int runs_write(int session, const struct record *record)
{
	char name[16], fresh[24];
	struct record written = *record;
	written.magic = magic;
	name_of(name, sizeof(name), record->supervisor);
	snprintf(fresh, sizeof(fresh), ".%s", name);
	autoclose int directory = openat(session, RUNS_DIRECTORY, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	autoclose int fd = directory < 0 ? -1 :
					   openat(directory, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fd_write_all(fd, &written, sizeof(written)) < 0 ||
	    renameat(directory, fresh, directory, name) < 0)
		return fail(errno, "note the run in its session");
	return 0;
}

void runs_forget(int session, pid_t supervisor)
{
	char name[32];
	snprintf(name, sizeof(name), RUNS_DIRECTORY "/%d", (int)supervisor);
	unlinkat(session, name, 0);
}

int runs_open(int session, struct runs *ret_runs)
{
	autoclose int directory = openat(session, RUNS_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return fail(errno, "the runs of a session");
	DIR *stream = fdopendir(directory);
	if (!stream)
		return fail(errno, "the runs of a session");
	*ret_runs = (struct runs){ take(&directory), stream };
	return 0;
}

// Its supervisor was killed; its box follows within milliseconds.
static int wait_for_death(const struct record *record)
{
	autoclose int process = sys_pidfd_open(record->init);
	// The number may be another's by now; asked after the descriptor it is not reused.
	if (process < 0 || runs_start_of(record->init) != record->init_start)
		return 0;
	struct pollfd event = { .fd = process, .events = POLLIN };
	return poll(&event, 1, DYING_MILLISECONDS) == 1 ? 0 : fail(0, "a command of a killed sbx does not end (process %d)", (int)record->init);
}

static bool read_record(int directory, const char *name, struct record *ret_record)
{
	autoclose int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && fd_read_all(fd, ret_record, sizeof(*ret_record)) == sizeof(*ret_record) &&
	       ret_record->magic == magic;
}

int runs_next(struct runs *runs, struct record *ret_record)
{
	for (struct dirent *entry = readdir(runs->stream); entry; entry = readdir(runs->stream)) {
		if (str_equal(entry->d_name, ".") || str_equal(entry->d_name, ".."))
			continue;
		if (read_record(runs->directory, entry->d_name, ret_record)) {
			ret_record->command[sizeof(ret_record->command) - 1] = '\0';
			if (runs_start_of(ret_record->supervisor) == ret_record->supervisor_start)
				return 1;
			TRY(wait_for_death(ret_record));
		}
		unlinkat(runs->directory, entry->d_name, 0);
	}
	return 0;
}

void runs_close(struct runs *runs)
{
	closedir(runs->stream);
}

int runs_settle(int session)
{
	struct runs runs = { -1, NULL };
	struct record record;
	TRY(runs_open(session, &runs));
	int result = 0;
	for (struct dirent *entry = readdir(runs.stream); entry && result == 0; entry = readdir(runs.stream)) {
		if (str_equal(entry->d_name, ".") || str_equal(entry->d_name, ".."))
			continue;
		if (read_record(runs.directory, entry->d_name, &record))
			result = wait_for_death(&record);
		if (result == 0)
			unlinkat(runs.directory, entry->d_name, 0);
	}
	runs_close(&runs);
	return result;
}

int runs_signal(const struct record *record, int number)
{
	autoclose int process = sys_pidfd_open(record->supervisor);
	if (process < 0 || runs_start_of(record->supervisor) != record->supervisor_start ||
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
	if (fd < 0 || fstat(fd, &status) < 0 || fstatfs(fd, &kind) < 0 || kind.f_type != NSFS_MAGIC ||
	    status.st_ino != inode)
		return -1;
	return take(&fd);
}

int runs_enter(const struct record *record, int *ret_user, int *ret_view)
{
	autoclose int process = sys_pidfd_open(record->supervisor);
	autoclose int user = open_namespace(record->supervisor, record->user, record->user_inode);
	autoclose int view = open_namespace(record->supervisor, record->view, record->view_inode);
	struct pollfd event = { .fd = process, .events = POLLIN };
	// Alive after both were opened: the descriptors were its own.
	if (process < 0 || user < 0 || view < 0 || poll(&event, 1, 0) != 0 ||
	    runs_start_of(record->supervisor) != record->supervisor_start)
		return fail(0, "the command that runs in the session cannot be joined (process %d)", (int)record->supervisor);
	*ret_user = take(&user);
	*ret_view = take(&view);
	return 0;
}
