// Owns the choice of the directories that every run checks.
#include "trees/git_list.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "names/trusted.h"

enum { INDEX_BYTES_MAX = 128 << 20 };

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

static void take_rows(struct arena *arena, const struct rows *rows, struct share *share)
{
	const char **centres = arena_take(arena, (rows->count + 1) * sizeof(*centres));
	struct gitindex_kept *files = arena_take(arena, (rows->count + 1) * sizeof(*files));
	rows_each (row, rows) {
		if (row->kind == ROW_DIRECTORY)
			centres[share->count++] = row->text;
		else if (row->number <= row->length)
			files[share->kept_count++] =
				(struct gitindex_kept){ row->text, row->number };
	}
	share->centres = centres;
	share->kept = files;
}

bool share_read(enum apart whose, struct arena *arena, const char *index,
		const struct file_state *state, struct share *ret_share)
{
	struct stat status;
	struct rows rows;
	autoclose int fd = file_open(AT_FDCWD, index, 0, &status);
	if (fd < 0 || status.st_size <= 0 || status.st_size > INDEX_BYTES_MAX)
		return false;
	const struct apart_text question = { .text = "",
					     .file = fd,
					     .file_length = (size_t)status.st_size };
	if (ATTEMPT(apart_ask(whose, read_directories, &question,
			      ROW_BIT(ROW_DIRECTORY) | ROW_BIT(ROW_KEPT), arena, &rows)) < 0 ||
	    fstat(fd, &status) < 0)
		return false;
	struct share share = { .index = file_state(&status) };
	if (!file_state_equal(&share.index, state))
		return false;
	take_rows(arena, &rows, &share);
	*ret_share = share;
	return true;
}

void share_add(struct arena *arena, struct share *share, const struct share *other,
	       const char *directory)
{
	unsigned room = share->count + other->count + 2, count = 0, kept = 0;
	for (const char *at = directory; *at; at++)
		room += *at == '/';
	const char **all = arena_take(arena, room * sizeof(*all));
	struct gitindex_kept *files =
		arena_take(arena, (share->kept_count + other->kept_count + 1) * sizeof(*files));
	for (unsigned i = 0; i < share->count; i++)
		all[count++] = share->centres[i];
	for (unsigned i = 0; i < other->count; i++)
		all[count++] = other->centres[i];
	all[count++] = directory;
	for (const char *at = directory; *at; at++)
		if (*at == '/')
			all[count++] = arena_copy(arena, directory, (size_t)(at - directory));
	all[count++] = "";
	qsort(all, count, sizeof(*all), str_compare);
	for (unsigned i = 0; i < count; i++)
		if (kept == 0 || strcmp(all[kept - 1], all[i]) != 0)
			all[kept++] = all[i];
	if (share->kept_count > 0)
		memcpy(files, share->kept, share->kept_count * sizeof(*files));
	if (other->kept_count > 0)
		memcpy(files + share->kept_count, other->kept, other->kept_count * sizeof(*files));
	share->centres = all;
	share->count = kept;
	share->kept = files;
	share->kept_count += other->kept_count;
	share->directory = directory;
}

unsigned share_find(const struct share *share, const char *path)
{
	const char *const *found =
		bsearch(&path, share->centres, share->count, sizeof(*share->centres), str_compare);
	return found ? (unsigned)(found - share->centres) : SHARE_NONE;
}
