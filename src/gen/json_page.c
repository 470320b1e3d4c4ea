// Owns the members of sbx-json(5), from man/json.txt, and the tables of their words.
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "boxes/record.h"
#include "gen/gen.h"
#include "net/rules/control.h"
#include "policy/keys.h"
#include "report/findings.h"

static const struct {
	const char *name;
	const char *const *words;
	unsigned most; // count of words; NULL may end them earlier
} tables[] = {
	{ "access", project_words, FINDING_KINDS },
	{ "answers", reply_words, REPLIES },
	{ "ends", record_ends + RECORD_EXIT, RECORD_ENDS - RECORD_EXIT },
	{ "networks", network_words, FINDING_KINDS },
	{ "severities", severity_words, SEVERITIES },
	{ "verdicts", conn_verdicts, VERDICTS },
};

// Writes a table's words, or those of all findings of a severity.
const char *gen_table(const char *at)
{
	const char *words[FINDING_KINDS];
	unsigned count = 0;
	struct piece name = { at, strcspn(at, "@\n") };
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		while (piece_is(name, tables[i].name) && count < tables[i].most &&
		       tables[i].words[count]) {
			words[count] = tables[i].words[count];
			count++;
		}
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		if (piece_is(name, severity_words[finding_rows[kind].severity]))
			words[count++] = finding_rows[kind].word;
	if (count == 0)
		gen_stop(at);
	for (unsigned i = 0; i < count; i++)
		gen_put("%s\\fI\\%%s\\fR", i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
	return at + name.length;
}

static void put_member(struct arena *arena, const char *line)
{
	enum { DEPTHS = 4, COLUMNS = 2 };
	static const char *paths[DEPTHS];
	char name[64] = "", type[64] = "string";
	int used = 0;
	size_t depth = strspn(line, " ") / COLUMNS;
	sscanf(line, " %63[^ ?:]%n %63[^?:]%n", name, &used, type, &used);
	const char *text = line + used + (line[used] == '?');
	if (!name[0] || depth >= DEPTHS || (depth && !paths[depth - 1]) ||
	    (*text && !str_starts(text, ": ")))
		gen_stop(line);
	paths[depth] =
		arena_text(arena, "%s%s%s", depth ? paths[depth - 1] : "", depth ? "." : "", name);
	gen_put(".TP\n\\fB%s\\fR (%s%s)\n", paths[depth], type,
		line[used] == '?' ? ", optional" : "");
	gen_line(*text ? text + strlen(": ") : "");
}

void gen_man_json(const char *path)
{
	static const char *const marks[][2] = {
		{ "== ", ".SS " }, { "= ", ".SH " }, { "| ", "" }, { "/ ", ".br\n" }, { "#", NULL }
	};
	size_t length, mark, count = sizeof(marks) / sizeof(*marks);
	struct arena *arena = arena_new();
	for (const char *at = gen_read_file(path, &length); *at; at = gen_next_line(at)) {
		const char *line = arena_copy(arena, at, strcspn(at, "\n"));
		for (mark = 0; mark < count && !str_starts(line, marks[mark][0]);)
			mark++;
		if (mark == count) {
			put_member(arena, line);
		} else if (marks[mark][1]) {
			printf("%s", marks[mark][1]);
			gen_line(line + strlen(marks[mark][0]));
		}
	}
}
