// Owns the choice of directories that every run checks, and its copy for later runs.
#include "trees/trees.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "names/names.h"

enum { INDEX_BYTES_MAX = 128 << 20, ROWS_MAX = 1 << 20 };
#define MAGIC "sbxindx1"
#define KINDS (ROW_BIT(ROW_DIRECTORY) | ROW_BIT(ROW_KEPT))
// Files on disk have these numbers: to change one, change MAGIC.
_Static_assert(ROW_DIRECTORY == 4 && ROW_KEPT == 5, "kinds of a kept index");

struct kept_head {
	char magic[8];
	uint64_t names; // hash of the table of names
	struct file_state index;
	uint64_t length;
};

static void read_directories(struct apart_text *question)
{
	struct gitindex_directories all = { 0 };
	const char *bytes = apart_file(question);
	if (!bytes || gitindex_directories(question->arena, bytes, question->file_length,
					   trusted_keeps, &all) < 0) {
		row_text(question->answer, ROW_FAILED, "an index that cannot be read");
		return;
	}
	for (unsigned i = 0; i < all.count; i++)
		if (!all.paths[i][0] || row_is_below(all.paths[i]))
			row_text(question->answer, ROW_DIRECTORY, all.paths[i]);
	for (unsigned i = 0; i < all.kept_count; i++) {
		if (row_is_below(all.kept[i].path))
			row_put(question->answer, ROW_KEPT, (uint32_t)all.kept[i].length,
				all.kept[i].path, strlen(all.kept[i].path));
	}
}

static bool is_of(const struct kept_head *head, const struct file_state *index)
{
	const struct kept_head wanted = { MAGIC, trusted_hash, *index, head->length };
	return memcmp(head, &wanted, sizeof(wanted)) == 0;
}

static bool read_kept(struct arena *arena, const char *file, const struct file_state *index,
		      struct rows *ret_rows)
{
	const char *text;
	size_t length;
	if (file_read(AT_FDCWD, file, 0, APART_ANSWER_MAX, arena, &text, &length) <= 0 ||
	    length <= sizeof(struct kept_head))
		return false;
	const struct kept_head *head = (const void *)text;
	return is_of(head, index) && head->length == length &&
	       rows_take(arena, (const char *)(head + 1), length - sizeof(*head), KINDS, ret_rows);
}

static void keep(const char *file, const struct file_state *index, const struct rows *rows)
{
	const struct kept_head head = { MAGIC, trusted_hash, *index, 0 };
	struct out out = { 0 };
	out_bytes(&out, (const char *)&head, sizeof(head));
	rows_each (row, rows)
		row_put(&out, row->kind, row->number, row->text, row->length);
	memcpy(out.text + offsetof(struct kept_head, length), &out.used, sizeof(out.used));
	if (out.used <= APART_ANSWER_MAX)
		owned_keep(file, out.text, out.used, false);
	out_free(&out);
}

static bool ask(struct arena *arena, const char *index, const struct file_state *state,
		struct rows *ret_rows)
{
	struct stat status;
	autoclose int fd = file_open(AT_FDCWD, index, 0, &status);
	if (fd < 0 || status.st_size <= 0 || status.st_size > INDEX_BYTES_MAX)
		return false;
	const struct apart_text question = { .text = "",
					     .file = fd,
					     .file_length = (size_t)status.st_size };
	if (ATTEMPT(apart_ask(APART_OTHERS, read_directories, &question, KINDS, arena, ret_rows)) <
		    0 ||
	    fstat(fd, &status) < 0)
		return false;
	struct file_state now = file_state(&status);
	return file_state_equal(&now, state);
}

static void take_rows(struct arena *arena, const struct rows *rows, struct share *share)
{
	struct tracked *tracked = arena_take(arena, (rows->count + 1) * sizeof(*tracked));
	struct gitindex_kept *files = arena_take(arena, (rows->count + 1) * sizeof(*files));
	rows_each (row, rows) {
		if (row->kind == ROW_DIRECTORY)
			tracked[share->count++].path = row->text;
		else if (row->number <= row->length)
			files[share->kept_count++] =
				(struct gitindex_kept){ row->text, row->number };
	}
	share->tracked = tracked;
	share->kept = files;
}

// Finds the directories that every run checks. Writes them to `file` if each later change of git's
// index will change the index's ctime.
bool share_read(struct arena *arena, const char *index, const struct file_state *state,
		const char *file, struct share *ret_share)
{
	const int64_t began = times_now();
	struct share share = { .index = *state };
	struct rows rows;
	if (!file || !read_kept(arena, file, state, &rows)) {
		if (!ask(arena, index, state, &rows))
			return false;
		if (file && state->changed + TIMES_TICK < began && times_are_ours(index))
			keep(file, state, &rows);
	}
	if (rows.count > ROWS_MAX) // too much memory: the whole tree is checked
		return false;
	take_rows(arena, &rows, &share);
	*ret_share = share;
	return true;
}

bool share_is_kept(struct arena *arena, const char *state, const char *project)
{
	struct stat status;
	struct kept_head head;
	if (stat(path_below(arena, project, ".git/index"), &status) < 0)
		return errno == ENOENT;
	const struct file_state index = file_state(&status);
	autoclose int fd = open(path_kept(arena, state, "index", project),
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && read(fd, &head, sizeof(head)) == (ssize_t)sizeof(head) &&
	       is_of(&head, &index);
}

static bool is_directory(const struct tracked *directory, const char *path, size_t length)
{
	return strncmp(directory->path, path, length) == 0 && directory->path[length] == '\0';
}

static unsigned find_above(const struct share *share, unsigned at)
{
	char above[PATH_MAX] __attribute__((uninitialized));
	const char *path = share->tracked[at].path;
	size_t length = (size_t)(path_name(path) - path);
	length -= length > 0;
	for (unsigned near = at - 1; near != SHARE_NONE; near = share->tracked[near].above)
		if (is_directory(&share->tracked[near], path, length))
			return near;
	memcpy(above, path, length);
	above[length] = '\0';
	return share_find(share, above);
}

static void put_in_order(struct share *share)
{
	struct tracked *all = share->tracked;
	unsigned kept = 0;
	for (unsigned i = 1; i < share->count; i++) {
		if (strcmp(all[i - 1].path, all[i].path) < 0)
			continue;
		qsort(all, share->count, sizeof(*all), str_compare);
		break;
	}
	for (unsigned i = 0; i < share->count; i++)
		if (kept == 0 || strcmp(all[kept - 1].path, all[i].path) != 0)
			all[kept++] = all[i];
	share->count = kept;
	for (unsigned i = 0; i < share->count; i++)
		all[i].above = i > 0 ? find_above(share, i) : SHARE_NONE;
}

static void append(struct share *all, const struct share *other, const char *path)
{
	if (share_find(other, path) == SHARE_NONE)
		all->tracked[all->count++].path = path;
}

void share_add(struct arena *arena, struct share *share, const struct share *other,
	       const char *directory)
{
	unsigned room = share->count + other->count + 2;
	for (const char *at = directory; *at; at++)
		room += *at == '/';
	struct share all = { .tracked = arena_take(arena, room * sizeof(*all.tracked)),
			     .index = other->index,
			     .directory = directory };
	struct gitindex_kept *files =
		arena_take(arena, (share->kept_count + other->kept_count + 1) * sizeof(*files));
	for (unsigned i = 0; i < share->count; i++)
		all.tracked[all.count++] = share->tracked[i];
	for (unsigned i = 0; i < other->count; i++)
		all.tracked[all.count++] = other->tracked[i];
	append(&all, other, directory);
	for (const char *at = directory; *at; at++)
		if (*at == '/')
			append(&all, other, arena_copy(arena, directory, (size_t)(at - directory)));
	append(&all, other, "");
	put_in_order(&all);
	if (share->kept_count > 0)
		memcpy(files, share->kept, share->kept_count * sizeof(*files));
	if (other->kept_count > 0)
		memcpy(files + share->kept_count, other->kept, other->kept_count * sizeof(*files));
	all.kept = files;
	all.kept_count = share->kept_count + other->kept_count;
	*share = all;
}

unsigned share_find(const struct share *share, const char *path)
{
	const struct tracked *found = share->count == 0
					      ? NULL
					      : bsearch(&path, share->tracked, share->count,
							sizeof(*share->tracked), str_compare);
	return found ? (unsigned)(found - share->tracked) : SHARE_NONE;
}
