// Owns the text of a question, without control characters of a box.
#include "ask/ask.h"

#include <string.h>

#include "base/base.h"
#include "net/host/destinations.h"

void question_text(const struct host_question *const *all, unsigned count, const char *letters,
		   unsigned seconds, struct out *out)
{
	out_text(out, "\n");
	if (count > 1)
		out_text(out, "sbx: the box wants %u hosts, one answer for all:\n", count);
	for (unsigned i = 0; i < count; i++) {
		char where[HOST_PORT_TEXT_MAX], claim[OWNER_NAME];
		host_port_text(&all[i]->host, all[i]->port, where);
		reply_claim(all[i]->program, claim, sizeof(claim));
		if (count == 1)
			out_text(out, "sbx: '%s', as the box names it, wants ", claim);
		else
			out_text(out, "  ");
		out_visible(out, where, strlen(where));
		if (count > 1)
			out_text(out, " ('%s')", claim);
		out_text(out, "\n");
	}
	out_text(out, "sbx: [o]nce, [r]un, %s[n]o; a letter and Enter (no in %u s): ",
		 strchr(letters, 'p') ? "[p]roject (its runs with --ask), " : "", seconds);
}
