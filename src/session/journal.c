// Owns the form of an apply's journal and of what is known to be its work.
#include "session/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "session/words.h"

static const char journal_header[] = "sbx-apply ", known_header[] = "sbx-known ";
enum { VERSION = 2, KNOWN_VERSION = 1, THING_NUMBERS = 9 };

static const char *const phases[] = { "stage", "commit", "back", "clean" };
static const char *const kinds[] = { "add", "replace", "remove", "mode" };

struct reader {
	struct arena *arena;
	struct journal *journal;
	unsigned operations_size, leaves_size;
};

static int find(const char *const *words, int count, const char *word)
{
	for (int i = 0; word && i < count; i++)
		if (str_equal(words[i], word))
			return i;
	return -1;
}

// Relative, and nowhere upwards: the rooms that use it look by descriptor besides.
static bool is_relative(const char *path)
{
	if (!path || !path[0] || path[0] == '/')
		return false;
	for (const char *part = path; part;
	     part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
		size_t length = strcspn(part, "/");
		if (length == 0 || (length == 1 && part[0] == '.') ||
		    (length == 2 && part[0] == '.' && part[1] == '.'))
			return false;
	}
	return true;
}

static bool read_root(struct reader *reader, char **at, unsigned *ret_root)
{
	unsigned long long root;
	if (!words_number(reader->arena, at, &root) || root >= ROOTS_MOST)
		return false;
	*ret_root = (unsigned)root;
	return true;
}

static void *grow(struct arena *arena, void *list, unsigned count, unsigned *size, size_t each)
{
	if (count < *size)
		return list;
	*size = *size ? *size * 2 : 64;
	void *more = arena_take(arena, *size * each);
	if (count > 0)
		memcpy(more, list, count * each);
	return more;
}

static bool read_numbers(struct reader *reader, char **at, unsigned long long *numbers,
			 unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!words_number(reader->arena, at, &numbers[i]))
			return false;
	return true;
}

static bool read_thing(struct reader *reader, char **at, struct thing *thing)
{
	unsigned long long numbers[THING_NUMBERS];
	if (!read_numbers(reader, at, numbers, THING_NUMBERS))
		return false;
	*thing = (struct thing){ .inode = numbers[0], .size = numbers[1], .tree = numbers[2] };
	thing->mode = (unsigned)numbers[3];
	thing->links = (unsigned)numbers[4];
	thing->modified = (struct timespec){ (time_t)numbers[5], (long)numbers[6] };
	thing->changed = (struct timespec){ (time_t)numbers[7], (long)numbers[8] };
	return true;
}

static bool read_operation(struct reader *reader, enum operation_kind kind, char *at)
{
	struct journal *journal = reader->journal;
	struct operation operation = { .kind = kind };
	unsigned long long numbers[4];
	if (!read_root(reader, &at, &operation.root) ||
	    !(operation.path = words_next(reader->arena, &at)) || !is_relative(operation.path) ||
	    journal->operation_count == OPERATIONS_MOST || !read_numbers(reader, &at, numbers, 4) ||
	    !read_thing(reader, &at, &operation.staged) || !read_thing(reader, &at, &operation.was))
		return false;
	operation.number = (unsigned)numbers[0];
	operation.parent = numbers[1];
	operation.mode = (mode_t)(numbers[2] & 07777);
	operation.old_mode = (mode_t)(numbers[3] & 07777);
	journal->operations = grow(reader->arena, journal->operations, journal->operation_count,
				   &reader->operations_size, sizeof(operation));
	journal->operations[journal->operation_count++] = operation;
	return true;
}

static bool read_stage(struct reader *reader, unsigned root, const char *path, char *at)
{
	unsigned long long numbers[4];
	if (!path || path[0] != '/' || !read_numbers(reader, &at, numbers, 4))
		return false;
	reader->journal->roots[root] = (struct journal_root){ path, numbers[0], numbers[1],
							      (int64_t)numbers[2], numbers[3] };
	return true;
}

static bool read_leaf(struct reader *reader, unsigned root, const char *path, char *at)
{
	struct journal *journal = reader->journal;
	struct leaf leaf = { .root = root, .path = path };
	if (!is_relative(path) || journal->leaf_count == OPERATIONS_MOST ||
	    !read_thing(reader, &at, &leaf.is))
		return false;
	journal->leaves = grow(reader->arena, journal->leaves, journal->leaf_count,
			       &reader->leaves_size, sizeof(leaf));
	journal->leaves[journal->leaf_count++] = leaf;
	return true;
}

static bool read_line(struct reader *reader, char *at)
{
	struct journal *journal = reader->journal;
	const char *word = words_next(reader->arena, &at);
	int kind = find(kinds, sizeof(kinds) / sizeof(*kinds), word);
	unsigned long long number;
	unsigned root;
	if (kind >= 0)
		return read_operation(reader, (enum operation_kind)kind, at);
	if (!word)
		return false;
	if (str_equal(word, "attempted") || str_equal(word, "forced")) {
		if (!words_number(reader->arena, &at, &number) || number > OPERATIONS_MOST)
			return false;
		if (word[0] == 'f')
			journal->forced = number != 0;
		else
			journal->attempted = (unsigned)number;
		return true;
	}
	if (!read_root(reader, &at, &root))
		return false;
	const char *path = words_next(reader->arena, &at);
	if (str_equal(word, "stage"))
		return read_stage(reader, root, path, at);
	return str_equal(word, "leaf") && path && read_leaf(reader, root, path, at);
}

int journal_parse(struct arena *arena, const char *text, size_t length, struct journal *ret_journal)
{
	struct journal journal = { 0 };
	struct reader reader = { .arena = arena, .journal = &journal };
	char *at;
	TRY(words_open(arena, journal_header, VERSION, text, length, JOURNAL_BYTES_MOST, &at));
	char *line = words_line(&at);
	int phase = line ? find(phases, sizeof(phases) / sizeof(*phases), line) : -1;
	if (phase < 0)
		return fail(0, "its phase is missing");
	journal.phase = (enum phase)phase;
	while ((line = words_line(&at)))
		if (!read_line(&reader, line))
			return fail(0, "a line is damaged");
	if (journal.attempted > journal.operation_count)
		return fail(0, "a line is damaged");
	*ret_journal = journal;
	return 0;
}

static void put_numbers(struct out *out, const unsigned long long *numbers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		words_put_number(out, numbers[i]);
}

static void put_thing(struct out *out, const struct thing *thing)
{
	const unsigned long long numbers[THING_NUMBERS] = {
		thing->inode,
		thing->size,
		thing->tree,
		thing->mode,
		thing->links,
		(unsigned long long)thing->modified.tv_sec,
		(unsigned long long)thing->modified.tv_nsec,
		(unsigned long long)thing->changed.tv_sec,
		(unsigned long long)thing->changed.tv_nsec,
	};
	put_numbers(out, numbers, THING_NUMBERS);
}

static void put_operation(struct out *out, const struct operation *operation)
{
	const unsigned long long numbers[] = { operation->number, operation->parent,
					       operation->mode, operation->old_mode };
	out_text(out, "%s %u ", kinds[operation->kind], operation->root);
	words_put(out, operation->path);
	put_numbers(out, numbers, sizeof(numbers) / sizeof(*numbers));
	put_thing(out, &operation->staged);
	put_thing(out, &operation->was);
	out_bytes(out, "\n", 1);
}

static void put_roots(struct out *out, const struct journal *journal)
{
	for (unsigned i = 0; i < ROOTS_MOST; i++) {
		const struct journal_root *root = &journal->roots[i];
		if (!root->stage)
			continue;
		out_text(out, "stage %u ", i);
		words_put(out, root->stage);
		out_text(out, " %llu %llu %lld %llu\n", (unsigned long long)root->stage_inode,
			 (unsigned long long)root->inode, (long long)root->born_seconds,
			 (unsigned long long)root->born_nanoseconds);
	}
}

void journal_format(const struct journal *journal, struct out *out)
{
	out_text(out, "%s%d\n%s\nattempted %u\nforced %d\n", journal_header, VERSION,
		 phases[journal->phase], journal->attempted, journal->forced);
	put_roots(out, journal);
	for (unsigned i = 0; i < journal->operation_count; i++)
		put_operation(out, &journal->operations[i]);
	for (unsigned i = 0; i < journal->leaf_count; i++) {
		out_text(out, "leaf %u ", journal->leaves[i].root);
		words_put(out, journal->leaves[i].path);
		put_thing(out, &journal->leaves[i].is);
		out_text(out, "\n");
	}
	words_close(out);
}

int known_parse(struct arena *arena, const char *text, size_t length, struct known *ret_known)
{
	struct known known = { 0 };
	struct reader reader = { .arena = arena };
	unsigned size = 0;
	unsigned long long inode, seconds, nanoseconds;
	char *at;
	TRY(words_open(arena, known_header, KNOWN_VERSION, text, length, JOURNAL_BYTES_MOST, &at));
	for (char *line = words_line(&at); line; line = words_line(&at)) {
		struct known_file file;
		if (!read_root(&reader, &line, &file.root) || !words_number(arena, &line, &inode) ||
		    !words_number(arena, &line, &seconds) ||
		    !words_number(arena, &line, &nanoseconds) ||
		    !(file.path = words_next(arena, &line)) || !is_relative(file.path))
			return fail(0, "a line is damaged");
		file.inode = inode;
		file.changed = (struct timespec){ (time_t)seconds, (long)nanoseconds };
		known.files = grow(arena, known.files, known.count, &size, sizeof(file));
		known.files[known.count++] = file;
	}
	known_order(&known);
	*ret_known = known;
	return 0;
}

void known_format(const struct known *known, struct out *out)
{
	out_text(out, "%s%d\n", known_header, KNOWN_VERSION);
	for (unsigned i = 0; i < known->count; i++) {
		const struct known_file *file = &known->files[i];
		out_text(out, "%u %llu %lld %ld ", file->root, (unsigned long long)file->inode,
			 (long long)file->changed.tv_sec, file->changed.tv_nsec);
		words_put(out, file->path);
		out_text(out, "\n");
	}
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
	// Stable where it matters: of equal paths the one with the later ctime wins.
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
