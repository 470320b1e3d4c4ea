// Owns the list of verbs. The generator of the man page reads it, too.
#include "cli/verbs.h"

// clang-format off
const struct verb_row verb_rows[] = {
	[ROW_RUN] = { .name = "run", .synopsis = "run [OPTION]... [--] COMMAND [ARGUMENT]...",
	  .help = "run a command in a box; with -c STRING, your shell with that string",
	  .examples = "  sbx run -- make test\n"
		"  sbx run -p node -- npm install          hosts and caches of npm\n"
		"  sbx run -a github.com -- git fetch      one more host\n"
		"  sbx run -m 2G --timeout 5m -- ./build   limits\n"
		"  sbx run --review -- ./codemod           see the changes, then apply\n" },
	[ROW_SHELL] = { .name = "shell", .synopsis = "shell [OPTION]...", .help = "your shell in a box" },
	[ROW_PLAN] = { .name = "plan", .synopsis = "plan [OPTION]... [--] [COMMAND [ARGUMENT]...]", .help = "print what run would do, and do nothing" },
	[ROW_PROFILE] = { .name = "profile", .synopsis = "profile list|show|check|groups|names|status|[un]trust|...",
	  .help = "show and check profiles, groups of hosts and protected names; trust the project's .sbx.ini and parts of its repository; forget answers of --ask",
	  .actions = "list groups names show check add keys status trust untrust forget" },
	[ROW_DOCTOR] = { .name = "doctor", .synopsis = "doctor [--json]", .help = "what this machine can enforce, what is missing and how to fix it" },
	[ROW_QUARANTINE] = { .name = "quarantine", .synopsis = "quarantine list [--json] [--project DIR] | show|restore|rm ID|PATH...",
	  .help = "files that appeared under names that your own programs trust, and were moved to quarantine", .actions = "list show restore rm" },
	[ROW_AUDIT] = { .name = "audit", .synopsis = "audit [OPTION]... [RUN] | audit --changed",
	  .help = "connections of boxes, allowed and denied; --run: all that a run's report had to say; --changed: what boxes changed here",
	  .examples = "  sbx audit --since 1h --project . --denied\n"
		"  sbx audit --run 1234\n"
		"  sbx audit --host '*.npmjs.org:443'\n" },
	[ROW_ALLOW] = { .name = "allow", .synopsis = "allow RUN HOST...", .help = "let a running box reach one more destination" },
	[ROW_DENY] = { .name = "deny", .synopsis = "deny RUN HOST...", .help = "take a destination away from a running box, at once" },
	[ROW_PUBLISH] = { .name = "publish", .synopsis = "publish [--off] RUN PORT[:HOST-PORT|:auto]...",
	  .help = "show a port of a running box on the host's localhost; --off: no more",
	  .examples = "  sbx publish 1234 3000\n"
		"  sbx publish 1234 3000:auto\n" },
	[ROW_SESSION] = { .name = "session", .synopsis = "session ACTION [NAME] [OPTION]...",
	  .help = "persistent boxes: create, list, show, snapshot, log, restore, fork, diff, apply, discard, pause, resume, rm, gc",
	  .actions = "create list show snapshot log restore fork diff apply discard pause resume rm gc" },
	[ROW_AGENT] = { .name = "agent", .synopsis = "agent install|remove|status|list [AGENT] [OPTION]...",
	  .help = "put the shell commands of a coding agent in a box by its settings: install, remove, check", .actions = "install remove status list" },
	[ROW_WHY] = { .name = "why", .synopsis = "why [OPTION]... [PATH|HOST|@GROUP|$VARIABLE|CALL|'ERROR TEXT']...",
	  .help = "say if a run with these options can use it, by which line, and which flag would allow it; for an error text, how to fix it; without a word, what the project's last run was refused" },
	[ROW_LEARN] = { .name = "learn", .synopsis = "learn [-o FILE] [OPTION]... [--] COMMAND [ARGUMENT]...",
	  .help = "run a command in a box, and propose the profile that it needs" },
	[ROW_CODE] = { .name = "code", .synopsis = "code [-l LANGUAGE] [OPTION]... [FILE|-|-c STRING [ARGUMENT]...]",
	  .help = "run a snippet by the interpreter or compiler of its language, in a box; without code, an interpreter with its state" },
	[ROW_CACHE] = { .name = "cache", .synopsis = "cache list [--json] | clear PROJECT... | clear --all",
	  .help = "what the boxes of each project keep between runs: how much it is; remove it", .actions = "list clear" },
	[ROW_PS] = { .name = "ps", .synopsis = "ps [--all] [--filter KEY=VALUE]... [--json]",
	  .help = "the live runs of yours: id, age, session, project, memory, processor time, denials, ports, command",
	  .examples = "  sbx ps -a                         also those that have ended, with their status\n"
		"  sbx ps -f status=signal -f project=.\n" },
	[ROW_STOP] = { .name = "stop", .synopsis = "stop [--time TIME] ID... | stop --all",
	  .help = "end runs: SIGTERM to the command, and SIGKILL to its box after a time",
	  .examples = "  sbx stop 1234\n"
		"  sbx stop --time 1m 1234    more time to end by itself\n"
		"  sbx stop --all             every live run of yours\n" },
	[ROW_KILL] = { .name = "kill", .synopsis = "kill ID... | kill --all", .help = "end runs at once: SIGKILL to every process of their boxes" },
	[ROW_WAIT] = { .name = "wait", .synopsis = "wait [--json] ID", .help = "wait until a run has ended, and return its exit status" },
	[ROW_LOGS] = { .name = "logs", .synopsis = "logs [-f] [-n N] [--since TIME] [--raw] [--offset N] [--json] ID",
	  .help = "what a run with --detach has printed, also after its end",
	  .examples = "  sbx run -d -- npm start     prints an id\n"
		"  sbx logs -f 1234            all of it, until the run ends\n"
		"  sbx logs -n 20 -f 1234      the last 20 lines, and what comes\n"
		"  sbx logs --since 10m 1234\n" },
	[ROW_EXEC] = { .name = "exec", .synopsis = "exec [OPTION]... ID [--] COMMAND [ARGUMENT]...",
	  .help = "run one more command in a box that lives: its processes, network, mounts, limits",
	  .examples = "  sbx run -d -- npm start           prints an id\n"
		"  sbx exec 1234 -- curl localhost:3000\n"
		"  sbx exec -t 1234 bash             with a terminal of the box\n" },
	[ROW_ATTACH] = { .name = "attach", .synopsis = "attach ID",
	  .help = "connect your terminal with that of a run with --detach --tty; ^P^Q detaches",
	  .examples = "  sbx run -d -t -- bash       prints an id\n"
		"  sbx attach 1234             ^P^Q leaves it; sbx logs has its output\n" },
	[ROW_MCP] = { .name = "mcp", .synopsis = "mcp wrap [OPTION]... [--] SERVER [ARGUMENT]... | mcp serve -s NAME [OPTION]...",
	  .help = "wrap: run a server of the Model Context Protocol in a box; serve: be one, with tools that work in boxes of one session", .actions = "wrap serve" },
	[ROW_BACKEND] = { .name = "backend", .synopsis = "backend [NAME]",
	  .help = "print an adapter by which a framework for agents runs its commands in boxes; without a name, list them" },
};

const char *const session_usages[SESSION_ACTIONS] = {
	"create [--as-root] [--from SESSION[@SNAPSHOT]] NAME", "list [--json]", "show [--json] NAME", "snapshot NAME [SNAPSHOT]", "log [--json] NAME",
	"restore NAME SNAPSHOT", "fork NAME[@SNAPSHOT] NEW-NAME", "diff [--stat|--json] NAME [PATH]...", "apply [--force] NAME [PATH]...", "pause NAME",
	"resume NAME", "discard NAME", "rm NAME[@SNAPSHOT]", "gc",
};
// clang-format on
