// Owns the form of an answer of sbx why.
#include "cli/run/why.h"

#include <string.h>

#include "base/arena.h"
#include "report/answer_fields.h"
#include "run/run_command.h"

const char *why_line(struct box *box, const struct origin *from)
{
	if (!from->file)
		return "sbx itself";
	return from->line ? arena_text(box->arena, "%s, line %u", from->file, from->line)
			  : from->file;
}

void why_fix(struct why *why, const char *purpose, const char *option, const char *word,
	     const char *value)
{
	out_text(&why->text, "  %s %s %s\n", purpose, option, word);
	if (why->fix_count < WHY_FIXES_MAX)
		why->fixes[why->fix_count++] = (struct why_fix){ option, value };
}

void why_print(struct out *out, struct why *why)
{
	if (!out->json) {
		out_bytes(out, why->text.text, why->text.used);
		return;
	}
	answer_open(out, NULL, '{');
	answer_members(out, MEMBER("asked", why->asked), MEMBER("kind", why->kind),
		       MEMBER("verdict", why->verdict), MEMBER("rule", why->line));
	answer_open(out, "text", '[');
	for (char *line = strtok(why->text.text, "\n"); line; line = strtok(NULL, "\n"))
		json_string(out, NULL, line);
	answer_close(out, ']');
	answer_open(out, "fixes", '[');
	for (unsigned i = 0; i < why->fix_count; i++)
		answer_one(out, MEMBER("option", why->fixes[i].option),
			   MEMBER("value", why->fixes[i].value));
	answer_close(out, ']');
	answer_close(out, '}');
}
