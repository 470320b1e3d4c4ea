// Owns the bytes of the directories that a look has seen: a head, and for each row its numbers and
// its name with the NUL.
#include "trees/dirs.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "names/trusted.h"
#include "trees/kept.h"

enum { NANOSECONDS = 1000000000, NAME_BYTES = 256, BOOT_BYTES = 40 };
#define KIND "sbx-directories 3"

struct boot_head {
	char kind[24];
	char boot[BOOT_BYTES];
	uint64_t names; // the hash of the table of trusted names
	uint64_t whole;
	struct file_state index;
};

struct numbers {
	uint64_t device, inode;
	int64_t changed;
	uint16_t depth;
	uint8_t always, file, centre, zero[3];
};

bool dirs_next(const char *text, size_t length, size_t *at, struct dirs_row *ret_row)
{
	struct numbers numbers;
	if (*at > length || length - *at <= sizeof(numbers))
		return false;
	memcpy(&numbers, text + *at, sizeof(numbers));
	const char *name = text + *at + sizeof(numbers);
	const char *end = memchr(name, '\0', length - *at - sizeof(numbers));
	if (!end || end - name >= NAME_BYTES || numbers.depth > DIRS_DEPTH_MAX ||
	    numbers.always > 1 || numbers.file > 1 || numbers.centre > 1)
		return false;
	*ret_row = (struct dirs_row){ .device = numbers.device,
				      .inode = numbers.inode,
				      .changed = numbers.changed,
				      .depth = numbers.depth,
				      .always = numbers.always,
				      .file = numbers.file,
				      .centre = numbers.centre,
				      .name = name,
				      .at = *at };
	*at = (size_t)(end + 1 - text);
	return true;
}

static struct boot_head head_of(const char *boot)
{
	struct boot_head head = { .kind = KIND, .names = trusted_hash };
	if (boot)
		memcpy(head.boot, boot, strnlen(boot, sizeof(head.boot)));
	return head;
}

size_t dirs_begin(const char *text, size_t length, const char *boot)
{
	struct boot_head head = head_of(boot);
	if (length < sizeof(head) || (boot && !boot[0]))
		return 0;
	if (!boot)
		memcpy(head.boot, text + offsetof(struct boot_head, boot), sizeof(head.boot));
	return memcmp(text, &head, offsetof(struct boot_head, whole)) == 0 ? sizeof(head) : 0;
}

bool dirs_read(struct arena *arena, const char *file, const char *boot, struct dirs *ret_seen)
{
	struct boot_head head;
	const char *text;
	size_t length;
	if (file_read(AT_FDCWD, file, 0, DIRS_BYTES_MAX, arena, &text, &length) <= 0)
		return false;
	size_t begin = dirs_begin(text, length, boot);
	if (begin == 0)
		return false;
	memcpy(&head, text, sizeof(head));
	*ret_seen = (struct dirs){ .text = text,
				   .length = length,
				   .begin = begin,
				   .whole = head.whole == 1,
				   .index = head.index };
	return true;
}

void dirs_write(struct dirs *seen, const char *file, const char *boot)
{
	if (seen->length < sizeof(struct boot_head) || !boot[0])
		return;
	struct boot_head head = head_of(boot);
	head.whole = seen->whole;
	head.index = seen->index;
	memcpy(seen->own, &head, sizeof(head));
	kept_write(file, seen->text, seen->length, false);
}

void dirs_write_changed(struct dirs *seen, const struct dirs *old, const char *file,
			const char *boot)
{
	if (seen->length > 0 && (seen->length != old->length || seen->whole != old->whole ||
				 !file_state_equal(&seen->index, &old->index) ||
				 memcmp(seen->text + old->begin, old->text + old->begin,
					seen->length - old->begin) != 0))
		dirs_write(seen, file, boot);
}

static size_t put(struct dirs *seen, const struct numbers *numbers, const char *name)
{
	size_t bytes = strlen(name) + 1;
	if (seen->length == 0)
		seen->length = seen->begin = sizeof(struct boot_head);
	if (seen->length + sizeof(*numbers) + bytes > seen->size) {
		enum { FIRST = 4096 };
		size_t size = seen->size * 2 + FIRST;
		char *text = realloc(seen->own, size);
		if (!text)
			abort();
		seen->text = seen->own = text;
		seen->size = size;
	}
	size_t at = seen->length;
	memcpy(seen->own + at, numbers, sizeof(*numbers));
	memcpy(seen->own + at + sizeof(*numbers), name, bytes);
	seen->length += sizeof(*numbers) + bytes;
	return at;
}

static int64_t changed_of(const struct stat *status)
{
	return (int64_t)status->st_ctim.tv_sec * NANOSECONDS + status->st_ctim.tv_nsec;
}

size_t dirs_add(struct dirs *seen, const struct stat *status, unsigned depth, const char *name,
		int64_t settled)
{
	struct numbers numbers = { .device = status->st_dev,
				   .inode = status->st_ino,
				   .depth = (uint16_t)depth,
				   .file = !S_ISDIR(status->st_mode) };
	if (changed_of(status) < settled)
		numbers.changed = changed_of(status);
	return put(seen, &numbers, name);
}

size_t dirs_copy(struct dirs *seen, const struct dirs_row *row)
{
	struct numbers numbers = { .device = row->device,
				   .inode = row->inode,
				   .changed = row->changed,
				   .depth = (uint16_t)row->depth,
				   .always = row->always,
				   .file = row->file,
				   .centre = row->centre };
	return put(seen, &numbers, row->name);
}

void dirs_set_always(struct dirs *seen, size_t at)
{
	seen->own[at + offsetof(struct numbers, always)] = 1;
}

void dirs_set_centre(struct dirs *seen, size_t at)
{
	seen->own[at + offsetof(struct numbers, centre)] = 1;
}

void dirs_set_unread(struct dirs *seen, size_t at)
{
	memset(seen->own + at + offsetof(struct numbers, changed), 0, sizeof(int64_t));
}

void dirs_free(struct dirs *seen)
{
	free(seen->own);
	*seen = (struct dirs){ 0 };
}

bool dirs_is_same(const struct dirs_row *row, const struct stat *status, int64_t since)
{
	return row->changed != 0 && row->changed < since && row->changed == changed_of(status) &&
	       row->inode == status->st_ino && row->device == status->st_dev &&
	       row->file == !S_ISDIR(status->st_mode);
}
