// Owns the JSON keys of findings.
#include "report/findings.h"

#include "report/print_fields.h"

static void put(struct out *out, enum finding_kind kind, unsigned count, const char *path,
		const char *detail, const char *fix)
{
	print_one(out, MEMBER("kind", finding_rows[kind].word),
		  MEMBER("severity", severity_words[finding_rows[kind].severity]),
		  MEMBER_NUMBER("count", count), MEMBER("path", path[0] ? path : NULL),
		  MEMBER("detail", detail[0] ? detail : NULL), MEMBER("fix", fix));
}

void findings_json(const struct findings *findings, struct out *out)
{
	unsigned shown[FINDING_KINDS] = { 0 };
	struct reported finding;
	out->json = true;
	for (size_t at = 0; findings_next(findings, &at, &finding);) {
		struct out fix = { 0 };
		finding_fix(&finding, &fix);
		put(out, finding.kind, 1, finding.path, finding.detail, fix.text);
		out_free(&fix);
		shown[finding.kind]++;
	}
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		if (findings->counts[kind] > shown[kind])
			put(out, kind, findings->counts[kind] - shown[kind], "", "", NULL);
}
