// Owns how findings become lines.
#include "report/findings.h"

#include <string.h>

enum { LINES_MAX = 8, BYTES_MAX = 1200 };

// All of its kind, with commas between.
static void put_list(const struct findings *findings, enum finding_kind kind, bool all,
		     struct out *out)
{
	unsigned shown = 0, most = all ? findings_most(kind) : finding_rows[kind].joined;
	struct reported finding;
	for (size_t at = 0; shown < most && findings_next(findings, &at, &finding);)
		if (finding.kind == kind)
			out_text(out, "%s%s", shown++ > 0 ? ", " : "", finding.path);
	if (findings->counts[kind] > shown)
		out_text(out, " and %u more", findings->counts[kind] - shown);
}

static void put_words(const struct findings *findings, const struct reported *finding,
		      const char *words, bool all, struct out *out)
{
	for (; *words && (*words != '|' || finding->fix[0]); words++) {
		const char next = words[0] == '%' ? words[1] : '\0';
		words += next != '\0';
		if (next == 'p')
			out_text(out, "%s", finding->path);
		else if (next == 'd')
			out_text(out, "%s", finding->detail);
		else if (next == 'i')
			out_text(out, "%s", finding->fix);
		else if (next == 'f')
			finding_fix(finding, out);
		else if (next == 'l')
			put_list(findings, finding->kind, all, out);
		else if (*words != '|')
			out_bytes(out, words, 1);
	}
}

void finding_fix(const struct reported *finding, struct out *out)
{
	const char *fix = finding_rows[finding->kind].fix;
	if (fix && (finding->fix[0] || !strchr(fix, '%')))
		put_words(NULL, finding, fix, false, out);
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
		out_text(out, "sbx: ");
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

void findings_severe(const struct findings *findings, enum severity severity, enum reader reader,
		     struct out *out)
{
	put_kinds(findings, 1U << severity, reader, out);
}

// Words of a line without its newline.
static unsigned words_of(const char *line, size_t length)
{
	unsigned words = 0;
	for (size_t i = 0; i < length; i++)
		words += line[i] != ' ' && (i == 0 || line[i - 1] == ' ');
	return words;
}

// The first words of a line that is too long by itself.
static void put_cut(const char *line, unsigned words, struct out *out)
{
	size_t length = strcspn(line, "\n");
	while (words_of(line, length) > words || (length > 0 && line[length - 1] == ' '))
		length--;
	out_bytes(out, line, length);
	out_text(out, " ...\n");
}

bool findings_brief(const char *text, unsigned run, struct out *out)
{
	enum { MORE_WORDS = 7 }; // of the last line
	unsigned lines = 0, words = 0, more = 0;
	for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
		lines++, words += words_of(at, strcspn(at, "\n"));
	if (lines <= BRIEF_LINES && words <= BRIEF_WORDS)
		return false;
	lines = words = 0;
	for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
		size_t length = strcspn(at, "\n");
		unsigned here = words_of(at, length);
		bool fits = words + here <= BRIEF_WORDS - MORE_WORDS;
		if (lines == BRIEF_LINES - 1 || (!fits && lines > 0)) {
			more++;
			continue;
		}
		if (fits)
			out_bytes(out, at, length + 1);
		else
			put_cut(at, BRIEF_WORDS - MORE_WORDS - 1, out);
		more += !fits;
		words += fits ? here : BRIEF_WORDS - MORE_WORDS;
		lines++;
	}
	out_text(out, "sbx: %u more: sbx audit --run %u\n", more, run);
	return true;
}
