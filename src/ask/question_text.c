// Owns what a person reads before an answer. The hosts came from a worker; of a program's
// name letters, digits and a few signs are left.
#include "ask/ask.h"

#include <string.h>

#include "base/base.h"
#include "net/host/questions.h"

// Whatever the box wrote last: ends its escape sequence (CAN, ST), its colours and palette, its
// character set and its scrolling region, which stay else and could hide the question.
static const char reset[] = "\030\033\\\017\033(B\033[0m\033[4l\033[?7h\033[?25h"
			    "\033]104\033\\\033]110\033\\\033]111\033\\\0337\033[r\0338";

static void add_host(struct out *out, const struct host_question *question)
{
	char where[WHERE_TEXT_MAX];
	questions_where(question, where);
	out_visible(out, where, strlen(where));
}

static void add_claim(struct out *out, const struct host_question *question)
{
	char claim[OWNER_NAME];
	answer_claim(question->program, claim, sizeof(claim));
	out_text(out, "'%s'", claim);
}

void question_text(const struct host_question *const *all, unsigned count, const char *letters,
		   unsigned seconds, bool resets, struct out *out)
{
	if (resets)
		out_bytes(out, reset, sizeof(reset) - 1);
	out_text(out, "\n");
	if (count == 1) {
		out_text(out, "sbx: ");
		add_claim(out, all[0]);
		out_text(out, ", as the box names it, wants ");
		add_host(out, all[0]);
		out_text(out, "\n");
	} else {
		out_text(out, "sbx: the box wants %u hosts, one answer for all:\n", count);
	}
	for (unsigned i = 0; count > 1 && i < count; i++) {
		out_text(out, "  ");
		add_host(out, all[i]);
		out_text(out, " (");
		add_claim(out, all[i]);
		out_text(out, ")\n");
	}
	out_text(out, "sbx: [o]nce, [r]un, %s[n]o; a letter and Enter (no in %u s): ",
		 strchr(letters, 'p') ? "[p]roject, " : "", seconds);
}
