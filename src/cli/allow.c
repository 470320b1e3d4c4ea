// sbx allow, sbx deny and sbx publish: change the network of a live run of the caller's.
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "run/run_command.h"
#include "cli/boxes.h"
#include "cli/verbs.h"
#include "net/host/control_socket.h"
#include "net/host/publish.h"
#include "plan.h"
#include "text/destination.h"

static const struct live_box *find(struct arena *arena, const char *word)
{
	struct boxes boxes;
	if (boxes_list(arena, &boxes) < 0)
		return NULL;
	const struct live_box *box = boxes_find(&boxes, word);
	if (box && box->entry.network == ROLL_PROXY)
		return box;
	if (box)
		fail(0, "run %s has no network of mode proxy: it is fixed", box->id);
	return NULL;
}

static int tell(char **words, const char *verb)
{
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
	const struct live_box *box = find(arena, words[0]);
	if (!box)
		return -1;
	autoclose int roll = boxes_roll(arena);
	for (char **word = words + 1; *word; word++)
		TRY(control_socket_tell(roll, box->name, box->run, verb, *word));
	return 0;
}

static int publish_one(int roll, const struct live_box *box, const char *word, bool off)
{
	struct publish port;
	int sockets[2] = { -1, -1 };
	if (!destination_publish(word, &port.inside, &port.outside))
		return fail(
			0,
			"'%.80s' is not a port; expected PORT, PORT:HOST-PORT or PORT:auto, each "
			"from 1 to 65535",
			str_shown(word));
	if (!off)
		TRY(publish_open(&port, &sockets[0], &sockets[1]));
	int result = control_socket_publish(roll, box->name, box->run, &port, sockets);
	fd_close(&sockets[0]);
	fd_close(&sockets[1]);
	return result;
}

static int publish(char **words)
{
	if (words[0] && (str_equal(words[0], "--help") || str_equal(words[0], "-h")))
		return fail(ERR_HELP, "all");
	bool off = words[0] && str_equal(words[0], "--off");
	words += off;
	if (!words[0] || !words[1])
		return fail(0, "usage: sbx publish [--off] RUN PORT[:HOST-PORT|:auto]...; to list "
			       "the runs: sbx ps");
	struct arena *arena = arena_new_own(BOXES_BYTES);
	const struct live_box *box = find(arena, words[0]);
	if (!box)
		return -1;
	autoclose int roll = boxes_roll(arena);
	for (char **word = words + 1; *word; word++)
		TRY(publish_one(roll, box, *word, off));
	return 0;
}

int verb_publish(char **words)
{
	int result = publish(words);
	return result < 0 ? box_failed() : result;
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
