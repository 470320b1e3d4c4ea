// Owns an apply's journal: its format, and its place on the disk.
#include "session/apply/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "text/words.h"

static const char journal_header[] = "sbx-apply ";
enum { VERSION = 3 };
#define THING(member)                                                                              \
	WORDS_FIELD(WORDS_NUMBER, struct journal_line, member.inode),                              \
		WORDS_FIELD(WORDS_NUMBER, struct journal_line, member.size),                       \
		WORDS_FIELD(WORDS_NUMBER, struct journal_line, member.tree),                       \
		WORDS_FIELD(WORDS_NUMBER, struct journal_line, member.mode),                       \
		WORDS_FIELD(WORDS_NUMBER, struct journal_line, member.links),                      \
		WORDS_FIELD(WORDS_TIME, struct journal_line, member.modified),                     \
		WORDS_FIELD(WORDS_TIME, struct journal_line, member.changed)

struct journal_line {
	struct operation operation;
	unsigned root, number;
	struct journal_root stage;
};
#define FIELD(form, member) WORDS_FIELD(form, struct journal_line, member)
static const struct words_field operation_fields[] = { FIELD(WORDS_NUMBER, operation.root),
						       FIELD(WORDS_PATH, operation.path),
						       FIELD(WORDS_NUMBER, operation.number),
						       FIELD(WORDS_NUMBER, operation.parent),
						       FIELD(WORDS_NUMBER, operation.mode),
						       FIELD(WORDS_NUMBER, operation.old_mode),
						       THING(operation.staged),
						       THING(operation.was) },
				leaf_fields[] = { FIELD(WORDS_NUMBER, operation.root),
						  FIELD(WORDS_PATH, operation.path),
						  THING(operation.staged) },
				stage_fields[] = { FIELD(WORDS_NUMBER, root),
						   FIELD(WORDS_ABOVE, stage.stage),
						   FIELD(WORDS_NUMBER, stage.stage_inode),
						   FIELD(WORDS_NUMBER, stage.inode),
						   FIELD(WORDS_TIME, stage.born) },
				number_fields[] = { FIELD(WORDS_NUMBER, number) };

enum journal_kind { LINE_STAGE = OPERATION_LEAF + 1, LINE_ATTEMPTED, LINE_FORCED, LINES };
static const struct words_kind lines[] = {
	[OPERATION_ADD] = WORDS_KIND("add", operation_fields),
	[OPERATION_REPLACE] = WORDS_KIND("replace", operation_fields),
	[OPERATION_REMOVE] = WORDS_KIND("remove", operation_fields),
	[OPERATION_MODE] = WORDS_KIND("mode", operation_fields),
	[OPERATION_LEAF] = WORDS_KIND("leaf", leaf_fields),
	[LINE_STAGE] = WORDS_KIND("stage", stage_fields),
	[LINE_ATTEMPTED] = WORDS_KIND("attempted", number_fields),
	[LINE_FORCED] = WORDS_KIND("forced", number_fields),
};

static const char *const phases[] = { "stage", "commit", "back", "clean" };

struct journal_reader {
	struct arena *arena;
	struct journal *journal;
	unsigned size;
	struct journal_line line;
};

static bool take_operation(struct journal_reader *reader, enum operation_kind kind)
{
	struct journal *journal = reader->journal;
	struct operation operation = reader->line.operation;
	if (operation.root >= ROOTS_MAX || journal->operation_count == OPERATIONS_MAX)
		return false;
	operation.kind = kind;
	operation.mode &= 07777;
	operation.old_mode &= 07777;
	journal->operations =
		arena_grow(reader->arena, journal->operations, journal->operation_count,
			   &reader->size, sizeof(operation));
	journal->operations[journal->operation_count++] = operation;
	return true;
}

static bool read_line(struct journal_reader *reader, char *at)
{
	struct journal_line *line = &reader->line;
	line->operation = (struct operation){ 0 };
	int kind = words_read_kind(reader->arena, at, lines, LINES, line);
	switch (kind) {
	case -1:
		return false;
	case LINE_STAGE:
		if (line->root < ROOTS_MAX)
			reader->journal->roots[line->root] = line->stage;
		return line->root < ROOTS_MAX;
	case LINE_ATTEMPTED:
		reader->journal->attempted = line->number;
		return true;
	case LINE_FORCED:
		reader->journal->forced = line->number != 0;
		return true;
	default:
		return take_operation(reader, (enum operation_kind)kind);
	}
}

int journal_parse(struct arena *arena, const char *text, size_t length, struct journal *ret_journal)
{
	struct journal journal = { 0 };
	struct journal_reader reader = { .arena = arena, .journal = &journal };
	char *at;
	TRY(words_open(arena, journal_header, VERSION, text, length, JOURNAL_BYTES_MAX, &at));
	char *line = words_line(&at);
	while (line && journal.phase <= PHASE_CLEAN && !str_equal(line, phases[journal.phase]))
		journal.phase++;
	if (!line || journal.phase > PHASE_CLEAN)
		return fail(0, "its phase is missing");
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
	struct journal_line line;
	out_text(out, "%s%d\n%s\nattempted %u\nforced %d\n", journal_header, VERSION,
		 phases[journal->phase], journal->attempted, journal->forced);
	for (line.root = 0; line.root < ROOTS_MAX; line.root++) {
		line.stage = journal->roots[line.root];
		if (line.stage.stage)
			words_write_kind(out, &lines[LINE_STAGE], &line);
	}
	for (unsigned i = 0; i < journal->operation_count; i++) {
		line.operation = journal->operations[i];
		words_write_kind(out, &lines[line.operation.kind], &line);
	}
	words_close(out);
}

int journal_write(const struct applying *applying)
{
	struct out out = { 0 };
	journal_format(&applying->journal, &out);
	int result = owned_write(applying->held->directory, "journal", out.text, out.used);
	out_free(&out);
	return result;
}

int journal_sync(const struct applying *applying)
{
	int directory = applying->held->directory;
	autoclose int fd = openat(directory, "journal", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 || fsync(fd) < 0 || fsync(directory) < 0
		       ? fail(errno, "write the journal to the disk")
		       : 0;
}
