// sbx allow and sbx deny: tells a run of the caller's one more rule.
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "net/host/control_socket.h"
#include "text/destination.h"

static int tell(char **words, const char *verb)
{
	unsigned long long run;
	struct destination destination;
	if (words[0] && (str_equal(words[0], "--help") || str_equal(words[0], "-h")))
		return fail(ERR_HELP, "all");
	if (!words[0] || !words[1])
		return fail(0, "usage: sbx %s RUN HOST...; to list the runs: sbx audit --runs",
			    verb);
	if (!str_number(words[0], strlen(words[0]), 1, 1 << 30, &run))
		return fail(0, "'%.40s' is not a run; to list the runs: sbx audit --runs",
			    str_shown(words[0]));
	for (char **word = words + 1; *word; word++)
		if (!destination_parse(*word, &destination) ||
		    (destination.suffix && !str_equal(verb, "allow")))
			return fail(0,
				    "'%.80s' is not a destination; expected name[:port,...], "
				    "*.domain, address or network/prefix",
				    str_shown(*word));
	for (char **word = words + 1; *word; word++)
		TRY(control_socket_tell((pid_t)run, verb, *word));
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
