// Owns the file of a journal.
#include "postcheck/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/out.h"

// The lines of a box of 4,096 names take some 200 KB.
enum { BYTES_MAX = 256 << 20, FIRST_BYTES = 16384 };
// So small a file keeps its blocks: to free them, and to get others at the next start, takes longer
// than all else that is done with a journal.
enum { KEPT_BYTES = 65536 };

int lines_lock(int fd, int command, short type, uint64_t at)
{
	struct flock range = { .l_type = type, .l_start = (off_t)at, .l_len = 1 };
	int result;
	do
		result = fcntl(fd, command, &range);
	while (result < 0 && errno == EINTR);
	return command == F_OFD_GETLK && result == 0 ? range.l_type != F_UNLCK : result;
}

bool lines_load(int fd, struct lines *ret)
{
	static char first[FIRST_BYTES];
	*ret = (struct lines){ 0 };
	ssize_t length = pread(fd, first, sizeof(first), 0);
	if (length < 0)
		return false;
	struct journal_place place = journal_place(first, (size_t)length);
	size_t size = place.to - place.from, there = (size_t)length;
	ret->place = place;
	ret->text = first;
	if (there == sizeof(first) && place.to > there) {
		ret->taken = size <= BYTES_MAX ? malloc(size) : NULL;
		length = ret->taken ? pread(fd, ret->taken, size, (off_t)place.from) : -1;
		if (length < 0)
			return false;
		ret->text = ret->taken;
		ret->length = (size_t)length;
	} else if (place.from < there) {
		ret->text = first + place.from;
		ret->length = place.to < there ? size : there - place.from;
	}
	return true;
}

void lines_unload(struct lines *loaded)
{
	free(loaded->taken);
	*loaded = (struct lines){ 0 };
}

static bool write_at(int fd, const char *text, size_t length, size_t at)
{
	while (length > 0) {
		ssize_t written = pwrite(fd, text, length, (off_t)at);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		text += written;
		at += (size_t)written;
		length -= (size_t)written;
	}
	return true;
}

// A process that is killed in between leaves the old lines or the new ones.
static bool put_place(int fd, struct journal_place place)
{
	char head[JOURNAL_HEAD];
	journal_head(head, place);
	return write_at(fd, head, sizeof(head), 0);
}

bool lines_store(int fd, const struct lines *all, const struct out *out)
{
	struct journal_place old = all->place;
	bool before = JOURNAL_HEAD + out->used <= old.from;
	size_t at = before ? JOURNAL_HEAD : old.to;
	struct journal_place place = { at, at + out->used };
	if (!write_at(fd, out->text, out->used, at) || !put_place(fd, place))
		return false;
	if (before && old.to > KEPT_BYTES)
		(void)!ftruncate(fd, (off_t)place.to);
	return true;
}

bool lines_change(int fd, const struct lines *all, const struct journal_line *line)
{
	struct out out = { 0 };
	journal_put(&out, line);
	bool done = write_at(fd, out.text, out.used,
			     all->place.from + (size_t)(line->start - all->text));
	out_free(&out);
	return done;
}
