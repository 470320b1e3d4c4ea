// Owns the files that hold the output of runs in the background.
#include "report/output_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "boxes/record.h"

enum { HEAD_BYTES = 16384, MARK_MILLISECONDS = 250 };
_Static_assert(sizeof(struct ring_head) + RING_MARKS * sizeof(struct ring_mark) <= HEAD_BYTES,
	       "the bytes follow");

int ring_make(int record, struct ring_head *ret_head)
{
	struct ring_head head = { .magic = RING_MAGIC };
	autoclose int file = openat(record, RECORD_OUTPUT,
				    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0 || pwrite(file, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
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

static off_t mark_at(uint64_t number)
{
	return (off_t)(sizeof(struct ring_head) + number * sizeof(struct ring_mark));
}

static void join_marks(int file, struct ring_head *head)
{
	static struct ring_mark marks[RING_MARKS];
	enum { OLDER = RING_MARKS / 2, LEFT = RING_MARKS - OLDER / 2 };
	if (pread(file, marks, sizeof(marks), mark_at(0)) != (ssize_t)sizeof(marks))
		return;
	for (unsigned i = 0; i < OLDER / 2; i++)
		marks[i] = (struct ring_mark){ marks[2 * i + 1].last, marks[2 * i].offset };
	memmove(marks + OLDER / 2, marks + OLDER, (RING_MARKS - OLDER) * sizeof(*marks));
	(void)!pwrite(file, marks, LEFT * sizeof(*marks), mark_at(0));
	head->mark_count = LEFT;
}

static void mark(int file, struct ring_head *head)
{
	struct ring_mark now = { wall_now(), head->total };
	if (head->mark_count > 0 && now.last < head->last_mark_begun + MARK_MILLISECONDS) {
		(void)!pwrite(file, &now.last, sizeof(now.last), mark_at(head->mark_count - 1));
		return;
	}
	if (head->mark_count == RING_MARKS)
		join_marks(file, head);
	head->last_mark_begun = now.last;
	(void)!pwrite(file, &now, sizeof(now), mark_at(head->mark_count++));
}

void ring_write(int file, struct ring_head *head, const char *bytes, size_t length)
{
	mark(file, head);
	if (put(file, head->total, bytes, length))
		head->total += length;
	else
		head->lost += length;
	(void)!pwrite(file, head, sizeof(*head), 0);
}

bool ring_read_head(int file, struct ring_head *ret_head)
{
	struct ring_head head;
	if (pread(file, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    head.magic != RING_MAGIC)
		return false;
	*ret_head = head;
	return true;
}

uint64_t ring_since(int file, int64_t time)
{
	struct ring_head head;
	struct ring_mark mark;
	if (!ring_read_head(file, &head))
		return 0;
	for (uint64_t i = 0; i < head.mark_count && i < RING_MARKS; i++)
		if (pread(file, &mark, sizeof(mark), mark_at(i)) == (ssize_t)sizeof(mark) &&
		    mark.last >= time)
			return mark.offset;
	return head.total;
}

// Leaves out a chunk: the writer may be overwriting it.
static uint64_t first_stored(const struct ring_head *head)
{
	uint64_t kept = RING_BYTES - RING_CHUNK;
	return head->total > kept ? head->total - kept : 0;
}

ssize_t ring_read(int file, uint64_t *offset, char *buffer, size_t size)
{
	struct ring_head head;
	for (;;) {
		if (!ring_read_head(file, &head))
			return -1;
		if (*offset < first_stored(&head))
			*offset = first_stored(&head);
		if (*offset >= head.total)
			return 0;
		size_t at = *offset % RING_BYTES, length = head.total - *offset;
		length = length < size ? length : size;
		length = length < RING_BYTES - at ? length : RING_BYTES - at;
		ssize_t got = pread(file, buffer, length, (off_t)(HEAD_BYTES + at));
		if (got <= 0 || !ring_read_head(file, &head))
			return -1;
		if (*offset >= first_stored(&head)) // not overwritten meanwhile
			return got;
	}
}
