// Owns the lines of findings.
#include "report/findings.h"

#include <stdint.h>
#include <string.h>

enum { LINES_MAX = 8, BYTES_MAX = 1200, DETAIL_MOST = 400 };

void findings_name(const char *name, size_t most, struct out *out)
{
	size_t length = strlen(name), head = length, tail = length, begin = out->used;
	if (length > most) {
		for (head = most / 2; (name[head] & 0xc0) == 0x80; head--)
			;
		for (tail = length - most / 2; (name[tail] & 0xc0) == 0x80; tail++)
			;
	}
	out_bytes(out, name, head);
	out_text(out, "%s%s", head < tail ? "..." : "", name + tail);
	for (; out->marks && begin < out->used; begin++)
		if (out->text[begin] == ' ')
			out->text[begin] = MARK_BLANK;
}

static void put_list(const struct findings *findings, enum finding_kind kind, bool all,
		     struct out *out)
{
	unsigned shown = 0, most = all ? findings_most(kind) : finding_rows[kind].joined;
	struct reported finding;
	for (size_t at = 0; shown < most && findings_next(findings, &at, &finding);)
		if (finding.kind == kind)
			out_text(out, shown++ > 0 ? ", " : ""),
				findings_name(finding.path, all ? SIZE_MAX : NAME_MOST, out);
	if (findings->counts[kind] > shown)
		out_text(out, " and %u more", findings->counts[kind] - shown);
}

static void put_detail(const char *detail, bool all, struct out *out)
{
	bool marks = out->marks;
	out->marks = false;
	findings_name(detail, all ? SIZE_MAX : DETAIL_MOST, out);
	out->marks = marks;
}

static void put_fix(const struct reported *finding, bool all, struct out *out);

static void put_words(const struct findings *findings, const struct reported *finding,
		      const char *words, bool all, struct out *out)
{
	for (; *words && (*words != '|' || finding->fix[0]); words++) {
		const char next = words[0] == '%' ? words[1] : '\0';
		words += next != '\0';
		if (next == 'p')
			findings_name(finding->path, all ? SIZE_MAX : NAME_MOST, out);
		else if (next == 'd')
			put_detail(finding->detail, all, out);
		else if (next == 'i')
			findings_name(finding->fix, all ? SIZE_MAX : DETAIL_MOST, out);
		else if (next == 'f')
			put_fix(finding, all, out);
		else if (next == 'l')
			put_list(findings, finding->kind, all, out);
		else if (*words != '|')
			out_bytes(out, words, 1);
	}
}

static void put_fix(const struct reported *finding, bool all, struct out *out)
{
	const char *fix = finding_rows[finding->kind].fix;
	if (fix && (finding->fix[0] || !strchr(fix, '%')))
		put_words(NULL, finding, fix, all, out);
}

void finding_fix(const struct reported *finding, struct out *out)
{
	put_fix(finding, true, out);
}

static void put_kind(const struct findings *findings, enum finding_kind kind, const char *words,
		     bool all, struct out *out)
{
	const struct finding_row *row = &finding_rows[kind];
	unsigned lines = 0, most = row->joined ? 1 : all ? FINDING_RECORDS_MAX : LINES_MAX;
	size_t begin = out->used, before = begin;
	struct reported finding;
	for (size_t at = 0; lines < most && findings_next(findings, &at, &finding);) {
		if (finding.kind != kind)
			continue;
		before = out->used;
		out_text(out, out->marks && lines == 0 ? "\fsbx: " : "sbx: ");
		put_words(findings, &finding, words, all, out);
		out_text(out, "\n");
		if (!all && lines > 0 && out->used - begin > BYTES_MAX) {
			out->used = before;
			break;
		}
		lines++;
	}
	unsigned more = findings->counts[kind] - lines;
	if (more > 0 && !row->joined)
		out_text(out, "sbx: and %u more such %s%s%s\n", more,
			 row->more ? row->more : "line", more == 1 ? "" : "s",
			 row->see ? row->see : "");
}

static void put_kinds(const struct findings *findings, unsigned severities, enum reader reader,
		      struct out *out)
{
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++) {
		const struct finding_row *row = &finding_rows[kind];
		const char *words = reader == READER_AGENT && row->agent ? row->agent : row->words;
		if (findings->counts[kind] > 0 && words[0] && severities & 1U << row->severity)
			put_kind(findings, kind, words, reader == READER_AUDIT, out);
	}
}

void findings_text(const struct findings *findings, enum reader reader, struct out *out)
{
	put_kinds(findings, ~0U, reader, out);
}

void findings_severe(const struct findings *findings, unsigned severities, enum reader reader,
		     struct out *out)
{
	put_kinds(findings, severities, reader, out);
}

static unsigned count_words(const char *line, size_t length)
{
	unsigned words = 0;
	for (size_t i = 0; i < length; i++)
		words += line[i] != ' ' && (i == 0 || line[i - 1] == ' ');
	return words;
}

static bool put_fitting_line(const char *line, unsigned words, struct out *out)
{
	enum { LINE_BYTES = 700 };
	size_t whole = strcspn(line, "\n"), length = whole < LINE_BYTES ? whole : LINE_BYTES;
	bool cut = length < whole;
	while (count_words(line, length) > words || (cut && (line[length] & 0xc0) == 0x80) ||
	       (cut && length > 0 && line[length - 1] == ' '))
		length--, cut = true;
	for (size_t i = 0; i < length; i++)
		out_bytes(out, line[i] == MARK_BLANK ? " " : line + i, 1);
	out_text(out, cut ? " ...\n" : "\n");
	return !cut;
}

static const char *next_line(const char *at)
{
	return at + strcspn(at, "\n") + 1;
}

bool findings_brief(const char *text, unsigned run, unsigned lines, struct out *out)
{
	enum { MORE_WORDS = 7 };
	unsigned all = 0, words = 0, first = 0, first_words = 0, more = 0, shown = 0;
	const unsigned most = lines * LINE_WORDS - MORE_WORDS;
	for (const char *at = text; *at; at = next_line(at)) {
		unsigned here = count_words(at, strcspn(at, "\n"));
		all++, words += here;
		first += *at == MARK_KIND, first_words += *at == MARK_KIND ? here : 0;
	}
	if (all <= lines && words <= lines * LINE_WORDS)
		return false;
	unsigned room = first < lines - 1 ? lines - 1 - first : 0;
	words = first_words < most ? most - first_words : 0;
	for (const char *at = text; *at; at = next_line(at)) {
		unsigned here = count_words(at, strcspn(at, "\n"));
		bool begins = *at == MARK_KIND, fits = room > 0 && here <= words;
		if (!begins && !fits && shown > 0) {
			more++;
			continue;
		}
		more += !put_fitting_line(at + begins, begins || !fits ? most - 1 : here, out);
		room -= !begins && room > 0;
		words -= begins ? 0 : here < words ? here : words;
		shown++;
	}
	if (more > 0)
		out_text(out, "sbx: %u more: sbx audit --run %u\n", more, run);
	return true;
}
