// Owns what a client of sbx exec says of denials.
#include "cli/live/heard.h"

#include <termios.h>
#include <unistd.h>

#include "base/base.h"
#include "report/summary.h"

static void say(struct heard *heard, bool raw, struct out *out)
{
	for (; heard->said < heard->denials.count; heard->said++) {
		struct denial *denial = &heard->denials.all[heard->said];
		if (denial->on_failure)
			continue;
		out_text(out, raw && out->used == 0 ? "\r\n" : "");
		denied_line(denial, out);
		out_text(out, raw ? "\r" : "");
		denial->shown = denial->count;
	}
	out_flush(out, STDERR_FILENO);
}

void heard_take(struct heard *heard, const struct further_denied *denied, bool quiet, int master)
{
	struct out out = { 0 };
	struct termios modes;
	bool drawn = master >= 0 && (tcgetattr(master, &modes) < 0 || !(modes.c_lflag & ICANON));
	heard->denials.lost += denied->lost;
	denials_take(&heard->denials, &denied->denial);
	if (!quiet && !drawn)
		say(heard, master >= 0, &out);
}

void heard_end(struct heard *heard, bool quiet, bool succeeded)
{
	struct out out = { 0 };
	if (succeeded)
		denials_silence(&heard->denials);
	if (!quiet)
		denied_text(NULL, &heard->denials, READER_PERSON, &out);
	out_flush(&out, STDERR_FILENO);
}
