// Owns the text of a list of repositories.
#include "trees/trees.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/testing.h"
#include "text/words.h"

#define KIND   "sbx-repositories "
#define HEADER KIND "1 - "
static const struct words_field head_fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct repos, device),
};
static const struct words_field fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct repos_row, device),
	WORDS_FIELD(WORDS_NUMBER, struct repos_row, inode),
	WORDS_FIELD(WORDS_NUMBER, struct repos_row, changed),
	WORDS_FIELD(WORDS_TEXT, struct repos_row, path),
};

static int compare(const void *left, const void *right)
{
	const struct repos_row *one = left, *two = right;
	return strcmp(one->path, two->path);
}

void repos_sort(struct repos *known)
{
	unsigned count = 0;
	if (known->count > 0)
		qsort(known->rows, known->count, sizeof(*known->rows), compare);
	for (unsigned i = 0; i < known->count; i++)
		if (count == 0 || !str_equal(known->rows[count - 1].path, known->rows[i].path))
			known->rows[count++] = known->rows[i];
	known->count = count;
}

const struct repos_row *repos_find(const struct repos *known, const char *path)
{
	struct repos_row wanted = { .path = path };
	return known->count == 0
		       ? NULL
		       : bsearch(&wanted, known->rows, known->count, sizeof(wanted), compare);
}

bool repos_keep(struct repos *known, const struct repos_row *row)
{
	enum { ROW_NUMBERS = 70, ESCAPED = 3 };
	size_t bytes = ESCAPED * strlen(row->path) + ROW_NUMBERS;
	if (known->count == REPOS_ROWS_MAX || known->bytes + bytes > REPOS_BYTES_MAX) {
		known->full = true;
		return false;
	}
	known->bytes += bytes;
	known->rows = arena_grow(known->arena, known->rows, known->count, &known->room,
				 sizeof(*known->rows));
	known->rows[known->count++] = *row;
	return true;
}

void repos_note(struct repos *known, int directory, const char *name, const char *path,
		enum repos_kind kind)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	const struct repos_row row = {
		.path = arena_copy(known->arena, path, strlen(path)),
		.device = status.st_dev,
		.inode = status.st_ino,
		.changed = times_from(&status.st_ctim),
		.kind = kind,
	};
	repos_keep(known, &row);
}

static int read_row(struct repos *known, char *at)
{
	struct repos_row row = { .kind = *at == 'm' ? REPOS_MADE : REPOS_OWN };
	if (*at == 't')
		return 0;
	if (!words_next(known->arena, &at) ||
	    !words_read(known->arena, &at, fields, WORDS_COUNT(fields), &row))
		return -1;
	return repos_keep(known, &row) ? 0 : -1;
}

int repos_parse(struct arena *arena, const char *text, size_t length, struct repos *ret_known)
{
	struct repos known = { .arena = arena };
	char *at = arena_copy(arena, text, length), *line = words_line(&at);
	if (!line || length == 0 || text[length - 1] != '\n' || memchr(text, '\0', length) ||
	    !str_starts(line, HEADER))
		return -1;
	line += strlen(HEADER);
	if (!words_read(arena, &line, head_fields, WORDS_COUNT(head_fields), &known))
		return -1;
	line = words_line(&at);
	known.root = line ? words_next(arena, &line) : NULL;
	if (!known.root || !words_line(&at))
		return -1;
	while ((line = words_line(&at)))
		if (read_row(&known, line) < 0)
			return -1;
	repos_sort(&known);
	*ret_known = known;
	return 0;
}

const char *repos_print(struct arena *arena, const struct repos *known)
{
	static const char *const kinds[] = { [REPOS_OWN] = "r", [REPOS_MADE] = "m" };
	struct out out = { 0 };
	out_text(&out, HEADER "%llu 0\n", (unsigned long long)known->device);
	words_put(&out, known->root);
	out_text(&out, "\n\n");
	for (unsigned i = 0; i < known->count; i++)
		words_write(&out, kinds[known->rows[i].kind], fields, WORDS_COUNT(fields),
			    &known->rows[i]);
	const char *text = arena_copy(arena, out.text, out.used);
	out_free(&out);
	return text;
}

int repos_read(struct arena *arena, const char *file, const char *root, struct repos *ret_known)
{
	const char *text;
	size_t length;
	*ret_known = (struct repos){ .arena = arena, .root = root };
	if (file_read(AT_FDCWD, file, 0, REPOS_BYTES_MAX + PATH_MAX * 8, arena, &text, &length) <=
	    0)
		return 0;
	struct repos known;
	if (repos_parse(arena, text, length, &known) < 0 || !str_equal(known.root, root)) {
		ret_known->damaged = true;
		return 0;
	}
	*ret_known = known;
	return 1;
}

static void write_list(const struct repos *known, const char *file, bool first)
{
	const char *text = repos_print(known->arena, known);
	owned_keep(file, text, strlen(text), first);
}

static int lock(const struct repos *known, const char *file)
{
	return ATTEMPT(owned_lock(path_parent(known->arena, file)));
}

void repos_begin(struct repos *known, const char *file)
{
	struct repos others;
	autoclose int held = lock(known, file);
	if (repos_read(known->arena, file, known->root, &others) > 0)
		*known = others;
	else
		write_list(known, file, true);
}

void repos_join(struct repos *now, const struct repos *before, const struct repos *others)
{
	const struct repos own = *now;
	for (unsigned i = 0; i < others->count; i++) {
		const struct repos_row *row = &others->rows[i], *same = repos_find(&own, row->path);
		if (same && row->kind == REPOS_MADE)
			now->rows[same - own.rows].kind = REPOS_MADE;
		else if (!same && !repos_find(before, row->path))
			repos_keep(now, row);
	}
	repos_sort(now);
}

void repos_end(struct repos *now, const struct repos *before, const char *file)
{
	struct repos others;
	if (testing_skips("list-haste")) // tests: another run ends meanwhile
		nanosleep(&(struct timespec){ .tv_sec = 2 }, NULL);
	autoclose int held = lock(now, file);
	if (repos_read(now->arena, file, now->root, &others) > 0)
		repos_join(now, before, &others);
	write_list(now, file, false);
}

bool repos_is(const struct repos *known, const struct repos_row *row, const struct stat *status,
	      uint64_t root_device)
{
	return row->inode == status->st_ino &&
	       (root_device != known->device || row->device == status->st_dev);
}

bool repos_differs(const struct repos *left, const struct repos *right)
{
	if (left->count != right->count || left->device != right->device)
		return true;
	for (unsigned i = 0; i < left->count; i++)
		if (!str_equal(left->rows[i].path, right->rows[i].path) ||
		    left->rows[i].inode != right->rows[i].inode ||
		    left->rows[i].kind != right->rows[i].kind)
			return true;
	return false;
}
