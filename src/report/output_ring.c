// Owns the files that hold what runs in the background print.
#include "report/output_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { HEAD_BYTES = 4096, RINGS_MAX = 100, RING_SECONDS = 7 * 24 * 3600 };

// Pure. False for anything else than a whole head of this version.
static bool ring_parse(const void *bytes, size_t length, struct ring_head *ret_head)
{
	struct ring_head head;
	if (length != sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	if (head.magic != RING_MAGIC || head.ended > 1 || head.status < 0 || head.status > 255 ||
	    memchr(head.session, '\0', sizeof(head.session)) == NULL)
		return false;
	*ret_head = head;
	return true;
}

static int open_ring(int directory, const char *name)
{
	return openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static bool is_written(int file)
{
	return fd_lock(file, LOCK_SH | LOCK_NB) < 0;
}

// One walk. Returns how many are left, with the oldest of those that nobody writes, or "".
static unsigned sweep(int directory, char oldest[NAME_MAX + 1])
{
	unsigned count = 0;
	time_t now = time(NULL), oldest_time = 0;
	oldest[0] = '\0';
	if (lseek(directory, 0, SEEK_SET) < 0)
		return 0;
	entries_each (entry, directory) {
		struct stat status;
		autoclose int file = open_ring(directory, entry->name);
		if (file < 0 || fstat(file, &status) < 0)
			continue;
		count++;
		if (is_written(file))
			continue;
		if (status.st_mtime + RING_SECONDS < now) {
			unlinkat(directory, entry->name, 0);
			count--;
		} else if (status.st_size > 0 && // an empty one is about to be locked
			   (!oldest[0] || status.st_mtime < oldest_time)) {
			oldest_time = status.st_mtime;
			str_put(oldest, NAME_MAX + 1, "%s", entry->name);
		}
	}
	return count;
}

int ring_make(int directory, const char *name, const char *session, struct ring_head *ret_head)
{
	struct ring_head head = { .magic = RING_MAGIC };
	char oldest[NAME_MAX + 1];
	while (sweep(directory, oldest) >= RINGS_MAX && oldest[0])
		if (unlinkat(directory, oldest, 0) < 0)
			break;
	if (session && !str_put(head.session, sizeof(head.session), "%s", session))
		return fail(0, "the name of the session is too long");
	autoclose int file =
		openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0 || fd_lock(file, LOCK_EX) < 0 ||
	    pwrite(file, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return fail(errno, "make the file of the run's output");
	*ret_head = head;
	return take(&file);
}

static bool put(int file, uint64_t offset, const char *bytes, size_t length)
{
	size_t at = offset % RING_BYTES,
	       first = RING_BYTES - at < length ? RING_BYTES - at : length;
	return pwrite(file, bytes, first, (off_t)(HEAD_BYTES + at)) == (ssize_t)first &&
	       (first == length || pwrite(file, bytes + first, length - first, HEAD_BYTES) ==
					   (ssize_t)(length - first));
}

void ring_write(int file, struct ring_head *head, const char *bytes, size_t length)
{
	if (put(file, head->total, bytes, length))
		head->total += length;
	else
		head->lost += length;
	(void)!pwrite(file, head, sizeof(*head), 0);
}

void ring_end(int file, struct ring_head *head, int status)
{
	head->ended = 1;
	head->status = status;
	(void)!pwrite(file, head, sizeof(*head), 0);
}

void ring_note(int file, int from)
{
	static char text[RING_NOTE];
	struct stat status;
	if (fstat(from, &status) < 0 || status.st_size > RING_NOTE)
		return;
	ssize_t got = pread(from, text, (size_t)status.st_size, 0);
	if (got > 0)
		(void)!pwrite(file, text, (size_t)got, HEAD_BYTES + RING_BYTES);
}

size_t ring_noted(int file, char text[RING_NOTE])
{
	ssize_t got = pread(file, text, RING_NOTE, HEAD_BYTES + RING_BYTES);
	return got > 0 ? (size_t)got : 0;
}

static bool read_head(int file, struct ring_head *ret_head)
{
	char bytes[sizeof(*ret_head)];
	ssize_t got = pread(file, bytes, sizeof(bytes), 0);
	return got > 0 && ring_parse(bytes, (size_t)got, ret_head);
}

bool ring_look(int file, struct ring_head *ret_head, bool *ret_lives)
{
	*ret_lives = is_written(file); // first: a head that is read later is the last one
	if (!*ret_lives)
		fd_lock(file, LOCK_UN);
	return read_head(file, ret_head);
}

// The time behind a name of this id, or NULL.
static const char *time_of(int directory, const char *name, const char *id)
{
	struct ring_head head;
	size_t length = strlen(id);
	const char *dash = strchr(name, '-');
	if (!dash || name[0] == '.')
		return NULL;
	if (str_starts(name, id) && name[length] == '-')
		return dash + 1;
	autoclose int file = open_ring(directory, name);
	return file >= 0 && read_head(file, &head) && id[0] && str_equal(head.session, id)
		       ? dash + 1
		       : NULL;
}

int ring_find(int directory, const char *id, char name[RING_NAME])
{
	char newest[RING_NAME] = "";
	if (lseek(directory, 0, SEEK_SET) < 0)
		return -1;
	entries_each (entry, directory) {
		const char *time = time_of(directory, entry->name, id);
		if (time && strcmp(time, newest) > 0 && str_put(name, RING_NAME, "%s", entry->name))
			str_put(newest, sizeof(newest), "%s", time);
	}
	return newest[0] ? open_ring(directory, name) : -1;
}

// The writer is at most one chunk ahead of what the head says.
static uint64_t first_of(const struct ring_head *head)
{
	uint64_t kept = RING_BYTES - RING_CHUNK;
	return head->total > kept ? head->total - kept : 0;
}

ssize_t ring_read(int file, uint64_t *offset, char *buffer, size_t size)
{
	struct ring_head head;
	for (;;) {
		if (!read_head(file, &head))
			return -1;
		if (*offset < first_of(&head))
			*offset = first_of(&head);
		if (*offset >= head.total)
			return 0;
		size_t at = *offset % RING_BYTES, length = head.total - *offset;
		length = length < size ? length : size;
		length = length < RING_BYTES - at ? length : RING_BYTES - at;
		ssize_t got = pread(file, buffer, length, (off_t)(HEAD_BYTES + at));
		if (got <= 0 || !read_head(file, &head))
			return -1;
		if (*offset >= first_of(&head)) // none of it was written over meanwhile
			return got;
	}
}
