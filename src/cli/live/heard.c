// Owns what a client of sbx exec says of denials.
#include "cli/live/heard.h"

#include <termios.h>
#include <unistd.h>

#include "base/base.h"
#include "report/summary.h"

static void say(struct heard *heard, bool raw, struct out *out)
{
	if (raw && heard->said < heard->denials.count)
		out_text(out, "\r\n");
	for (; heard->said < heard->denials.count; heard->said++) {
		denied_line(&heard->denials.all[heard->said], out);
		if (raw)
			out_text(out, "\r");
	}
	out_flush(out, STDERR_FILENO);
}

void heard_take(struct heard *heard, const struct further_denied *denied, bool quiet, int master)
{
	struct out out = { 0 };
	struct termios modes;
	bool drawn = master >= 0 && (tcgetattr(master, &modes) < 0 || !(modes.c_lflag & ICANON));
	heard->denials.lost += denied->lost;
	denials_unpack(&heard->denials, &denied->denial);
	if (!quiet && !drawn)
		say(heard, master >= 0, &out);
}

void heard_end(struct heard *heard, bool quiet)
{
	struct out out = { 0 };
	if (quiet)
		return;
	if (heard->denials.lost)
		out_text(&out, "sbx: %llu more refusals are not listed singly\n",
			 (unsigned long long)heard->denials.lost);
	say(heard, false, &out);
}
