// Owns the table of keys.
#include "policy/keys.h"

#include "profile.h"

const char *const project_words[] = { "write", "read", "none", NULL };
static const char *const check_words[] = { "share", "all", NULL };
static const char *const tier_words[] = { "namespaces", "landlock", NULL };
static const char *const asked_words[] = { "auto", "namespaces", "landlock", NULL };
const char *const network_words[] = { "none", "proxy", "host", NULL };
static const char *const dns_words[] = { "strict", "fail", "refuse", NULL };
static const char *const ech_words[] = { "refuse", "pass", NULL };
static const char *const answer_words[] = { "no", "yes", NULL };
static const char *const report_words[] = { "never", "short", "full", "json", "agent", NULL };
static const char *const language_words[] = { "bash", "python", "node", "perl", "awk",
					      "c",    "c++",    "go",   "rust", "java",
					      "ruby", "php",    "lua",  "tcl",  NULL };
static const char *const filter_words[] = { "status=", "session=", "project=", "command=", NULL };
static const char *const environment_words[] = { "filtered", "minimal", NULL };

#define IN_PROFILE(section_, name_, field)                                                         \
	.section = section_, .name = name_, .offset = offsetof(struct profile, field),             \
	.verbs = VERBS_BOX
#define ON_COMMAND_LINE(verbs_, field) .verbs = verbs_, .offset = offsetof(struct invocation, field)
#define KIBI                           1024ULL

// clang-format off
const struct section sections[] = {
	{ "profile", "name of this profile, and what it is based on" },
	{ "files", "files that exist in the box; a file that no line names does not exist" },
	{ "network", "hosts that the box can reach" },
	{ "secret", "[secret NAME]: a key that stays outside; the box has a placeholder" },
	{ "limits", "limits at which a run is stopped" },
	{ "syscalls", "system calls that the box may use" },
	{ "environment", "variables that the command gets" },
	{ "process", "the command itself" },
	{ "report", "what the report at the end holds" },
};
const unsigned section_count = sizeof(sections) / sizeof(*sections);

const struct key keys[] = {
	{ IN_PROFILE("profile", "description", description), .kind = KEY_TEXT, .value = "TEXT",
	  .tightens = TIGHTENS_ALWAYS, .help = "purpose of the profile, in one line" },
	{ IN_PROFILE("profile", "extends", extends), .kind = KEY_LIST, .form = FORM_PROFILE,
	  .value = "PROFILE", .help = "read this profile first" },

	{ IN_PROFILE("profile", "min-isolation", minimum), .flag = "min-isolation", .kind = KEY_WORD,
	  .words = tier_words, .value = "namespaces|landlock", .tightens = TIGHTENS_LESS,
	  .help = "namespaces: refuse to run without them; landlock: then run with less, and report it" },

	{ IN_PROFILE("files", "project", project), .flag = "project", .kind = KEY_WORD,
	  .words = project_words, .value = "write|read|none",
	  .tightens = TIGHTENS_MORE,
	  .help = "the git toplevel of the current directory; or that directory itself" },
	{ IN_PROFILE("files", "check", check), .flag = "check", .kind = KEY_WORD,
	  .words = check_words, .value = "share|all", .tightens = TIGHTENS_MORE,
	  .help = "after a run, check directories with tracked files; or all of the project" },
	{ IN_PROFILE("files", "read", read), .flag = "read",
	  .brief = "make PATH readable", .letter = 'r', .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH", .help = "visible, not writable" },
	{ IN_PROFILE("files", "write", write), .flag = "write",
	  .brief = "make PATH writable; the project is so already", .letter = 'w', .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH", .help = "visible and writable" },
	{ IN_PROFILE("files", "cache", cache), .flag = "cache", .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH",
	  .help = "writable, and persistent for runs in this project; separate from the host's own" },
	{ IN_PROFILE("files", "tmpfs", tmpfs), .flag = "tmpfs", .kind = KEY_LIST,
	  .form = FORM_TMPFS, .value = "PATH[:size=SIZE,mode=MODE]",
	  .help = "empty, writable, discarded at the end; size: at most so many bytes, and never more than tmp-size; mode: in octal" },
	{ IN_PROFILE("files", "overlay", scratch), .flag = "overlay", .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH",
	  .help = "shows the directory; writes are discarded at the end" },
	{ IN_PROFILE("files", "hide", hide), .flag = "hide",
	  .kind = KEY_LIST, .form = FORM_HIDDEN,
	  .value = "PATH",
	  .tightens = TIGHTENS_ALWAYS,
	  .help = "never readable, even if another line shows it; in the project also a pattern: "
		  "**/.env* or ./dir/*.pem" },

	{ IN_PROFILE("files", "hide-untracked", hide_untracked), .flag = "hide-untracked", .kind = KEY_LIST,
	  .form = FORM_NAME, .value = "NAME", .tightens = TIGHTENS_ALWAYS,
	  .help = "hides files that git's index does not list; those of the project with this name ('*': any "
		  "characters) unless it lists them with the same content; at the top and three directories below "
		  "it, and where runs met them since. A later line or flag that names the file "
		  "shows it" },
	{ IN_PROFILE("files", "hide-unless-named", secret), .flag = "hide-unless-named", .kind = KEY_LIST,
	  .form = FORM_HIDDEN, .value = "PATH", .tightens = TIGHTENS_ALWAYS,
	  .help = "hidden, unless a later line or flag names it; this very path, or one in it; patterns too" },
	{ IN_PROFILE("files", "protect", protect), .flag = "protect", .kind = KEY_LIST,
	  .form = FORM_PATTERN, .value = "PATH",
	  .tightens = TIGHTENS_ALWAYS,
	  .help = "never writable, even if another line allows it; quarantined if created. Does "
		  "not make the path visible. A pattern, as of hide, covers the files that exist "
		  "at the start" },

	{ IN_PROFILE("files", "socket", socket), .flag = "socket", .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH",
	  .help = "a unix socket of the host to connect to; those of docker, podman, containerd "
		  "and X11 never by a project's file" },
	{ IN_PROFILE("files", "device", device), .flag = "device", .kind = KEY_LIST,
	  .form = FORM_DEVICE, .value = "NAME",
	  .help = "a character device of the host: kvm, fuse, dri; or a directory of them; a GPU "
		  "or a serial port never by a project's file" },

	{ IN_PROFILE("network", "mode", network), .flag = "network",
	  .brief = "none: no network; host: all of it", .kind = KEY_WORD,
	  .words = network_words, .value = "none|proxy|host",
	  .tightens = TIGHTENS_LESS,
	  .help = "none: only the box's own loopback; proxy: TCP to hosts that allow names; host: the host's network" },
	{ IN_PROFILE("network", "allow", allow), .flag = "allow",
	  .brief = "allow this host: github.com, @npm", .letter = 'a', .kind = KEY_LIST,
	  .form = FORM_RULE, .value = "HOST",
	  .help = "allow this destination: name[:port,...], *.domain, address, network/prefix, "
		  "@group, or * for every name; in HTTP, TLS or SSH; with /tcp at the end in any "
		  "protocol, with /ech in TLS that hides the server name" },
	{ IN_PROFILE("network", "deny", deny), .flag = "deny", .kind = KEY_LIST,
	  .form = FORM_DESTINATION, .value = "HOST", .tightens = TIGHTENS_ALWAYS,
	  .help = "deny this destination, even if allow names it; an address also when a name leads to it" },
	{ IN_PROFILE("network", "agent-host", agent_host), .flag = "agent-host", .kind = KEY_LIST,
	  .form = FORM_TEXT, .value = "HOST[:PORT]",
	  .help = "agent-key signs logins to this host; known_hosts must have it; never by a "
		  "project's file" },
	{ IN_PROFILE("network", "agent-key", agent_key), .flag = "agent-key", .kind = KEY_LIST,
	  .form = FORM_TEXT, .value = "FILE.pub|FINGERPRINT|COMMENT",
	  .help = "this key of your ssh-agent; the box sees only keys that are so named; it signs "
		  "logins to the hosts of agent-host; never by a project's file" },
	{ IN_PROFILE("network", "agent-sign", agent_sign), .flag = "agent-sign", .kind = KEY_LIST,
	  .form = FORM_WORD, .value = "git|NAMESPACE",
	  .help = "these keys also sign in this namespace; what ssh-keygen -Y sign asks for; git: commits and "
		  "tags; never by a project's file" },
	{ IN_PROFILE("network", "private", network_private), .flag = "private-network", .kind = KEY_WORD,
	  .words = answer_words, .value = "no|yes", .tightens = TIGHTENS_LESS,
	  .help = "yes: allowed names may have private addresses; 10/8, 192.168/16, ..." },
	{ IN_PROFILE("network", "dns", dns), .flag = "dns", .kind = KEY_WORD, .words = dns_words,
	  .value = "strict|fail|refuse", .tightens = TIGHTENS_LESS,
	  .help = "refuse: a denied name resolves; connections to it are denied with the "
		  "reason; fail: no connect to it succeeds; strict: the name does not exist" },
	{ IN_PROFILE("network", "raw-port", raw_ports), .flag = "raw-port", .kind = KEY_LIST,
	  .form = FORM_PORT, .value = "PORT",
	  .help = "allow any protocol at this port of an allowed name; as if its rule ended with "
		  "/tcp; base lists the ports of databases, queues and mail" },
	{ IN_PROFILE("network", "ech", ech), .flag = "ech", .kind = KEY_WORD, .words = ech_words,
	  .value = "refuse|pass", .tightens = TIGHTENS_LESS,
	  .help = "pass: TLS may hide the server name; in TLS to hosts that you name (not to those of a @group) the client may "
		  "hide another server name behind the allowed one (encrypted client hello), as "
		  "browsers do; for one host: allow = HOST/ech" },
	{ IN_PROFILE("network", "host-port", loopback), .flag = "host-port",
	  .brief = "use this port of your machine: 5432", .kind = KEY_LIST,
	  .form = FORM_PORT, .value = "PORT",
	  .help = "this TCP port of the host's 127.0.0.1, then ::1, appears at both of the box" },
	{ IN_PROFILE("network", "publish", publish), .flag = "publish",
	  .brief = "your machine can use this port of the box", .kind = KEY_LIST,
	  .form = FORM_PUBLISH, .value = "PORT[:HOST-PORT|:auto]",
	  .help = "this TCP port of the box's 127.0.0.1, then ::1, appears at the host's 127.0.0.1 and ::1 while a program listens there; auto: at a free one, which is printed" },
	{ IN_PROFILE("network", "upstream", upstream), .flag = "upstream", .kind = KEY_TEXT,
	  .form = FORM_UPSTREAM, .value = "URL",
	  .help = "use this HTTP proxy, or none; default: the caller's HTTPS_PROXY and NO_PROXY" },
	{ IN_PROFILE("network", "bpf", guard), .flag = "bpf", .kind = KEY_WORD, .words = answer_words,
	  .value = "no|yes", .tightens = TIGHTENS_MORE,
	  .help = "yes (root): BPF programs on the box's cgroup; packets may leave only through "
		  "the box's own loopback; with --network host, allow and deny apply to addresses "
		  "and ports; only visible devices can be opened" },
	{ IN_PROFILE("network", "upload", upload), .flag = "upload", .kind = KEY_LIST,
	  .form = FORM_BUDGET, .value = "[HOST ]SIZE", .tightens = TIGHTENS_ALWAYS,
	  .help = "bytes that may leave, to one host or in all; then connections end" },
	{ IN_PROFILE("network", "download", download), .flag = "download", .kind = KEY_LIST,
	  .form = FORM_BUDGET, .value = "[HOST ]SIZE", .tightens = TIGHTENS_ALWAYS,
	  .help = "bytes that may come in" },

	{ IN_PROFILE("secret", "host", secret_hosts), .kind = KEY_LIST, .value = "HOST[:PORT]",
	  .help = "the key goes to this host alone, by TLS: a name with a dot[:port,...] or *.domain, at 443 where no port is given; never this machine. It is allowed, "
		  "and its TLS is opened outside of the box; never by a project's file" },
	{ IN_PROFILE("secret", "from", secret_sources), .kind = KEY_LIST, .value = "env VARIABLE|file PATH",
	  .help = "where the key is read: a variable of yours (of several lines the first that is set), or one line of a file that only you can read, and that is "
		  "hidden from the box" },
	{ IN_PROFILE("secret", "only", secret_only), .kind = KEY_LIST, .value = "yes|no",
	  .help = "yes (default): no other credential goes to these hosts, in a header or in the address; cookies are left out" },
	{ IN_PROFILE("secret", "env", secret_variables), .kind = KEY_LIST, .value = "VARIABLE",
	  .help = "this variable holds the placeholder in the box; default: the variable of from" },
	{ IN_PROFILE("secret", "header", secret_headers), .kind = KEY_LIST, .value = "NAME",
	  .help = "the key may also be the whole value of this field of a request; it always may be in Authorization (Bearer, "
		  "token, Basic), X-Api-Key, Api-Key, Private-Token and X-Goog-Api-Key" },

	{ IN_PROFILE("limits", "timeout", limits.time), .flag = "timeout",
	  .brief = "end the run after TIME: 30s, 5m", .kind = KEY_TIME,
	  .value = "TIME", .low = 1, .high = 366ULL * 24 * 3600 * 1000,
	  .tightens = TIGHTENS_LESS, .help = "elapsed time; then the run ends with status 124" },
	{ IN_PROFILE("limits", "memory", limits.memory), .flag = "memory",
	  .brief = "kill the run above SIZE: 2G, 50%", .letter = 'm', .kind = KEY_MEMORY,
	  .value = "SIZE|N%", .low = 4096 * KIBI, .high = 1ULL << 50, .soft = LIMIT_BIT(memory),
	  .tightens = TIGHTENS_LESS,
	  .help = "memory of all processes together, or a share of this machine's; a box that uses more is killed" },
	{ IN_PROFILE("limits", "swap", limits.swap), .flag = "swap", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 0, .high = 1ULL << 50, .soft = LIMIT_BIT(swap), .tightens = TIGHTENS_LESS,
	  .help = "bytes that may also be swapped out" },
	{ IN_PROFILE("limits", "cpu", limits.cpu), .flag = "cpu", .kind = KEY_PROCESSORS,
	  .value = "N", .low = 10, .high = 1000000, .soft = LIMIT_BIT(cpu), .tightens = TIGHTENS_LESS,
	  .help = "processors' worth of time: 2, 1.5, 0.25" },
	{ IN_PROFILE("limits", "pids", limits.pids), .flag = "pids", .kind = KEY_COUNT,
	  .value = "N", .low = 2, .high = 4194304, .soft = LIMIT_BIT(pids), .tightens = TIGHTENS_LESS,
	  .help = "processes and threads; the box's own first one counts" },
	{ IN_PROFILE("limits", "io", limits.io), .flag = "io", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 64 * KIBI, .high = 1ULL << 50, .soft = LIMIT_BIT(io), .tightens = TIGHTENS_LESS,
	  .help = "bytes per second read from the project's disk; and as many written" },
	{ IN_PROFILE("limits", "tmp-size", limits.tmp), .flag = "tmp-size", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 64 * KIBI, .high = 1ULL << 50,
	  .tightens = TIGHTENS_LESS,
	  .help = "bytes in all private directories together; /tmp, home, /dev/shm" },
	{ IN_PROFILE("limits", "disk-growth", limits.disk), .flag = "disk-growth", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 1024 * KIBI, .high = 1ULL << 60, .soft = LIMIT_BIT(disk), .tightens = TIGHTENS_LESS,
	  .help = "bytes by which free space may shrink; on disks that the box writes to, checked periodically" },
	{ IN_PROFILE("limits", "file-size", limits.file_size), .flag = "file-size",
	  .kind = KEY_SIZE, .value = "SIZE", .low = 4 * KIBI, .high = 1ULL << 60,
	  .tightens = TIGHTENS_LESS, .help = "bytes of one file" },
	{ IN_PROFILE("limits", "open-files", limits.open_files), .flag = "open-files",
	  .kind = KEY_COUNT, .value = "N", .low = 64, .high = 1048576,
	  .tightens = TIGHTENS_LESS, .help = "open files of one process, 64 at least" },
	{ IN_PROFILE("limits", "core-size", limits.core), .flag = "core-size", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 0, .high = 1ULL << 50, .tightens = TIGHTENS_LESS,
	  .help = "largest core dump; 0: none, not even by the host's crash handler" },

	{ IN_PROFILE("syscalls", "allow", syscalls_allow), .flag = "allow-syscalls",
	  .kind = KEY_LIST, .form = FORM_WORD, .value = "GROUP",
	  .help = "one more group of system calls, see below" },
	{ IN_PROFILE("syscalls", "deny", syscalls_deny), .flag = "deny-syscalls",
	  .kind = KEY_LIST, .form = FORM_WORD, .value = "NAME",
	  .tightens = TIGHTENS_ALWAYS,
	  .help = "deny this system call with EPERM; one that other machines have is ignored" },

	{ IN_PROFILE("environment", "mode", environment), .flag = "env-mode", .kind = KEY_WORD,
	  .words = environment_words, .value = "filtered|minimal",
	  .tightens = TIGHTENS_MORE,
	  .help = "filtered: no secrets, no sockets; such as SSH_AUTH_SOCK and DISPLAY, and no LD_* "
		  "variables; minimal: a few variables" },
	{ IN_PROFILE("environment", "pass", environment_pass), .flag = "pass-env",
	  .brief = "pass this variable, also a secret", .kind = KEY_LIST, .form = FORM_VARIABLE, .value = "NAME",
	  .help = "pass this variable; a secret only by its exact name" },
	{ IN_PROFILE("environment", "set", environment_set), .flag = "env",
	  .letter = 'e',
	  .kind = KEY_LIST, .form = FORM_ASSIGNMENT, .value = "NAME=VALUE",
	  .help = "set this variable" },
	{ IN_PROFILE("environment", "unset", environment_unset), .flag = "unset-env",
	  .kind = KEY_LIST, .form = FORM_VARIABLE, .value = "NAME",
	  .tightens = TIGHTENS_ALWAYS,
	  .help = "do not pass this variable; even if an earlier line sets or passes it; by its "
		  "exact name also one that sbx sets" },

	{ IN_PROFILE("process", "hostname", hostname), .flag = "hostname", .kind = KEY_TEXT,
	  .form = FORM_HOSTNAME, .value = "NAME", .help = "the name the box gives itself" },
	{ IN_PROFILE("process", "preserve-fd", keep_fd), .flag = "preserve-fd", .kind = KEY_LIST,
	  .form = FORM_DESCRIPTOR, .value = "N",
	  .help = "pass this descriptor to the command; as well as 0, 1 and 2; a directory "
		  "descriptor escapes the file view" },

	{ IN_PROFILE("report", "level", report), .flag = "report", .kind = KEY_WORD, .words = report_words,
	  .value = "never|short|full|json|agent",
	  .help = "short: what was denied and which limit was hit; full: also the resources that "
		  "the run used; json: both, on one line; agent: short, for a language model, "
		  "with lines of a profile instead of flags" },

	{ IN_PROFILE("report", "refused-writes", refused_writes), .flag = "refused-writes",
	  .kind = KEY_WORD, .words = answer_words, .value = "no|yes",
	  .help = "yes: name refused writes when the command fails; each with the flag that would "
		  "allow it. Not seen: openat2, and changes of owner, times and attributes. A "
		  "command that names sbx is not asked" },

	{ ON_COMMAND_LINE(VERBS_BOX | VERB_PROFILE, profiles), .flag = "profile",
	  .brief = "ready sets of options: node, python, git", .letter = 'p', .kind = KEY_LIST,
	  .form = FORM_PROFILE, .value = "PROFILE",
	  .help = "a profile by name, or a file by a path with '/'; repeat to stack; the one that is added to "
		  "(profile add)" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_PLAN | VERB_LEARN, shell_string), .flag = "command",
	  .brief = "run this string by your shell", .letter = 'c', .kind = KEY_TEXT,
	  .value = "STRING",
	  .help = "run this string by your shell in the box" },
	{ ON_COMMAND_LINE(VERB_CODE, shell_string), .flag = "command", .letter = 'c', .kind = KEY_TEXT,
	  .value = "STRING",
	  .help = "this string is the code (code)" },
	{ ON_COMMAND_LINE(VERBS_BOX, session), .flag = "session",
	  .brief = "store writes separately, from run to run", .letter = 's', .kind = KEY_TEXT,
	  .form = FORM_SESSION, .value = "NAME",
	  .help = "run in this session: it stores all writes, from run to run, and the host's "
		  "files do not change" },
	{ ON_COMMAND_LINE(VERBS_BOX, project_dir), .flag = "project-dir", .kind = KEY_TEXT,
	  .form = FORM_PATH, .value = "DIR",
	  .help = "use this directory as the project; even if git's toplevel is another; also "
		  "your home directory, as in container images" },
	{ ON_COMMAND_LINE(VERBS_BOX, directory), .flag = "chdir", .letter = 'C', .kind = KEY_TEXT,
	  .form = FORM_PATH, .value = "DIR",
	  .help = "start in this directory; other paths of the command line are relative to it" },
	{ ON_COMMAND_LINE(VERBS_BOX, tier), .flag = "isolation", .kind = KEY_WORD, .words = asked_words,
	  .value = "auto|namespaces|landlock",
	  .help = "landlock: without namespaces, for machines that allow none; sbx plan lists the "
		  "differences. auto: landlock inside a box that allows none, else namespaces" },
	{ ON_COMMAND_LINE(VERBS_BOX, unprotected), .flag = "no-protect", .kind = KEY_SWITCH,
	  .help = "let the box write files that your own tools trust; git's hooks and "
		  "configuration, settings of editors and agents" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL | VERB_CODE, explain), .flag = "explain",
	  .kind = KEY_SWITCH,
	  .help = "report denied files, programs and sockets, with flags" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL | VERB_CODE, report_fd), .flag = "report-fd", .kind = KEY_TEXT,
	  .form = FORM_DESCRIPTOR, .value = "N",
	  .help = "refusals and the end, as JSON lines to it; each when it happens, for a program: a pipe, "
		  "a socket or a file (sbx-json(5), event); the command does not get it" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL | VERB_CODE, status_fd), .flag = "status-fd", .kind = KEY_TEXT,
	  .form = FORM_DESCRIPTOR, .value = "N",
	  .help = "start, refusals, limits and exit, as JSON lines to it; each when it happens; the start has the box's "
		  "pid; child-pid and exit-code are as bubblewrap has them; the command "
		  "does not get it" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL | VERB_CODE, die_with_parent), .flag = "die-with-parent", .kind = KEY_SWITCH,
	  .help = "end the run when the process that started sbx ends; SIGTERM, and SIGKILL after 2 s" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL | VERB_CODE, ask), .flag = "ask", .kind = KEY_SWITCH,
	  .help = "ask on the terminal about hosts that no line names; a connection waits for the answer: once, for the "
		  "run, for the project, or no, also after 28 s; the box is stopped meanwhile" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL | VERB_CODE, ask_program), .flag = "ask-program", .kind = KEY_TEXT,
	  .form = FORM_PATH, .value = "PROG",
	  .help = "this program answers for hosts that no line names; a connection waits for it, 28 s at most: one "
		  "line of JSON in, one out (sbx-json(5), question); not where boxes may write" },
	{ ON_COMMAND_LINE(VERB_CODE, language), .flag = "lang", .letter = 'l', .kind = KEY_TEXT, .form = FORM_LANGUAGE,
	  .words = language_words, .value = "LANGUAGE",
	  .help = "of the code; else found by the #! line, the extension, or the text" },
	{ ON_COMMAND_LINE(VERB_LEARN, output), .flag = "output", .letter = 'o', .kind = KEY_TEXT, .value = "FILE",
	  .help = "add the lines to this profile, which is made when it is missing (learn)" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL, timing), .flag = "timing", .kind = KEY_SWITCH,
	  .help = "print the time of each start-up step on stderr" },
	{ ON_COMMAND_LINE(VERB_PLAN | VERB_DOCTOR | VERB_AUDIT | VERB_SESSION | VERB_CODE | VERB_PROFILE |
			  VERB_AGENT | VERB_QUARANTINE | VERB_LEARN | VERB_WHY | VERB_CACHE |
			  VERB_PS | VERB_LOGS | VERB_RUN | VERB_EXEC | VERB_WAIT, json), .flag = "json", .kind = KEY_SWITCH,
	  .help = "print JSON, see sbx-json(5)" },
	{ ON_COMMAND_LINE(VERB_AUDIT, logged_run), .flag = "run", .kind = KEY_TEXT, .value = "RUN",
	  .help = "only this run, and all that its report had to say (audit)" },
	{ ON_COMMAND_LINE(VERB_AUDIT, changed), .flag = "changed", .kind = KEY_SWITCH,
	  .help = "list what boxes changed in this project, or that of --project, and your own programs will run (audit)" },
	{ ON_COMMAND_LINE(VERB_AUDIT | VERB_LOGS, since), .flag = "since", .kind = KEY_TIME, .value = "TIME",
	  .low = 1, .high = 3660ULL * 24 * 3600 * 1000,
	  .help = "only connections that ended in this time before now: 30m, 1h, 2d (audit); only output of this time (logs)" },
	{ ON_COMMAND_LINE(VERB_AUDIT | VERB_QUARANTINE, logged_project), .flag = "project", .kind = KEY_TEXT,
	  .form = FORM_PATH, .value = "DIR",
	  .help = "only those of runs in this directory, in one below it or in the project around it: "
		  "--project . (audit); only what came from there (quarantine list)" },
	{ ON_COMMAND_LINE(VERB_AUDIT, denied), .flag = "denied", .kind = KEY_SWITCH,
	  .help = "only those that were refused (audit)" },
	{ ON_COMMAND_LINE(VERB_AUDIT, logged_host), .flag = "host", .kind = KEY_TEXT, .form = FORM_DESTINATION,
	  .value = "HOST", .help = "only those to this host: name[:port], *.domain, an address or network/prefix (audit)" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL, review), .flag = "review",
	  .brief = "show the changes first, then apply or not", .kind = KEY_SWITCH,
	  .help = "in a session for this run alone; at its end the changes are shown, and applied "
		  "or not" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL, apply), .flag = "apply", .kind = KEY_TEXT, .value = "yes|no|FILE",
	  .help = "with --review: all, none, or the paths in FILE; one "
		  "in a line, without a question" },
	{ ON_COMMAND_LINE(VERB_SESSION, from), .flag = "from", .kind = KEY_TEXT, .value = "SESSION[@SNAPSHOT]",
	  .help = "begin as this one is (session create)" },
	{ ON_COMMAND_LINE(VERB_SESSION, as_root), .flag = "as-root", .kind = KEY_SWITCH,
	  .help = "uid 0 inside, with its own /usr, /etc and package database: packages can be "
		  "installed, and the host does not change (session create)" },
	{ ON_COMMAND_LINE(VERB_SESSION, stat), .flag = "stat", .kind = KEY_SWITCH,
	  .help = "names and sizes instead of the text (session diff)" },
	{ ON_COMMAND_LINE(VERB_SESSION | VERB_AGENT, force), .flag = "force", .kind = KEY_SWITCH,
	  .help = "overwrite changes made since (session apply; agent install, remove)" },
	{ ON_COMMAND_LINE(VERB_AGENT, servers), .flag = "mcp", .kind = KEY_SWITCH, .help = "its servers of MCP, not its commands (agent install, remove)" },
	{ ON_COMMAND_LINE(VERB_AGENT, dry_run), .flag = "dry-run", .kind = KEY_SWITCH,
	  .help = "show the changes without making them (agent install, remove)" },
	{ ON_COMMAND_LINE(VERB_CACHE | VERB_STOP | VERB_KILL | VERB_AGENT | VERB_PS, all), .flag = "all", .letter = 'a', .kind = KEY_SWITCH,
	  .help = "of every project (cache clear); every live run of yours (stop, kill); every agent (agent remove); also the "
		  "runs that have ended: those with --detach, and those whose sbx was killed (ps)" },
	{ ON_COMMAND_LINE(VERB_PS, filters), .flag = "filter", .letter = 'f', .kind = KEY_LIST, .words = filter_words,
	  .value = "KEY=VALUE", .help = "only runs of this status (running, exit, signal, limit, failed), session, project, command (ps)" },
	{ ON_COMMAND_LINE(VERB_STOP, stop_time), .flag = "time", .letter = 't', .kind = KEY_TIME, .value = "TIME",
	  .high = 24ULL * 3600 * 1000,
	  .help = "how long the command has to end by itself before it is killed: 500ms, 30s, 2m; 10s where "
		  "nothing is said (stop)" },
	{ ON_COMMAND_LINE(VERB_RUN, detach), .flag = "detach", .letter = 'd', .kind = KEY_SWITCH,
	  .help = "run in the background, and print the run's id; also when the terminal is closed, for sbx logs, ps, stop, "
		  "kill and wait. Its stdin is empty, and its output is stored for sbx logs" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_EXEC, terminal), .flag = "tty", .letter = 't', .kind = KEY_SWITCH,
	  .help = "give the command a terminal of the box; sbx connects it with yours (exec); with --detach, for sbx attach" },
	{ ON_COMMAND_LINE(VERB_EXEC, interactive), .flag = "interactive", .letter = 'i', .kind = KEY_SWITCH,
	  .help = "ignored: stdin is always passed (exec)" },
	{ ON_COMMAND_LINE(VERB_LOGS, follow), .flag = "follow", .letter = 'f', .kind = KEY_SWITCH,
	  .help = "continue with what the run prints, until it ends (logs)" },
	{ ON_COMMAND_LINE(VERB_LOGS, raw), .flag = "raw", .kind = KEY_SWITCH,
	  .help = "print each byte as it is, also those that act on a terminal (logs)" },
	{ ON_COMMAND_LINE(VERB_LOGS, offset), .flag = "offset", .kind = KEY_COUNT, .value = "N", .low = 0, .high = 1ULL << 60,
	  .help = "begin at this byte of all that was printed; --json prints the next one (logs)" },
	{ ON_COMMAND_LINE(VERB_LOGS, tail), .flag = "tail", .letter = 'n', .kind = KEY_COUNT, .value = "N",
	  .low = 0, .high = 1ULL << 60, .help = "begin with the last N lines that are there now (logs)" },
	{ ON_COMMAND_LINE(VERB_EXEC, inside), .flag = "chdir", .letter = 'C', .kind = KEY_TEXT,
	  .value = "DIR", .help = "start in this directory of the box; else in that of its first command (exec)" },
	{ ON_COMMAND_LINE(VERB_EXEC, variables), .flag = "env", .letter = 'e', .kind = KEY_LIST, .form = FORM_ASSIGNMENT,
	  .value = "NAME=VALUE", .help = "set this variable; the others are those of the box's first command (exec)" },
	{ ON_COMMAND_LINE(VERB_PROFILE, resolved), .flag = "resolved", .kind = KEY_SWITCH,
	  .help = "print the profile with all it extends (profile show)" },
	{ ON_COMMAND_LINE(VERBS_ALL, help), .flag = "help", .letter = 'h', .kind = KEY_SWITCH,
	  .help = "print the options that are used most; --help all: every option" },
};
const unsigned key_count = sizeof(keys) / sizeof(*keys);
// clang-format on
