// Owns the keys of findings.
#include "report/findings.h"

const char *const severity_words[SEVERITIES] = {
	[SEVERITY_NOTICE] = "notice",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_DANGER] = "danger",
	[SEVERITY_ERROR] = "error",
};

static void begin(enum finding_kind kind, unsigned count, struct out *out)
{
	json_open(out, NULL, '{');
	json_string(out, "kind", finding_rows[kind].word);
	json_string(out, "severity", severity_words[finding_rows[kind].severity]);
	json_number(out, "count", count);
}

static void put(struct out *out, const char *key, const char *value)
{
	if (value[0])
		json_string(out, key, value);
}

static void put_one(const struct reported *finding, struct out *out)
{
	struct out fix = { 0 };
	finding_fix(finding, &fix);
	begin(finding->kind, 1, out);
	put(out, "path", finding->path);
	put(out, "detail", finding->detail);
	put(out, "fix", fix.used ? fix.text : "");
	json_close(out, '}');
	out_free(&fix);
}

void findings_json(const struct findings *findings, struct out *out)
{
	unsigned shown[FINDING_KINDS] = { 0 };
	struct reported finding;
	for (size_t at = 0; findings_next(findings, &at, &finding);) {
		put_one(&finding, out);
		shown[finding.kind]++;
	}
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++) {
		if (findings->counts[kind] == shown[kind])
			continue;
		begin(kind, findings->counts[kind] - shown[kind], out);
		json_close(out, '}');
	}
}
