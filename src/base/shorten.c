// Owns the order and the number of lines that a run ends with.
#include "base/shorten.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"

enum {
	KIND_BYTES = 32,
	KINDS_MOST = 64, // whoever makes more shares one
	LINES_MOST = 8,
	BYTES_MOST = 1200,
	TEXT_MOST = 32 << 10
};

// What the end of a line is taken for: without its digits.
struct kind {
	char text[KIND_BYTES];
	unsigned lines, bytes, more;
	unsigned rank;
};

struct line {
	const char *text;
	size_t length;
	struct kind *kind;
	unsigned rank, number;
	bool left_out;
};

// The worst first; all that is not here comes between.
static const struct {
	const char *words;
	unsigned rank;
} ranks[] = {
	{ "is not a valid git directory", 0 },
	{ "REMOVE IT YOURSELF", 0 },
	{ "could not", 1 },
	{ "replaced on the host", 1 },
	{ "moved away", 2 },
	{ "a repository that this run", 9 },
	{ "was made in the box's own files", 9 },
	{ "without HEAD", 8 },
};
enum { RANK_OTHER = 5 };

static unsigned rank_of(const struct line *line)
{
	for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++)
		if (memmem(line->text, line->length, ranks[i].words, strlen(ranks[i].words)))
			return ranks[i].rank;
	return RANK_OTHER;
}

static struct kind *kind_of(struct kind *kinds, unsigned *count, const struct line *line)
{
	char text[KIND_BYTES] = "";
	size_t used = 0;
	for (size_t i = line->length; i > 0 && used < KIND_BYTES - 1; i--)
		if (line->text[i - 1] < '0' || line->text[i - 1] > '9')
			text[used++] = line->text[i - 1];
	for (unsigned i = 0; i < *count; i++)
		if (kinds[i].rank == line->rank && strcmp(kinds[i].text, text) == 0)
			return &kinds[i];
	if (*count == KINDS_MOST)
		return &kinds[KINDS_MOST - 1];
	memcpy(kinds[*count].text, text, sizeof(text));
	kinds[*count].rank = line->rank;
	return &kinds[(*count)++];
}

static int compare(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static unsigned split(const struct out *out, struct line *lines)
{
	unsigned count = 0;
	for (size_t at = 0; at < out->used;) {
		const char *end = memchr(out->text + at, '\n', out->used - at);
		size_t length = end ? (size_t)(end - out->text) - at : out->used - at;
		if (lines)
			lines[count] = (struct line){ .text = out->text + at, .length = length };
		at += length + 1;
		count++;
	}
	return count;
}

// The last line of a kind says how many of it are missing.
static void put(struct out *into, const struct line *line, bool last)
{
	if (!line->left_out)
		out_text(into, "%.*s\n", (int)line->length, line->text);
	if (last && line->kind->more > 0)
		out_text(into, "sbx: and %u more such line%s\n", line->kind->more,
			 line->kind->more == 1 ? "" : "s");
}

static void choose(struct line *lines, unsigned count, struct kind *kinds)
{
	unsigned used = 0;
	for (unsigned i = 0; i < count; i++) {
		struct kind *kind = kind_of(kinds, &used, &lines[i]);
		lines[i].kind = kind;
		lines[i].left_out = kind->lines == LINES_MOST ||
				    (kind->lines > 0 && kind->bytes + lines[i].length > BYTES_MOST);
		kind->more += lines[i].left_out;
		kind->lines += !lines[i].left_out;
		kind->bytes += lines[i].left_out ? 0 : (unsigned)lines[i].length;
	}
}

void shorten_lines(struct out *out)
{
	unsigned count = split(out, NULL), cut = 0;
	struct line *lines = count > 1 ? calloc(count, sizeof(*lines)) : NULL;
	struct kind kinds[KINDS_MOST] = { 0 };
	struct out into = { 0 };
	if (!lines)
		return;
	split(out, lines);
	for (unsigned i = 0; i < count; i++) {
		lines[i].rank = rank_of(&lines[i]);
		lines[i].number = i;
	}
	qsort(lines, count, sizeof(*lines), compare);
	choose(lines, count, kinds);
	for (unsigned i = 0; i < count; i++) {
		bool last = true;
		for (unsigned j = i + 1; j < count && last && lines[j].rank == lines[i].rank; j++)
			last = lines[j].kind != lines[i].kind;
		if (into.used + lines[i].length > TEXT_MOST)
			cut++;
		else
			put(&into, &lines[i], last);
	}
	if (cut > 0)
		out_text(&into, "sbx: and %u more lines, which are not shown\n", cut);
	free(lines);
	out_free(out);
	*out = into;
}
