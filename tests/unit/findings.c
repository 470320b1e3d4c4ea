// The words of each kind of finding and of denials, with an example subject, against
// findings.golden: a change of a message is seen in a difference.
#include "test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "report/findings.h"
#include "report/summary.h"

static const char golden[] = UNIT_DIRECTORY "/findings.golden";

// One of a kind, then what a line says of many.
static void put_kind(struct out *out, enum finding_kind kind)
{
	const struct finding_row *row = &finding_rows[kind];
	struct findings one = { 0 }, many = { 0 };
	findings_add(&one, kind, "PATH", "DETAIL", "FIX");
	for (unsigned i = 0; i < 60; i++)
		findings_add(&many, kind, "PATH", "DETAIL", "FIX");
	out_text(out, "# %s, %s\n", row->word, severity_words[row->severity]);
	findings_text(&one, READER_PERSON, out);
	if (row->agent)
		findings_text(&one, READER_AGENT, out);
	size_t begin = out->used;
	findings_text(&many, READER_PERSON, out);
	// Of many lines the last one counts the others.
	char *last = out->used > begin ? strrchr(out->text + begin, 's') : NULL;
	while (last && last > out->text + begin && last[-1] != '\n')
		last--;
	if (last && strncmp(last, "sbx: and ", 9) == 0) {
		memmove(out->text + begin, last, strlen(last) + 1);
		out->used = begin + strlen(last);
	} else {
		out->used = begin;
	}
	findings_free(&one);
	findings_free(&many);
}

static void put_denials(struct out *out)
{
	static const char *const kinds[] = { "connect", "read", "write", "execute" };
	struct denials denials = { 0 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct denial *denial =
			denials_add(&denials, kinds[i], "SUBJECT", "REASON", "PROGRAM");
		strcpy(denial->flag, "allow");
		strcpy(denial->rule, "RULE");
		strcpy(denial->value, "VALUE");
	}
	denials_add(&denials, "connect", "SUBJECT", "REASON", "PROGRAM");
	denials_add(&denials, "connect", "SUBJECT", "ANOTHER REASON", "PROGRAM");
	for (char name[] = "A"; name[0] <= 'K'; name[0]++)
		denials_add(&denials, "write", name, "", "");
	denials.lost = 2;
	out_text(out, "# denials\n");
	denied_text(NULL, 0, &denials, READER_PERSON, out);
	denials_free(&denials);
}

static void all_words(struct out *out)
{
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		put_kind(out, kind);
	put_denials(out);
}

// A locked process counts what is alike, and the supervisor believes nothing of its table.
static void refused_by_processes(void **state)
{
	static struct refused_table table;
	struct denials denials = { 0 };
	struct refused refused;
	(void)state;
	refused_collect(NULL, &denials);
	assert_int_equal(denials.count, 0);
	refused_set(&refused, REFUSED_NOTHING, "nothing", "");
	refused_note(&table, &refused);
	assert_int_equal(table.count, 0);
	for (int i = 0; i < 3; i++) {
		refused_set(&refused, REFUSED_SIGNATURE, "HOST", i ? "again" : "not listed");
		refused.flag = REFUSED_AGENT_HOST;
		strcpy(refused.value, "HOST");
		refused_note(&table, &refused);
	}
	refused_set(&refused, REFUSED_SECRET, "HOST", "no TLS");
	refused.failed = 7;
	refused_note(&table, &refused);
	assert_int_equal(table.count, 2);
	refused_collect(&table, &denials);
	assert_int_equal(denials.count, 2);
	assert_string_equal(denials.all[0].kind, "signature");
	assert_string_equal(denials.all[0].flag, "agent-host");
	assert_string_equal(denials.all[0].why, "not listed");
	assert_string_equal(denials.all[0].verb, "blocked");
	assert_int_equal(denials.all[0].count, 3);
	assert_string_equal(denials.all[1].verb, "could not reach");
	assert_string_equal(denials.all[1].flag, "");
	denials_free(&denials);
	// Full: the rest is counted.
	for (int i = 0; i < REFUSED_MAX; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%d", i);
		refused_set(&refused, REFUSED_AGENT, name, "");
		refused_note(&table, &refused);
	}
	assert_int_equal(table.count, REFUSED_MAX);
	assert_int_equal(table.lost, 2);
	// Every byte that a process can leave: nothing is read behind it, each text has an end.
	memset(&table, 0xff, sizeof(table));
	refused_note(&table, &refused);
	refused_collect(&table, &denials);
	assert_int_equal(denials.count, 0);
	for (int i = 0; i < REFUSED_MAX; i++) {
		table.all[i].kind = REFUSED_SIGNATURE;
		table.all[i].flag = REFUSED_BY_NO_FLAG;
		table.all[i].what[0] = '\033';
	}
	refused_collect(&table, &denials);
	assert_int_equal(denials.count, 1);
	assert_true(strlen(denials.all[0].what) < sizeof(table.all[0].what) * 4);
	assert_null(strchr(denials.all[0].what, '\033'));
	denials_free(&denials);
}

static void equals_golden(void **state)
{
	struct out out = { 0 };
	(void)state;
	all_words(&out);
	char *stored = calloc(1, out.used + 2);
	FILE *file = fopen(golden, getenv("UPDATE") ? "w+" : "r");
	assert_non_null(file);
	if (getenv("UPDATE"))
		assert_int_equal(fwrite(out.text, 1, out.used, file), out.used);
	rewind(file);
	size_t length = fread(stored, 1, out.used + 1, file);
	fclose(file);
	assert_int_equal(length, out.used);
	assert_memory_equal(stored, out.text, length);
	free(stored);
	out_free(&out);
}

// A fix that has nothing to name is left out, with the words before it.
static void no_fix(void **state)
{
	struct findings found = { 0 };
	struct out out = { 0 };
	(void)state;
	findings_add(&found, FINDING_NOT_INSIDE, "tool", "/x/tool", "");
	findings_text(&found, READER_PERSON, &out);
	assert_string_equal(out.text, "sbx: cannot run 'tool': /x/tool is not in the box\n");
	out_free(&out);
	findings_free(&found);
}

// What does not fit in 8 lines and 120 words is counted; one that is too long by itself is cut.
static void brief_of(const char *text, const char *expected)
{
	struct out out = { 0 };
	bool cut = findings_brief(text, 7, BRIEF_LINES, &out);
	assert_int_equal(cut, expected[0] != '\0');
	assert_string_equal(out.text ? out.text : "", expected);
	out_free(&out);
}

static void brief(void **state)
{
	struct out text = { 0 }, expected = { 0 };
	(void)state;
	brief_of("", "");
	brief_of("a\nb\nc\nd\ne\nf\ng\nh\n", "");
	brief_of("a\nb\nc\nd\ne\nf\ng\nh\ni\n",
		 "a\nb\nc\nd\ne\nf\ng\nsbx: 2 more: sbx audit --run 7\n");
	for (unsigned i = 0; i < 3; i++)
		out_text(&text, "%0*d%s\n", 1, 0,
			 " x x x x x x x x x x x x x x x x x x x x x x x x x x"
			 " x x x x x x x x x x x x x x x x x x x x x x x x x");
	out_text(&text, "last\n");
	const char *third = strchr(strchr(text.text, '\n') + 1, '\n') + 1;
	out_text(&expected, "%.*slast\nsbx: 1 more: sbx audit --run 7\n", (int)(third - text.text),
		 text.text);
	brief_of(text.text, expected.text);
	for (char *at = text.text; (at = strchr(at, '\n'));)
		*at = ' ';
	text.text[text.used - 1] = '\n';
	out_free(&expected);
	out_text(&expected, "%.*s ...\nsbx: 1 more: sbx audit --run 7\n", 2 * 112 - 1, text.text);
	brief_of(text.text, expected.text);
	out_free(&text);
	out_free(&expected);
}

// Each kind has its line, whatever there is of another one.
static void brief_kinds(void **state)
{
	struct out text = { .marks = true }, name = { 0 }, shown = { 0 };
	struct findings found = { 0 };
	(void)state;
	brief_of("\fa\nb\nc\nd\ne\nf\ng\nh\ni\n\fj\n\fk\n",
		 "a\nb\nc\nd\ne\nj\nk\nsbx: 4 more: sbx audit --run 7\n");
	brief_of("\fa\n\fb\n\fc\n\fd\n\fe\n\ff\n\fg\n\fh\n\fi\n", "a\nb\nc\nd\ne\nf\ng\nh\ni\n");
	for (unsigned i = 0; i < 500; i++)
		out_text(&name, "x ");
	for (unsigned i = 0; i < 30; i++)
		findings_add(&found, FINDING_MOVED, name.text, "appeared", "1");
	findings_add(&found, FINDING_GIT_HIDES, "last", "", "");
	findings_severe(&found, ~0U, READER_PERSON, &text);
	assert_true(findings_brief(text.text, 7, BRIEF_LINES, &shown));
	assert_ptr_equal(strstr(shown.text, "sbx: last: files "), shown.text);
	assert_non_null(strstr(shown.text, "\nsbx: x x x"));
	assert_non_null(strstr(shown.text, "x x x ...x x x"));
	assert_true(shown.used < 2000);
	findings_free(&found);
	out_free(&text);
	out_free(&name);
	out_free(&shown);
}

static bool takes(const char *bytes, size_t length, struct findings *to)
{
	struct findings answer = { .counts = { [FINDING_MOVED] = UINT_MAX } };
	out_bytes(&answer.records, bytes, length);
	bool taken = findings_take(to, &answer);
	out_free(&answer.records);
	return taken;
}

// The answer of a process that read what a box wrote, and may have been taken over.
static void answers(void **state)
{
	static const char kind = (char)FINDING_MOVED;
	struct findings from = { 0 }, to = { 0 };
	struct reported finding;
	char record[] = { kind, '\033', 'p', '\0', 'd', '\0', 'f', '\0' };
	(void)state;
	for (unsigned i = 0; i < FINDING_RECORDS_MAX + 7; i++)
		findings_add(&from, FINDING_SYMLINK, "a\\\n\377<FF>\303\244", "%p %s", "");
	findings_add(&from, FINDING_MOVED, "", "", "x");
	assert_true(findings_take(&to, &from));
	assert_memory_equal(from.counts, to.counts, sizeof(to.counts));
	assert_memory_equal(from.bytes, to.bytes, sizeof(to.bytes));
	assert_int_equal(from.records.used, to.records.used);
	assert_memory_equal(from.records.text, to.records.text, to.records.used);
	findings_free(&from);
	findings_free(&to);
	for (size_t length = 1; length < sizeof(record); length++)
		assert_false(takes(record, length, &to));
	for (int other = FINDING_KINDS; other < 256; other++) {
		record[0] = (char)other;
		assert_false(takes(record, sizeof(record), &to));
	}
	assert_int_equal(findings_count(&to), 0);
	record[0] = kind;
	assert_true(takes(record, sizeof(record), &to));
	assert_int_equal(findings_count(&to), FINDING_COUNT_MAX);
	size_t at = 0;
	assert_true(findings_next(&to, &at, &finding));
	assert_null(strchr(finding.path, '\033'));
	assert_false(findings_next(&to, &at, &finding));
	findings_free(&to);
}

static struct denial write_below(const char *value, int number)
{
	struct denial denial = { .kind = "write", .verb = "blocked", .flag = "write", .count = 1 };
	snprintf(denial.what, sizeof(denial.what), "%s/%d", value, number);
	strcpy(denial.value, value);
	return denial;
}

static void say(const struct denials *denials, char *text, size_t size)
{
	struct out out = { 0 };
	denied_text(NULL, 0, denials, READER_PERSON, &out);
	snprintf(text, size, "%s", out.used ? out.text : "");
	out_free(&out);
}

// What one kind fills the list with hides no other, and is silent where the command succeeded.
static void many_writes(void **state)
{
	struct denials denials = { 0 };
	char text[8192];
	(void)state;
	for (int i = 0; i < 2 * DENIALS_MAX; i++) {
		struct denial denial = write_below("/place", i);
		denial.on_failure = true;
		denials_add_copy(&denials, &denial);
	}
	assert_true(denials.count <= DENIALS_MAX / 2);
	assert_int_equal(denials.lost, 2 * DENIALS_MAX - denials.count);
	const char *const others[] = { "connect", "agent", "signature", "secret", "read" };
	for (int i = 0; i < 2 * DENIALS_MAX; i++) {
		char name[16];
		snprintf(name, sizeof(name), "host-%d", i);
		denials_add(&denials, others[0], name, "", "");
	}
	for (size_t i = 1; i < sizeof(others) / sizeof(*others); i++)
		assert_non_null(denials_add(&denials, others[i], "OTHER", "", ""));
	denials_free(&denials);
	for (int i = 0; i < 2 * DENIALS_MAX; i++) {
		struct denial denial = write_below("/place", i);
		denial.on_failure = true;
		denials_add_copy(&denials, &denial);
	}
	denials_close(&denials, true);
	say(&denials, text, sizeof(text));
	assert_string_equal(text, "");
	denials_close(&denials, false);
	denials_free(&denials);
}

// Those that no line has named yet are named by the first of them.
static void joined_writes(void **state)
{
	struct denials denials = { 0 };
	char text[1024];
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct denial denial = write_below(i == 4 ? "/other" : "/place", i);
		denials_add_copy(&denials, &denial);
	}
	denials.all[0].shown = 1;
	denials_close(&denials, false);
	say(&denials, text, sizeof(text));
	assert_string_equal(
		text,
		"sbx: blocked writing /place/1, /place/2, /place/3: ; to allow: --write /place\n"
		"sbx: blocked writing /other/4: ; to allow: --write /other\n");
	denials_free(&denials);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_by_processes),
		cmocka_unit_test(equals_golden),
		cmocka_unit_test(no_fix),
		cmocka_unit_test(many_writes),
		cmocka_unit_test(joined_writes),
		cmocka_unit_test(brief),
		cmocka_unit_test(brief_kinds),
		cmocka_unit_test(answers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
