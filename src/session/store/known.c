// Owns the format and the order of the list of files that earlier applies wrote.
#include "session/store/store.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "text/words.h"

static const char header[] = "sbx-known ";
enum { VERSION = 1 };
static const struct words_field fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct known_file, root),
	WORDS_FIELD(WORDS_NUMBER, struct known_file, inode),
	WORDS_FIELD(WORDS_TIME, struct known_file, changed),
	WORDS_FIELD(WORDS_PATH, struct known_file, path),
};

int known_parse(struct arena *arena, const char *text, size_t length, struct known *ret_known)
{
	struct known known = { 0 };
	unsigned size = 0;
	char *at;
	TRY(words_open(arena, header, VERSION, text, length, KNOWN_BYTES_MAX, &at));
	for (char *line = words_line(&at); line; line = words_line(&at)) {
		struct known_file file;
		if (!words_read(arena, &line, fields, WORDS_COUNT(fields), &file) ||
		    file.root >= ROOTS_MAX)
			return fail(0, "a line is damaged");
		known.files = arena_grow(arena, known.files, known.count, &size, sizeof(file));
		known.files[known.count++] = file;
	}
	known_order(&known);
	*ret_known = known;
	return 0;
}

void known_format(const struct known *known, struct out *out)
{
	out_text(out, "%s%d\n", header, VERSION);
	for (unsigned i = 0; i < known->count; i++)
		words_write(out, "", fields, WORDS_COUNT(fields), &known->files[i]);
	words_close(out);
}

static int compare_files(const void *left, const void *right)
{
	const struct known_file *a = left, *b = right;
	if (a->root != b->root)
		return a->root < b->root ? -1 : 1;
	return strcmp(a->path, b->path);
}

void known_order(struct known *known)
{
	unsigned kept = 0;
	if (known->count > 0)
		qsort(known->files, known->count, sizeof(*known->files), compare_files);
	for (unsigned i = 0; i < known->count; i++) {
		struct known_file *last = kept > 0 ? &known->files[kept - 1] : NULL;
		const struct known_file *file = &known->files[i];
		bool later = last && (file->changed.tv_sec > last->changed.tv_sec ||
				      (file->changed.tv_sec == last->changed.tv_sec &&
				       file->changed.tv_nsec > last->changed.tv_nsec));
		if (!last || compare_files(last, file) != 0)
			known->files[kept++] = *file;
		else if (later)
			*last = *file;
	}
	known->count = kept;
}

const struct known_file *known_find(const struct known *known, unsigned root, const char *path)
{
	struct known_file key = { .root = root, .path = path };
	return known->count > 0
		       ? bsearch(&key, known->files, known->count, sizeof(key), compare_files)
		       : NULL;
}

int known_read(const struct held *held, struct known **ret_known)
{
	const char *text;
	size_t length;
	struct known *known = arena_take(held->store->arena, sizeof(*known));
	*ret_known = known;
	int found = store_read_file(held->store->arena, held->directory, "known", KNOWN_BYTES_MAX,
				    &text, &length);
	if (found <= 0 || known_parse(held->store->arena, text, length, known) == 0)
		return found < 0 ? -1 : 0;
	return store_unusable(held, "known");
}
