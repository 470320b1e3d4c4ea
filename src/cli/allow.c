// sbx allow, sbx deny and sbx publish: change the network of one of the caller's live runs.
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "run/run_command.h"
#include "cli/boxes.h"
#include "cli/verbs.h"
#include "net/host/control_socket.h"
#include "net/host/proxy.h"
#include "net/setup/netns.h"
#include "plan.h"
#include "policy/find.h"
#include "run/steps.h"
#include "text/destination.h"

extern char **environ;

// A change of a live run. One wrong word prevents all.
struct live_change {
	const char *verb, *words, *wrong;
	bool (*is_good)(const struct live_change *change, const char *word);
	int (*make)(const struct live_change *change, int record, const struct live_box *box,
		    const char *word);
};

static int change(const struct live_change *change, char **words)
{
	struct held_box held;
	if (words[0] && (str_equal(words[0], "--help") || str_equal(words[0], "-h")))
		return fail(ERR_HELP, "all");
	if (!words[0] || !words[1])
		return fail(0, "usage: sbx %s %s; to list the runs: sbx ps", change->verb,
			    change->words);
	for (char **word = words + 1; *word; word++)
		if (!change->is_good(change, *word))
			return err_is_recorded()
				       ? -1
				       : fail(0, "'%.80s' %s", str_shown(*word), change->wrong);
	struct arena *arena = arena_new_of(BOXES_BYTES);
	const struct live_box *box = boxes_live(arena, words[0], &held);
	if (!box)
		return -1;
	if (box->entry.network != RECORD_PROXY)
		return fail(0, "run %s has no network of mode proxy: it is fixed", box->id);
	for (char **word = words + 1; *word; word++)
		TRY(change->make(change, held.record.directory, box, *word));
	return 0;
}

static int made(const struct live_change *wanted, char **words)
{
	int result = change(wanted, words);
	return result < 0 ? box_failed() : result;
}

static bool is_rule(const struct live_change *change, const char *word)
{
	struct destination destination;
	bool allows = str_equal(change->verb, "allow");
	if (word[0] == '@')
		return groups_has(word);
	return destination_parse(word, &destination) && (!destination.suffix || allows) &&
	       (!allows || egress_refuse_own("", word, &destination) == 0);
}

static int tell(const struct live_change *change, int record, const struct live_box *box,
		const char *word)
{
	struct arena *arena = arena_new();
	struct list hosts = { 0 }, reasons = { 0 };
	const struct item group = { .text = word };
	if (word[0] != '@')
		return control_socket_tell(record, box->run, change->verb, word);
	TRY(groups_add(arena, decide_home(arena, environ), box->entry.project, NULL, &group, &hosts,
		       &reasons));
	list_each (reason, &reasons)
		if (str_equal(change->verb, "allow") && groups_decides(word) &&
		    str_starts(reason->text, GROUPS_OF_MACHINE))
			return fail(0,
				    "'%s' sets the hosts of %s; allow them by name: sbx allow %d "
				    "HOST",
				    reason->text + strlen(GROUPS_OF_MACHINE), word, (int)box->run);
	list_each (item, &hosts)
		TRY(control_socket_tell(record, box->run, change->verb, item->text));
	return 0;
}

static const struct live_change rule = {
	.words = "RUN HOST...",
	.wrong = "is not a destination; expected name[:port,...], *.domain, address, "
		 "network/prefix or @GROUP",
	.is_good = is_rule,
	.make = tell,
};

int verb_allow(char **words)
{
	struct live_change wanted = rule;
	wanted.verb = "allow";
	return made(&wanted, words);
}

int verb_deny(char **words)
{
	struct live_change wanted = rule;
	wanted.verb = "deny";
	return made(&wanted, words);
}

static bool is_port(const struct live_change *change, const char *word)
{
	uint16_t inside, outside;
	(void)change;
	return destination_publish(word, &inside, &outside);
}

static int publish(const struct live_change *change, int record, const struct live_box *box,
		   const char *word)
{
	struct publish port;
	char flag[64];
	int sockets[2] = { -1, -1 };
	bool opens = str_equal(change->verb, "publish");
	const struct record_ports *ports = &box->entry.ports;
	destination_publish(word, &port.inside, &port.outside);
	for (unsigned i = 0; opens && i < ports->count; i++)
		if (ports->all[i].inside == port.inside &&
		    (!port.outside || ports->all[i].outside == port.outside))
			return publish_say(port.inside, ports->all[i].outside), 0;
	snprintf(flag, sizeof(flag), "sbx publish %.40s ", box->id);
	if (opens)
		TRY(publish_open(&port, flag, &sockets[0], &sockets[1]));
	int result = control_socket_publish(record, box->run, &port, sockets);
	fd_close(&sockets[0]);
	fd_close(&sockets[1]);
	return result;
}

int verb_publish(char **words)
{
	bool off = words[0] && str_equal(words[0], "--off");
	const struct live_change wanted = {
		.verb = off ? "publish --off" : "publish",
		.words = off ? "RUN PORT..." : "RUN PORT[:HOST-PORT|:auto]...",
		.wrong = "is not a port; expected PORT, PORT:HOST-PORT or PORT:auto, each from 1 "
			 "to 65535",
		.is_good = is_port,
		.make = publish,
	};
	return made(&wanted, words + off);
}
