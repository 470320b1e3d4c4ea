// Owns the making and removal of records.
#include "boxes/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum {
	OUTPUTS_MAX = 100,
	KEPT_MAX = 1000,
	KEPT_SECONDS = 7 * 24 * 3600,
	KEPT_BYTES = 200 << 20,
	FRESH_SECONDS = 10,
	SWEPT_MAX = 4096,
};
static const char stood[] = "stood.";

int records_directory(const char *state)
{
	char path[PATH_MAX];
	return str_put(path, sizeof(path), "%s/" RECORDS, state)
		       ? owned_directory(path)
		       : fail(ENAMETOOLONG, "'%s'", state);
}

int records_open(const char *state)
{
	char path[PATH_MAX];
	str_put(path, sizeof(path), "%s/" RECORDS, state);
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int open_below(int directory, const char *name)
{
	return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static struct flock byte(short kind, off_t first, off_t count)
{
	return (struct flock){
		.l_type = kind, .l_whence = SEEK_SET, .l_start = first, .l_len = count
	};
}
enum { LIVES, HOLDS, CLAIMS };

int record_make(int boxes, char name[RECORD_NAME], int *ret_lock)
{
	struct timespec now;
	struct flock lives = byte(F_WRLCK, LIVES, 1);
	clock_gettime(CLOCK_REALTIME, &now);
	str_put(name, RECORD_NAME, ".%d-%llx%08lx", (int)getpid(), (unsigned long long)now.tv_sec,
		(unsigned long)now.tv_nsec);
	if (mkdirat(boxes, name, 0700) < 0)
		return -1;
	autoclose int record = open_below(boxes, name);
	autoclose int lock =
		record < 0 ? -1
			   : openat(record, "entry",
				    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock < 0 || fcntl(lock, F_OFD_SETLK, &lives) < 0) {
		int number = errno;
		record_remove(boxes, record, name);
		errno = number;
		return -1;
	}
	*ret_lock = take(&lock);
	return take(&record);
}

int record_name(int boxes, char name[RECORD_NAME], pid_t run)
{
	char own[RECORD_NAME];
	if (name[0] != '.')
		return 0;
	str_put(own, sizeof(own), "%d%s", (int)run, strchr(name, '-'));
	if (renameat(boxes, name, boxes, own) < 0)
		return -1;
	memcpy(name, own, sizeof(own));
	return 0;
}

int record_enter(int boxes, int lock, const struct record_entry *entry, char name[RECORD_NAME])
{
	struct flock holds = byte(F_WRLCK, HOLDS, 1);
	if (pwrite(lock, entry, sizeof(*entry), 0) != (ssize_t)sizeof(*entry) ||
	    fcntl(lock, F_SETLK, &holds) < 0)
		return -1;
	return record_name(boxes, name, entry->supervisor);
}

void record_remove(int boxes, int record, const char *name)
{
	unlinkat(record, "entry", 0);
	if (unlinkat(boxes, name, AT_REMOVEDIR) < 0 && errno == ENOTEMPTY)
		(void)ATTEMPT(owned_remove_tree(boxes, name));
}

static bool is_due(int record)
{
	entries_each (entry, record)
		if (str_starts(entry->name, stood))
			return true;
	return false;
}

void record_release(int boxes, const char *name)
{
	autoclose int record = open_below(boxes, name);
	if (record >= 0 && faccessat(record, RECORD_OUTPUT, F_OK, 0) < 0 && !is_due(record))
		record_remove(boxes, record, name);
}

struct kept {
	char name[RECORD_NAME];
	struct timespec changed;
	uint64_t bytes, output; // `output` is part of `bytes`
	bool stays;
};

static bool look_at(int boxes, const char *name, time_t now, struct kept *ret_kept)
{
	struct stat status = { 0 };
	struct kept kept = { .stays = true };
	autoclose int record = open_below(boxes, name);
	if (record < 0 || !str_put(kept.name, sizeof(kept.name), "%s", name))
		return false;
	autoclose int lock =
		openat(record, "entry", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fstat(lock < 0 ? record : lock, &status) < 0)
		return false;
	kept.changed = status.st_mtim;
	bool fresh = name[0] == '.' && now < kept.changed.tv_sec + FRESH_SECONDS;
	if (!fresh && (lock < 0 || !record_lives(lock)))
		kept.stays = is_due(record);
	lseek(record, 0, SEEK_SET);
	entries_each (entry, record) {
		bool output = str_equal(entry->name, RECORD_OUTPUT);
		if (fstatat(record, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
			kept.bytes += (uint64_t)status.st_blocks * 512;
			kept.output += output ? (uint64_t)status.st_blocks * 512 : 0;
		}
	}
	*ret_kept = kept;
	return true;
}

static int newest_first(const void *left, const void *right)
{
	const struct timespec one = ((const struct kept *)left)->changed,
			      other = ((const struct kept *)right)->changed;
	return one.tv_sec == other.tv_sec
		       ? (one.tv_nsec < other.tv_nsec) - (one.tv_nsec > other.tv_nsec)
		       : (one.tv_sec < other.tv_sec) - (one.tv_sec > other.tv_sec);
}

static uint64_t without_output(int boxes, const struct kept *kept)
{
	autoclose int record = kept->output > 0 ? open_below(boxes, kept->name) : -1;
	unlinkat(record, RECORD_OUTPUT, 0);
	return kept->bytes - kept->output;
}

uint64_t records_sweep(int boxes)
{
	struct kept *all = calloc(SWEPT_MAX, sizeof(*all));
	unsigned count = 0, ended = 0;
	uint64_t bytes = 0, sum = 0;
	time_t now = time(NULL);
	if (!all || lseek(boxes, 0, SEEK_SET) < 0)
		return 0;
	entries_some (entry, boxes, SWEPT_MAX)
		count += look_at(boxes, entry->name, now, &all[count]);
	qsort(all, count, sizeof(*all), newest_first);
	for (struct kept *kept = all; kept < all + count; kept++) {
		bool ends = !kept->stays && kept->name[0] != '.';
		ended += ends;
		if (ends && (ended > OUTPUTS_MAX || bytes + kept->bytes > KEPT_BYTES))
			kept->bytes = without_output(boxes, kept);
		bytes += kept->stays ? 0 : kept->bytes;
		bool goes = !kept->stays && (!ends || ended > KEPT_MAX || bytes > KEPT_BYTES ||
					     now > kept->changed.tv_sec + KEPT_SECONDS);
		if (goes)
			(void)ATTEMPT(owned_remove_tree(boxes, kept->name));
		sum += goes ? 0 : kept->bytes;
	}
	free(all);
	return sum;
}

int record_open(int boxes, const char *name, struct record *ret_record)
{
	autoclose int directory =
		name[0] == '.' || strchr(name, '/') ? -1 : open_below(boxes, name);
	autoclose int lock =
		openat(directory, "entry", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (lock < 0)
		return -1;
	*ret_record = (struct record){ take(&directory), take(&lock) };
	return 0;
}

void record_close(struct record *record)
{
	fd_close(&record->directory);
	fd_close(&record->lock);
}

bool record_read(int lock, struct record_entry *ret_entry)
{
	char bytes[sizeof(*ret_entry) + 1];
	ssize_t got = pread(lock, bytes, sizeof(bytes), 0);
	return got > 0 && record_parse(bytes, (size_t)got, ret_entry);
}

void record_put(int lock, size_t at, const void *bytes, size_t length)
{
	(void)!pwrite(lock, bytes, length, (off_t)at);
}

void record_mark(int lock, enum record_end end, int status)
{
	const struct {
		enum record_end end;
		int32_t status;
	} last = { end, status };
	_Static_assert(offsetof(struct record_entry, status) ==
			       offsetof(struct record_entry, end) + sizeof(uint32_t),
		       "both are written at once");
	record_put(lock, offsetof(struct record_entry, end), &last, sizeof(last));
}

bool record_is_here(const struct record_entry *entry)
{
	struct process_place here = process_place_here();
	return str_equal(entry->place.boot, here.boot) &&
	       entry->place.pid_namespace == here.pid_namespace;
}

pid_t record_pid_here(int lock)
{
	return process_holding(lock, byte(F_WRLCK, HOLDS, 1));
}

bool record_lives(int lock)
{
	return process_holding(lock, byte(F_WRLCK, LIVES, HOLDS + 1)) >= 0;
}

void record_await(int lock)
{
	struct flock lives = byte(F_RDLCK, LIVES, 1);
	while (fcntl(lock, F_OFD_SETLKW, &lives) < 0 && errno == EINTR)
		;
	lives.l_type = F_UNLCK;
	fcntl(lock, F_OFD_SETLK, &lives);
}

int record_claim(int boxes, const char *name, bool *ret_lives)
{
	struct flock claims = byte(F_WRLCK, CLAIMS, 1);
	autoclose int record = open_below(boxes, name);
	*ret_lives = false;
	if (record < 0)
		return -1;
	autoclose int lock = openat(record, "entry", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	*ret_lives = lock >= 0 && record_lives(lock);
	return lock < 0 || *ret_lives || fcntl(lock, F_OFD_SETLK, &claims) < 0 ? -1 : take(&lock);
}

const char *record_status(int lock, int *ret_status)
{
	enum { STATUS_KILLED = 128 + 9 };
	struct record_entry entry;
	bool lives = record_lives(lock);
	if (!record_read(lock, &entry))
		return NULL;
	if (entry.end > RECORD_OVER) {
		*ret_status = entry.status;
		return record_ends[entry.end];
	}
	if (lives || !record_is_here(&entry))
		return NULL;
	*ret_status = STATUS_KILLED;
	return record_ends[RECORD_SIGNAL];
}

// Prefers a hard link, which costs no inode. Some file systems have none.
static int make_link(int record, const char *path)
{
	int made = linkat(record, "entry", AT_FDCWD, path, 0);
	return made < 0 && errno != ENOENT ? mknodat(AT_FDCWD, path, S_IFREG | 0600, 0) : made;
}

int record_link(int record, const char *links, const char *name)
{
	char path[PATH_MAX];
	if (!str_put(path, sizeof(path), "%s/%s", links, name))
		return -1;
	int linked = make_link(record, path);
	if (linked == 0 || errno != ENOENT)
		return linked;
	autoclose int made = ATTEMPT(owned_directory(links));
	return made < 0 ? -1 : make_link(record, path);
}

bool records_live(const char *state, const char *links, const char *but)
{
	struct record record;
	char name[RECORD_NAME];
	bool lives = false;
	autoclose int all = open(links, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	autoclose int boxes = all < 0 ? -1 : records_open(state);
	entries_each (entry, all) {
		if (!str_put(name, sizeof(name), "%.*s", (int)strcspn(entry->name, "."),
			     entry->name) ||
		    (but && str_equal(name, but)) || record_open(boxes, name, &record) < 0)
			continue;
		lives = record_lives(record.lock);
		record_close(&record);
		if (lives)
			break;
	}
	return lives;
}

bool records_reach(struct arena *arena, const char *state, const char *path)
{
	while (path[1]) {
		if (records_live(state, path_kept(arena, state, "trees", path), NULL))
			return true;
		path = path_parent(arena, path);
	}
	return false;
}
