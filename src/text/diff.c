// Owns the difference of two texts, by the longest common subsequence of their lines.
#include "text/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

struct diff_line {
	const char *text;
	size_t length;
};

struct diff_text {
	struct diff_line *list;
	size_t count;
};

struct common {
	unsigned short *lengths;
	size_t width;
};

static struct diff_text split(const char *text)
{
	struct diff_text lines = { 0 };
	size_t count = 1;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		count++;
	lines.list = calloc(count, sizeof(*lines.list));
	if (!lines.list)
		abort();
	while (*text) {
		size_t length = strcspn(text, "\n");
		lines.list[lines.count++] = (struct diff_line){ text, length };
		text += length + (text[length] == '\n');
	}
	return lines;
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

static unsigned length_at(const struct common *common, size_t i, size_t j)
{
	return common->lengths ? common->lengths[i * common->width + j] : 0;
}

static struct common measure(const struct diff_text *a, const struct diff_text *b)
{
	enum { CELLS_MAX = 4 << 20 };
	struct common common = { .width = b->count + 1 };
	if ((a->count + 1) * common.width > CELLS_MAX)
		return common;
	common.lengths = calloc((a->count + 1) * common.width, sizeof(*common.lengths));
	for (size_t i = a->count; common.lengths && i-- > 0;)
		for (size_t j = b->count; j-- > 0;) {
			unsigned down = length_at(&common, i + 1, j);
			unsigned right = length_at(&common, i, j + 1);
			unsigned most = down > right ? down : right;
			if (same(&a->list[i], &b->list[j]))
				most = length_at(&common, i + 1, j + 1) + 1;
			common.lengths[i * common.width + j] = (unsigned short)most;
		}
	return common;
}

static void compare(struct out *out, const struct diff_text *a, const struct diff_text *b)
{
	struct common common = measure(a, b);
	size_t i = 0, j = 0;
	while (i < a->count || j < b->count) {
		if (i < a->count && j < b->count && same(&a->list[i], &b->list[j])) {
			show(out, ' ', &a->list[i]);
			i++, j++;
		} else if (i < a->count &&
			   (j == b->count ||
			    length_at(&common, i + 1, j) >= length_at(&common, i, j + 1))) {
			show(out, '-', &a->list[i++]);
		} else {
			show(out, '+', &b->list[j++]);
		}
	}
	free(common.lengths);
}

void diff_lines(struct out *out, const char *before, const char *after)
{
	struct diff_text a = split(before), b = split(after), x, y;
	size_t head = 0, tail = 0, least = a.count < b.count ? a.count : b.count;
	while (head < least && same(&a.list[head], &b.list[head]))
		show(out, ' ', &a.list[head++]);
	while (tail < least - head &&
	       same(&a.list[a.count - tail - 1], &b.list[b.count - tail - 1]))
		tail++;
	x = (struct diff_text){ a.list + head, a.count - head - tail };
	y = (struct diff_text){ b.list + head, b.count - head - tail };
	compare(out, &x, &y);
	for (; tail > 0; tail--)
		show(out, ' ', &a.list[a.count - tail]);
	free(a.list);
	free(b.list);
}
