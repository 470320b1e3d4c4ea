// sbx allow and sbx deny: tells a run of the caller's one more rule.
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "run/run_command.h"
#include "cli/boxes.h"
#include "cli/verbs.h"
#include "net/host/control_socket.h"
#include "text/destination.h"

static int tell(char **words, const char *verb)
{
	struct boxes boxes;
	struct destination destination;
	if (words[0] && (str_equal(words[0], "--help") || str_equal(words[0], "-h")))
		return fail(ERR_HELP, "all");
	if (!words[0] || !words[1])
		return fail(0, "usage: sbx %s RUN HOST...; to list the runs: sbx ps", verb);
	for (char **word = words + 1; *word; word++)
		if (!destination_parse(*word, &destination) ||
		    (destination.suffix && !str_equal(verb, "allow")))
			return fail(0,
				    "'%.80s' is not a destination; expected name[:port,...], "
				    "*.domain, address or network/prefix",
				    str_shown(*word));
	struct arena *arena = arena_new_own(BOXES_BYTES);
	TRY(boxes_list(arena, &boxes));
	const struct live_box *box = boxes_find(&boxes, words[0]);
	if (!box)
		return -1;
	if (box->entry.network != ROLL_PROXY)
		return fail(0, "run %s has no network of mode proxy: it is fixed", box->id);
	autoclose int roll = boxes_roll(arena);
	for (char **word = words + 1; *word; word++)
		TRY(control_socket_tell(roll, box->name, box->run, verb, *word));
	return 0;
}

int verb_allow(char **words)
{
	int result = tell(words, "allow");
	return result < 0 ? box_failed() : result;
}

int verb_deny(char **words)
{
	int result = tell(words, "deny");
	return result < 0 ? box_failed() : result;
}
