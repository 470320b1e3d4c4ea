// libFuzzer: a name -> what a person, a program and a report of findings see of it. Nothing that is
// written acts on a terminal or has no shape, and to write it again changes nothing.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "report/findings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text)
{
	struct out again = { 0 };
	out_visible(&again, text, strlen(text));
	assert(str_equal(text, again.used ? again.text : ""));
	out_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct out out = { 0 };
	struct findings findings = { 0 };
	char *name = calloc(1, size + 1);
	assert(name);
	memcpy(name, data, size);
	err_taken();
	fail(0, "'%s'", name);
	assert(str_visible(err_text()));
	findings_add(&findings, FINDING_MOVED, name, name, name);
	assert(findings_has(&findings, FINDING_MOVED, name));
	findings_text(&findings, READER_PERSON, &out);
	check(out.text);
	out.used = 0;
	json_open(&out, NULL, '[');
	findings_json(&findings, &out);
	json_string(&out, NULL, name);
	json_close(&out, ']');
	assert(str_visible(out.text));
	out.used = 0;
	out_visible(&out, name, strlen(name));
	out_bytes(&out, "", 0);
	check(out.text);
	out_free(&out);
	findings_free(&findings);
	free(name);
	return 0;
}
