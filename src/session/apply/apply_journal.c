// Owns the form of an apply's journal and of what is known to be its work.
#include "session/apply/apply.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "text/words.h"

static const char journal_header[] = "sbx-apply ";
enum { VERSION = 2 };
#define THING(type, member)                                                                        \
	WORDS_FIELD(WORDS_NUMBER, type, member.inode),                                             \
		WORDS_FIELD(WORDS_NUMBER, type, member.size),                                      \
		WORDS_FIELD(WORDS_NUMBER, type, member.tree),                                      \
		WORDS_FIELD(WORDS_NUMBER, type, member.mode),                                      \
		WORDS_FIELD(WORDS_NUMBER, type, member.links),                                     \
		WORDS_FIELD(WORDS_TIME, type, member.modified),                                    \
		WORDS_FIELD(WORDS_TIME, type, member.changed)
static const struct words_field operation_fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct operation, root),
	WORDS_FIELD(WORDS_PATH, struct operation, path),
	WORDS_FIELD(WORDS_NUMBER, struct operation, number),
	WORDS_FIELD(WORDS_NUMBER, struct operation, parent),
	WORDS_FIELD(WORDS_NUMBER, struct operation, mode),
	WORDS_FIELD(WORDS_NUMBER, struct operation, old_mode),
	THING(struct operation, staged),
	THING(struct operation, was),
};
static const struct words_field leaf_fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct leaf, root),
	WORDS_FIELD(WORDS_PATH, struct leaf, path),
	THING(struct leaf, is),
};
// A line "stage ROOT ...".
static const struct words_field root_fields[] = {
	WORDS_FIELD(WORDS_ABOVE, struct journal_root, stage),
	WORDS_FIELD(WORDS_NUMBER, struct journal_root, stage_inode),
	WORDS_FIELD(WORDS_NUMBER, struct journal_root, inode),
	WORDS_FIELD(WORDS_NUMBER, struct journal_root, born_seconds),
	WORDS_FIELD(WORDS_NUMBER, struct journal_root, born_nanoseconds),
};

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

static bool read_operation(struct journal_reader *reader, enum operation_kind kind, char *at)
{
	struct journal *journal = reader->journal;
	struct operation operation = { 0 };
	if (!words_read(reader->arena, &at, operation_fields, WORDS_COUNT(operation_fields),
			&operation) ||
	    operation.root >= ROOTS_MAX || journal->operation_count == OPERATIONS_MAX)
		return false;
	operation.kind = kind;
	operation.mode &= 07777;
	operation.old_mode &= 07777;
	journal->operations =
		arena_grow(reader->arena, journal->operations, journal->operation_count,
			   &reader->operations_size, sizeof(operation));
	journal->operations[journal->operation_count++] = operation;
	return true;
}

static bool read_stage(struct journal_reader *reader, char *at)
{
	struct journal_root stage;
	unsigned long long root;
	if (!words_number(reader->arena, &at, &root) || root >= ROOTS_MAX ||
	    !words_read(reader->arena, &at, root_fields, WORDS_COUNT(root_fields), &stage))
		return false;
	reader->journal->roots[root] = stage;
	return true;
}

static bool read_leaf(struct journal_reader *reader, char *at)
{
	struct journal *journal = reader->journal;
	struct leaf leaf = { 0 };
	if (!words_read(reader->arena, &at, leaf_fields, WORDS_COUNT(leaf_fields), &leaf) ||
	    leaf.root >= ROOTS_MAX || journal->leaf_count == OPERATIONS_MAX)
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
	return str_equal(word, "stage") ? read_stage(reader, at)
					: str_equal(word, "leaf") && read_leaf(reader, at);
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

void journal_format(const struct journal *journal, struct out *out)
{
	out_text(out, "%s%d\n%s\nattempted %u\nforced %d\n", journal_header, VERSION,
		 phases[journal->phase], journal->attempted, journal->forced);
	for (unsigned i = 0; i < ROOTS_MAX; i++) {
		char front[32];
		snprintf(front, sizeof(front), "stage %u", i);
		if (journal->roots[i].stage)
			words_write(out, front, root_fields, WORDS_COUNT(root_fields),
				    &journal->roots[i]);
	}
	for (unsigned i = 0; i < journal->operation_count; i++)
		words_write(out, kinds[journal->operations[i].kind], operation_fields,
			    WORDS_COUNT(operation_fields), &journal->operations[i]);
	for (unsigned i = 0; i < journal->leaf_count; i++)
		words_write(out, "leaf", leaf_fields, WORDS_COUNT(leaf_fields),
			    &journal->leaves[i]);
	words_close(out);
}
