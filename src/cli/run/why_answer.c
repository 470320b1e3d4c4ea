// Owns the form of an answer of sbx why.
#include "cli/run/why_answer.h"

#include <string.h>

#include "base/arena.h"
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
	out_bytes(out, why->text.text, why->text.used);
}

void why_print_json(struct out *out, struct why *why)
{
	json_open(out, NULL, '{');
	json_string(out, "asked", why->asked);
	json_string(out, "kind", why->kind);
	json_string(out, "verdict", why->verdict);
	if (why->line)
		json_string(out, "rule", why->line);
	json_open(out, "text", '[');
	for (char *line = strtok(why->text.text, "\n"); line; line = strtok(NULL, "\n"))
		json_string(out, NULL, line);
	json_close(out, ']');
	json_open(out, "fixes", '[');
	for (unsigned i = 0; i < why->fix_count; i++) {
		json_open(out, NULL, '{');
		json_string(out, "option", why->fixes[i].option);
		json_string(out, "value", why->fixes[i].value);
		json_close(out, '}');
	}
	json_close(out, ']');
	json_close(out, '}');
}
