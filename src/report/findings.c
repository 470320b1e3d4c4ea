// Owns the table of findings, and the list of a run's findings.
#include "report/findings.h"

#include <string.h>

#include "base/base.h"

const struct finding_row finding_rows[FINDING_KINDS] = {
#define ROW(kind, name, ...) [kind] = { .word = name, __VA_ARGS__ },
#include "report/finding_rows.h"
#undef ROW
};
const char *const severity_words[SEVERITIES] = {
	[SEVERITY_NOTICE] = "notice",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_DANGER] = "danger",
	[SEVERITY_ERROR] = "error",
};

static void put_visible(struct out *out, const char *text)
{
	out_shown(out, text);
	out_bytes(out, "", 1);
}

unsigned findings_most(enum finding_kind kind)
{
	unsigned joined = finding_rows[kind].joined;
	return joined > FINDING_RECORDS_MAX ? joined : FINDING_RECORDS_MAX;
}

void findings_add(struct findings *findings, enum finding_kind kind, const char *path,
		  const char *detail, const char *fix)
{
	struct out *records = &findings->records;
	size_t before = records->used;
	char byte = (char)kind;
	unsigned most = findings_most(kind);
	if (findings->counts[kind]++ >= most ||
	    findings->bytes[kind] >=
		    (most > FINDING_RECORDS_MAX ? FINDING_BYTES_MAX : FINDING_BYTES_MAX / 8))
		return;
	out_bytes(records, &byte, 1);
	put_visible(records, path);
	put_visible(records, detail);
	put_visible(records, fix);
	findings->bytes[kind] += records->used - before;
}

bool findings_next(const struct findings *findings, size_t *at, struct reported *ret_finding)
{
	const char *record = findings->records.text + *at;
	if (*at >= findings->records.used)
		return false;
	ret_finding->kind = (enum finding_kind)record[0];
	ret_finding->path = record + 1;
	ret_finding->detail = ret_finding->path + strlen(ret_finding->path) + 1;
	ret_finding->fix = ret_finding->detail + strlen(ret_finding->detail) + 1;
	*at += (size_t)(ret_finding->fix + strlen(ret_finding->fix) + 1 - record);
	return true;
}

static bool is_whole(const struct out *records)
{
	for (size_t at = 0; at < records->used;) {
		if ((unsigned char)records->text[at++] >= FINDING_KINDS)
			return false;
		for (int field = 0; field < 3; field++) {
			const char *end = memchr(records->text + at, '\0', records->used - at);
			if (!end)
				return false;
			at = (size_t)(end - records->text) + 1;
		}
	}
	return true;
}

bool findings_take(struct findings *findings, const struct findings *answer)
{
	struct reported finding;
	if (!is_whole(&answer->records))
		return false;
	for (size_t at = 0; findings_next(answer, &at, &finding);)
		findings_add(findings, finding.kind, finding.path, finding.detail, finding.fix);
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++) {
		unsigned count = answer->counts[kind];
		count = count < FINDING_COUNT_MAX ? count : FINDING_COUNT_MAX;
		if (findings->counts[kind] < count)
			findings->counts[kind] = count;
	}
	return true;
}

bool findings_has(const struct findings *findings, enum finding_kind kind, const char *path)
{
	struct out shown = { 0 };
	struct reported finding;
	bool has = false;
	put_visible(&shown, path);
	for (size_t at = 0; !has && findings_next(findings, &at, &finding);)
		has = finding.kind == kind && str_equal(finding.path, shown.text);
	out_free(&shown);
	return has;
}

unsigned findings_count(const struct findings *findings)
{
	unsigned sum = 0;
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		sum += findings->counts[kind];
	return sum;
}

void findings_free(struct findings *findings)
{
	out_free(&findings->records);
	*findings = (struct findings){ 0 };
}
