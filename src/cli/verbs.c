// Owns the list of verbs: also read by the generator of man page and completions.
#include "cli/verbs.h"

#include <stddef.h>

const struct verb_row verb_rows[] = {
	{ "run", verb_run, "run [OPTION]... [--] COMMAND [ARGUMENT]...",
	  "run a command in a box; with -c STRING, your shell with that string", NULL, NULL },
	{ "shell", verb_shell, "shell [OPTION]...", "your shell in a box, to look around", NULL,
	  NULL },
	{ "plan", verb_plan, "plan [OPTION]... [--] [COMMAND [ARGUMENT]...]",
	  "print what run would do, and do nothing", NULL, NULL },
	{ "profile", verb_profile,
	  "profile list|groups|show NAME|check FILE|keys|status|trust|untrust",
	  "look at profiles and groups of hosts; trust the project's own, .sbx.ini",
	  "list groups show check keys status trust untrust", NULL },
	{ "doctor", verb_doctor, "doctor [--json]",
	  "what this machine can enforce, what is missing and how to mend it", NULL, NULL },
	{ "quarantine", verb_quarantine, "quarantine list | show ID | restore ID | rm ID",
	  "what appeared under names that your own programs trust, and was moved away",
	  "list show restore rm", NULL },
	{ "log", verb_log, "log [--json] [--runs] [RUN]",
	  "connections that boxes made or were refused; --runs: the runs that can be told more",
	  NULL, NULL },
	{ "allow", verb_allow, "allow RUN HOST...",
	  "let a run that lasts reach one more destination", NULL, NULL },
	{ "deny", verb_deny, "deny RUN HOST...", "and one less, at once", NULL, NULL },
	{ "session", verb_session, "session ACTION [NAME] [OPTION]...",
	  "boxes that last: create, list, show, snapshot, log, restore, fork, diff, apply, "
	  "discard, cp, pause, resume, budget, export, import, rm, gc",
	  "create list show snapshot log restore fork diff apply discard cp pause resume budget "
	  "export import rm gc",
	  "session list" },
	{ "agent", verb_agent, "agent install|remove|status|list [AGENT] [OPTION]...",
	  "coding agents: put each shell command of theirs in a box by one change of their "
	  "settings, take it back, "
	  "see that it works",
	  "install remove status list", "agent list" },
	{ "why", verb_why, "why [OPTION]... PATH|HOST[:PORT]|$VARIABLE...",
	  "whether a run with these options could use it, which line decides, and what would allow "
	  "it",
	  NULL, NULL },
	{ "learn", verb_learn, "learn [-o FILE] [OPTION]... [--] COMMAND [ARGUMENT]...",
	  "run a command in a box, and propose the profile that it lacked", NULL, NULL },
	{ "code", verb_code, "code [-l LANGUAGE] [OPTION]... [FILE|-|-c STRING [ARGUMENT]...]",
	  "run a snippet by the interpreter or compiler of its language, in a box; without code, "
	  "an interpreter that "
	  "keeps its state",
	  NULL, NULL },
};
const unsigned verb_row_count = sizeof(verb_rows) / sizeof(*verb_rows);
