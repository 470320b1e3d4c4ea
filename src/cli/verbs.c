// Owns the list of verbs: also read by the generator of man page and completions.
#include "cli/verbs.h"

#include <stddef.h>

const struct verb_row verb_rows[] = {
	[ROW_RUN] = { "run", "run [OPTION]... [--] COMMAND [ARGUMENT]...",
		      "run a command in a box; with -c STRING, your shell with that string", NULL,
		      NULL },
	[ROW_SHELL] = { "shell", "shell [OPTION]...", "your shell in a box, to look around", NULL,
			NULL },
	[ROW_PLAN] = { "plan", "plan [OPTION]... [--] [COMMAND [ARGUMENT]...]",
		       "print what run would do, and do nothing", NULL, NULL },
	[ROW_PROFILE] = { "profile",
			  "profile list|groups|names|keys|show NAME|check FILE|status|[un]trust",
			  "look at profiles, groups of hosts and names that are protected; trust "
			  "the project's own, .sbx.ini",
			  "list groups names show check keys status trust untrust", NULL },
	[ROW_DOCTOR] = { "doctor", "doctor [--json]",
			 "what this machine can enforce, what is missing and how to mend it", NULL,
			 NULL },
	[ROW_QUARANTINE] = { "quarantine", "quarantine list | show ID | restore ID | rm ID",
			     "what appeared under names that your own programs trust, and was "
			     "moved away",
			     "list show restore rm", NULL },
	[ROW_LOG] = { "log", "log [--json] [--runs] [RUN]",
		      "connections that boxes made or were refused; --runs: the runs that can be "
		      "told more",
		      NULL, NULL },
	[ROW_ALLOW] = { "allow", "allow RUN HOST...",
			"let a run that lasts reach one more destination", NULL, NULL },
	[ROW_DENY] = { "deny", "deny RUN HOST...", "and one less, at once", NULL, NULL },
	[ROW_SESSION] = { "session", "session ACTION [NAME] [OPTION]...",
			  "boxes that last: create, list, show, snapshot, log, restore, fork, "
			  "diff, apply, "
			  "discard, cp, pause, resume, budget, export, import, rm, gc",
			  "create list show snapshot log restore fork diff apply discard cp pause "
			  "resume budget "
			  "export import rm gc",
			  "session list" },
	[ROW_AGENT] = { "agent", "agent install|remove|status|list [AGENT] [OPTION]...",
			"coding agents: put each shell command of theirs in a box by one change of "
			"their "
			"settings, take it back, "
			"see that it works",
			"install remove status list", "agent list" },
	[ROW_WHY] = { "why", "why [OPTION]... PATH|HOST[:PORT]|$VARIABLE...",
		      "whether a run with these options could use it, which line decides, and what "
		      "would allow "
		      "it",
		      NULL, NULL },
	[ROW_LEARN] = { "learn", "learn [-o FILE] [OPTION]... [--] COMMAND [ARGUMENT]...",
			"run a command in a box, and propose the profile that it lacked", NULL,
			NULL },
	[ROW_CODE] = { "code", "code [-l LANGUAGE] [OPTION]... [FILE|-|-c STRING [ARGUMENT]...]",
		       "run a snippet by the interpreter or compiler of its language, in a box; "
		       "without code, "
		       "an interpreter that "
		       "keeps its state",
		       NULL, NULL },
};
const unsigned verb_row_count = sizeof(verb_rows) / sizeof(*verb_rows);
