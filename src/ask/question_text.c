// Owns what a person reads before an answer. The hosts came from a worker; of a program's
// name letters, digits and a few signs are left.
#include "ask/ask.h"

#include <string.h>

#include "base/base.h"
#include "net/host/questions.h"

static void add_host(struct out *out, const struct host_question *question)
{
	char where[HOST_PORT_TEXT_MAX];
	host_port_text(&question->host, question->port, where);
	out_visible(out, where, strlen(where));
}

static void add_claim(struct out *out, const struct host_question *question)
{
	char claim[OWNER_NAME];
	answer_claim(question->program, claim, sizeof(claim));
	out_text(out, "'%s'", claim);
}

void question_text(const struct host_question *const *all, unsigned count, const char *letters,
		   unsigned seconds, struct out *out)
{
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
		 strchr(letters, 'p') ? "[p]roject (its runs with --ask), " : "", seconds);
}
