// Owns the form of an apply's journal and of what is known to be its work.
#include "session/apply/apply_journal.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "session/store/words.h"

static const char journal_header[] = "sbx-apply ";
enum { VERSION = 2, THING_NUMBERS = 9 };

static const char *const phases[] = { "stage", "commit", "back", "clean" };
static const char *const kinds[] = { "add", "replace", "remove", "mode" };

struct journal_reader {
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

static bool read_numbers(struct journal_reader *reader, char **at, unsigned long long *numbers,
			 unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!words_number(reader->arena, at, &numbers[i]))
			return false;
	return true;
}

static bool read_thing(struct journal_reader *reader, char **at, struct thing *thing)
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

static bool read_operation(struct journal_reader *reader, enum operation_kind kind, char *at)
{
	struct journal *journal = reader->journal;
	struct operation operation = { .kind = kind };
	unsigned long long numbers[4];
	if (!words_root(reader->arena, &at, &operation.root) ||
	    !(operation.path = words_path(reader->arena, &at)) ||
	    journal->operation_count == OPERATIONS_MAX || !read_numbers(reader, &at, numbers, 4) ||
	    !read_thing(reader, &at, &operation.staged) || !read_thing(reader, &at, &operation.was))
		return false;
	operation.number = (unsigned)numbers[0];
	operation.parent = numbers[1];
	operation.mode = (mode_t)(numbers[2] & 07777);
	operation.old_mode = (mode_t)(numbers[3] & 07777);
	journal->operations =
		arena_grow(reader->arena, journal->operations, journal->operation_count,
			   &reader->operations_size, sizeof(operation));
	journal->operations[journal->operation_count++] = operation;
	return true;
}

static bool read_stage(struct journal_reader *reader, unsigned root, const char *path, char *at)
{
	unsigned long long numbers[4];
	if (!path || path[0] != '/' || !read_numbers(reader, &at, numbers, 4))
		return false;
	reader->journal->roots[root] = (struct journal_root){ path, numbers[0], numbers[1],
							      (int64_t)numbers[2], numbers[3] };
	return true;
}

static bool read_leaf(struct journal_reader *reader, unsigned root, const char *path, char *at)
{
	struct journal *journal = reader->journal;
	struct leaf leaf = { .root = root, .path = path };
	if (!words_is_path(path) || journal->leaf_count == OPERATIONS_MAX ||
	    !read_thing(reader, &at, &leaf.is))
		return false;
	journal->leaves = arena_grow(reader->arena, journal->leaves, journal->leaf_count,
				     &reader->leaves_size, sizeof(leaf));
	journal->leaves[journal->leaf_count++] = leaf;
	return true;
}

static bool read_line(struct journal_reader *reader, char *at)
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
		if (!words_number(reader->arena, &at, &number) || number > OPERATIONS_MAX)
			return false;
		if (word[0] == 'f')
			journal->forced = number != 0;
		else
			journal->attempted = (unsigned)number;
		return true;
	}
	if (!words_root(reader->arena, &at, &root))
		return false;
	const char *path = words_next(reader->arena, &at);
	if (str_equal(word, "stage"))
		return read_stage(reader, root, path, at);
	return str_equal(word, "leaf") && path && read_leaf(reader, root, path, at);
}

int journal_parse(struct arena *arena, const char *text, size_t length, struct journal *ret_journal)
{
	struct journal journal = { 0 };
	struct journal_reader reader = { .arena = arena, .journal = &journal };
	char *at;
	TRY(words_open(arena, journal_header, VERSION, text, length, JOURNAL_BYTES_MAX, &at));
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
	for (unsigned i = 0; i < ROOTS_MAX; i++) {
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
