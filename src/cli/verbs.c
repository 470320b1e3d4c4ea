// Owns the list of verbs: also read by the generator of man page and completions.
#include "cli/verbs.h"

const struct verb_row verb_rows[] = {
	{ "run", verb_run, "run [OPTION]... [--] COMMAND [ARGUMENT]...",
	  "run a command in a box; with -c STRING, your shell with that string" },
	{ "shell", verb_shell, "shell [OPTION]...", "your shell in a box, to look around" },
	{ "plan", verb_plan, "plan [OPTION]... [--] [COMMAND [ARGUMENT]...]",
	  "print what run would do, and do nothing" },
	{ "profile", verb_profile, "profile list | show [--resolved] NAME | check FILE | keys",
	  "look at profiles" },
	{ "doctor", verb_doctor, "doctor [--json]",
	  "what this machine can enforce, what is missing and how to mend it" },
};
const unsigned verb_row_count = sizeof(verb_rows) / sizeof(*verb_rows);
