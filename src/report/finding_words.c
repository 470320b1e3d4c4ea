// Owns how findings become lines.
#include "report/findings.h"

#include <string.h>

enum { LINES_MAX = 8, BYTES_MAX = 1200 };

// All of its kind, with commas between.
static void put_list(const struct findings *findings, enum finding_kind kind, struct out *out)
{
	unsigned shown = 0, most = finding_rows[kind].joined;
	struct reported finding;
	for (size_t at = 0; shown < most && findings_next(findings, &at, &finding);)
		if (finding.kind == kind)
			out_text(out, "%s%s", shown++ > 0 ? ", " : "", finding.path);
	if (findings->counts[kind] > shown)
		out_text(out, " and %u more", findings->counts[kind] - shown);
}

static void put_words(const struct findings *findings, const struct reported *finding,
		      const char *words, struct out *out)
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
			put_list(findings, finding->kind, out);
		else if (*words != '|')
			out_bytes(out, words, 1);
	}
}

void finding_fix(const struct reported *finding, struct out *out)
{
	const char *fix = finding_rows[finding->kind].fix;
	if (fix && (finding->fix[0] || !strchr(fix, '%')))
		put_words(NULL, finding, fix, out);
}

static void put_kind(const struct findings *findings, enum finding_kind kind, const char *words,
		     struct out *out)
{
	const struct finding_row *row = &finding_rows[kind];
	unsigned lines = 0, most = row->joined ? 1 : LINES_MAX;
	size_t begin = out->used, before = begin;
	struct reported finding;
	for (size_t at = 0; lines < most && findings_next(findings, &at, &finding);) {
		if (finding.kind != kind)
			continue;
		before = out->used;
		out_text(out, "sbx: ");
		put_words(findings, &finding, words, out);
		out_text(out, "\n");
		if (lines > 0 && out->used - begin > BYTES_MAX) {
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

void findings_text(const struct findings *findings, enum reader reader, struct out *out)
{
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++) {
		const struct finding_row *row = &finding_rows[kind];
		const char *words = reader == READER_AGENT && row->agent ? row->agent : row->words;
		if (findings->counts[kind] > 0 && words[0])
			put_kind(findings, kind, words, out);
	}
}
