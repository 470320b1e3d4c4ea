// Owns the longest common subsequence of two short texts.
#include "text/diff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"

enum { LINES_MAX = 1500 };

struct diff_line {
	const char *text;
	size_t length;
};

struct diff_text {
	struct diff_line list[LINES_MAX];
	unsigned count;
};

static bool split(const char *text, struct diff_text *lines)
{
	lines->count = 0;
	while (*text) {
		size_t length = strcspn(text, "\n");
		if (lines->count == LINES_MAX)
			return false;
		lines->list[lines->count++] = (struct diff_line){ text, length };
		text += length + (text[length] == '\n');
	}
	return true;
}

static bool same(const struct diff_line *left, const struct diff_line *right)
{
	return left->length == right->length && memcmp(left->text, right->text, left->length) == 0;
}

static void show(struct out *out, char mark, const struct diff_line *line)
{
	out_text(out, "%c", mark);
	out_visible(out, line->text, line->length);
	out_text(out, "\n");
}

typedef unsigned short lengths[LINES_MAX + 1][LINES_MAX + 1];

static void compare(struct out *out, const struct diff_text *a, const struct diff_text *b,
		    lengths common)
{
	for (unsigned i = a->count; i-- > 0;)
		for (unsigned j = b->count; j-- > 0;) {
			unsigned short down = common[i + 1][j], right = common[i][j + 1];
			common[i][j] = same(&a->list[i], &b->list[j])
					       ? (unsigned short)(common[i + 1][j + 1] + 1)
				       : down > right ? down
						      : right;
		}
	unsigned i = 0, j = 0;
	while (i < a->count || j < b->count) {
		if (i < a->count && j < b->count && same(&a->list[i], &b->list[j])) {
			show(out, ' ', &a->list[i]);
			i++, j++;
		} else if (i < a->count &&
			   (j == b->count || common[i + 1][j] >= common[i][j + 1])) {
			show(out, '-', &a->list[i++]);
		} else {
			show(out, '+', &b->list[j++]);
		}
	}
}

void diff_lines(struct out *out, const char *before, const char *after)
{
	struct diff_text *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));
	lengths *common = calloc(1, sizeof(*common));
	if (!a || !b || !common || !split(before, a) || !split(after, b))
		out_text(out, "(too large to compare)\n");
	else
		compare(out, a, b, *common);
	free(common);
	free(a);
	free(b);
}
