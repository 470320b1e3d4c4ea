// Owns the table of keys. Parser, flags, help, man pages and completions are made from it.
#include "policy/keys.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "profile.h"

static const char *const project_words[] = { "write", "read", "none", NULL };
static const char *const tier_words[] = { "full", "landlock", NULL };
static const char *const asked_words[] = { "auto", "full", "landlock", NULL };
static const char *const network_words[] = { "none", "proxy", "host", NULL };
static const char *const dns_words[] = { "strict", "told", NULL };
static const char *const ech_words[] = { "refuse", "pass", NULL };
static const char *const answer_words[] = { "no", "yes", NULL };
static const char *const report_words[] = { "never", "short", "full", "json", "model", NULL };
static const char *const language_words[] = { "bash", "python", "node", "perl", "awk",
					      "c",    "c++",    "go",   "rust", "java",
					      "ruby", "php",    "lua",  "tcl",  NULL };
static const char *const environment_words[] = { "filtered", "minimal", NULL };

#define IN_PROFILE(section_, name_, field)                                                         \
	.section = section_, .name = name_, .offset = offsetof(struct profile, field),             \
	.verbs = VERBS_BOX
#define ON_COMMAND_LINE(verbs_, field) .verbs = verbs_, .offset = offsetof(struct invocation, field)
#define KIBI                           1024ULL

// clang-format off
const struct section sections[] = {
	{ "profile", "what this profile is and what it builds on" },
	{ "files", "what exists in the box; everything not named does not" },
	{ "network", "what the box can reach" },
	{ "limits", "where a run is stopped" },
	{ "syscalls", "which system calls there are" },
	{ "environment", "which variables the command gets" },
	{ "process", "the command itself" },
	{ "report", "what is told at the end" },
};
const unsigned section_count = sizeof(sections) / sizeof(*sections);

const struct key keys[] = {
	{ IN_PROFILE("profile", "description", description), .kind = KEY_TEXT, .value = "TEXT",
	  .tightens = TIGHTENS_ALWAYS, .help = "what the profile is for, in one line" },
	{ IN_PROFILE("profile", "extends", extends), .kind = KEY_LIST, .form = FORM_PROFILE,
	  .value = "PROFILE", .help = "read this profile first" },

	{ IN_PROFILE("profile", "minimum", minimum), .flag = "minimum", .kind = KEY_WORD,
	  .words = tier_words, .value = "full|landlock", .tightens = TIGHTENS_LESS,
	  .help = "full: refuse to run without namespaces; landlock: then run with less, and say so" },

	{ IN_PROFILE("files", "project", project), .flag = "project", .kind = KEY_WORD,
	  .words = project_words, .value = "write|read|none",
	  .tightens = TIGHTENS_MORE, .help = "the git toplevel of the current directory, or that directory itself" },
	{ IN_PROFILE("files", "read", read), .flag = "read", .letter = 'r', .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH", .help = "visible, not writable" },
	{ IN_PROFILE("files", "write", write), .flag = "write", .letter = 'w', .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH", .help = "visible and writable" },
	{ IN_PROFILE("files", "cache", cache), .flag = "cache", .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH",
	  .help = "writable and kept for the next run in this project, apart from the host's own" },
	{ IN_PROFILE("files", "tmpfs", tmpfs), .flag = "tmpfs", .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH", .help = "empty, writable, thrown away at the end" },
	{ IN_PROFILE("files", "scratch", scratch), .flag = "scratch", .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH",
	  .help = "reads through to the directory; what is written is thrown away at the end" },
	{ IN_PROFILE("files", "hide", hide), .flag = "hide", .kind = KEY_LIST, .form = FORM_HIDDEN,
	  .value = "PATH",
	  .tightens = TIGHTENS_ALWAYS, .help = "not readable, whatever else says otherwise; in the project also a pattern: "
		  "**/.env* or ./dir/*.pem" },

	{ IN_PROFILE("files", "hide-untracked", hide_untracked), .flag = "hide-untracked", .kind = KEY_LIST,
	  .form = FORM_NAME, .value = "NAME", .tightens = TIGHTENS_ALWAYS,
	  .help = "files of the project with this name ('*' stands for anything) that git's index does not list with "
		  "their very content are as if they were not there; at the top and three directories below it. A later line or flag "
		  "that names the file shows it" },
	{ IN_PROFILE("files", "secret", secret), .flag = "secret", .kind = KEY_LIST,
	  .form = FORM_HIDDEN, .value = "PATH", .tightens = TIGHTENS_ALWAYS,
	  .help = "as hide, patterns too, until a later line or flag names this very path, or one in it" },
	{ IN_PROFILE("files", "protect", protect), .flag = "protect", .kind = KEY_LIST,
	  .form = FORM_PATTERN, .value = "PATH",
	  .tightens = TIGHTENS_ALWAYS, .help = "not changed, whatever else says otherwise, and moved to quarantine should it appear; shows nothing by itself; "
		  "a pattern, as of hide, is for what is there at the start" },

	{ IN_PROFILE("files", "socket", socket), .flag = "socket", .kind = KEY_LIST,
	  .form = FORM_PATH, .value = "PATH", .help = "a unix socket of the host to connect to" },
	{ IN_PROFILE("files", "device", device), .flag = "device", .kind = KEY_LIST,
	  .form = FORM_DEVICE, .value = "NAME",
	  .help = "a character device of the host, or a directory of them: kvm, fuse, dri" },

	{ IN_PROFILE("network", "mode", network), .flag = "network", .kind = KEY_WORD,
	  .words = network_words, .value = "none|proxy|host",
	  .tightens = TIGHTENS_LESS, .help = "none: only the box's own loopback; proxy: TCP to what allow names; host: the "
		  "network as it is" },
	{ IN_PROFILE("network", "allow", allow), .flag = "allow-domain", .letter = 'a', .kind = KEY_LIST,
	  .form = FORM_RULE, .value = "HOST",
	  .help = "who may be reached: name[:port,...], *.domain, address, network/prefix, @group, or * for "
		  "every name; in HTTP, TLS or SSH; with /tcp at the end in any protocol, with /ech in TLS that "
		  "hides the server name" },
	{ IN_PROFILE("network", "deny", deny), .flag = "deny-domain", .kind = KEY_LIST,
	  .form = FORM_DESTINATION, .value = "HOST", .tightens = TIGHTENS_ALWAYS,
	  .help = "who may not, whatever allow says; an address also behind a name" },
	{ IN_PROFILE("network", "private", network_private), .flag = "private-network", .kind = KEY_WORD,
	  .words = answer_words, .value = "no|yes", .tightens = TIGHTENS_LESS,
	  .help = "yes: allowed names may lead to private addresses (10/8, 192.168/16, ...)" },
	{ IN_PROFILE("network", "dns", dns), .flag = "dns", .kind = KEY_WORD, .words = dns_words,
	  .value = "strict|told", .tightens = TIGHTENS_LESS,
	  .help = "told: a denied name resolves and is refused when connected to, with the reason; strict: "
		  "it does not exist" },
	{ IN_PROFILE("network", "raw-port", raw_ports), .flag = "raw-port", .kind = KEY_LIST,
	  .form = FORM_PORT, .value = "PORT",
	  .help = "at this port an allowed name may be spoken to in a protocol that sbx does not read, as if "
		  "its rule ended with /tcp; base has those of databases, queues and mail" },
	{ IN_PROFILE("network", "ech", ech), .flag = "ech", .kind = KEY_WORD, .words = ech_words,
	  .value = "refuse|pass", .tightens = TIGHTENS_LESS,
	  .help = "pass: in TLS to hosts that you name (not to those of a @group) the client may hide another "
		  "server name behind the allowed one (encrypted client hello), as browsers do; for one "
		  "host: allow = HOST/ech" },
	{ IN_PROFILE("network", "loopback", loopback), .flag = "loopback", .kind = KEY_LIST,
	  .form = FORM_PORT, .value = "PORT",
	  .help = "this TCP port of the host's 127.0.0.1 appears at the box's" },
	{ IN_PROFILE("network", "publish", publish), .flag = "publish", .kind = KEY_LIST,
	  .form = FORM_PUBLISH, .value = "PORT[:HOST-PORT]",
	  .help = "this TCP port of the box appears at the host's 127.0.0.1" },
	{ IN_PROFILE("network", "upstream", upstream), .flag = "upstream", .kind = KEY_TEXT,
	  .form = FORM_UPSTREAM, .value = "URL",
	  .help = "go out by this HTTP proxy, or none; without it, as the caller's HTTPS_PROXY and NO_PROXY "
		  "say" },
	{ IN_PROFILE("network", "guard", guard), .flag = "guard", .kind = KEY_WORD, .words = answer_words,
	  .value = "no|yes", .tightens = TIGHTENS_MORE,
	  .help = "yes (root): BPF programs on the box's cgroup; nothing leaves but by the box's own loopback, in "
		  "mode host allow and deny hold for addresses and ports; devices of the view alone" },
	{ IN_PROFILE("network", "upload", upload), .flag = "upload", .kind = KEY_LIST,
	  .form = FORM_BUDGET, .value = "[HOST ]SIZE", .tightens = TIGHTENS_ALWAYS,
	  .help = "bytes that may leave, to one host or in all; then connections end" },
	{ IN_PROFILE("network", "download", download), .flag = "download", .kind = KEY_LIST,
	  .form = FORM_BUDGET, .value = "[HOST ]SIZE", .tightens = TIGHTENS_ALWAYS,
	  .help = "bytes that may come in" },
	{ IN_PROFILE("network", "connections", connections), .flag = "connections", .kind = KEY_LIST,
	  .form = FORM_BUDGET, .value = "[HOST ]N", .tightens = TIGHTENS_ALWAYS,
	  .help = "connections that may be made" },
	{ IN_PROFILE("network", "rate", rate), .flag = "rate", .kind = KEY_LIST,
	  .form = FORM_BUDGET, .value = "[HOST ]SIZE", .tightens = TIGHTENS_ALWAYS,
	  .help = "bytes per second, both ways together" },

	{ IN_PROFILE("limits", "time", limits.time), .flag = "time", .kind = KEY_TIME,
	  .value = "TIME", .low = 1, .high = 366ULL * 24 * 3600 * 1000,
	  .tightens = TIGHTENS_LESS, .help = "wall clock; then the run ends with status 124" },
	{ IN_PROFILE("limits", "idle", limits.idle), .flag = "idle", .kind = KEY_TIME,
	  .value = "TIME", .low = 100, .high = 366ULL * 24 * 3600 * 1000, .tightens = TIGHTENS_LESS,
	  .help = "as time, when for so long less than a hundredth of a processor was used" },
	{ IN_PROFILE("limits", "memory", limits.memory), .flag = "memory", .letter = 'm', .kind = KEY_MEMORY,
	  .value = "SIZE|N%", .low = 4096 * KIBI, .high = 1ULL << 50, .soft = LIMIT_BIT(memory),
	  .tightens = TIGHTENS_LESS, .help = "memory of all processes together, or a share of this machine's; who takes more is killed" },
	{ IN_PROFILE("limits", "swap", limits.swap), .flag = "swap", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 0, .high = 1ULL << 50, .soft = LIMIT_BIT(swap), .tightens = TIGHTENS_LESS,
	  .help = "bytes that may be swapped out besides" },
	{ IN_PROFILE("limits", "cpu", limits.cpu), .flag = "cpu", .kind = KEY_PROCESSORS,
	  .value = "N", .low = 10, .high = 1000000, .soft = LIMIT_BIT(cpu), .tightens = TIGHTENS_LESS,
	  .help = "processors' worth of time: 2, 1.5, 0.25" },
	{ IN_PROFILE("limits", "pids", limits.pids), .flag = "pids", .kind = KEY_COUNT,
	  .value = "N", .low = 2, .high = 4194304, .soft = LIMIT_BIT(pids), .tightens = TIGHTENS_LESS,
	  .help = "processes and threads, the box's own first one included" },
	{ IN_PROFILE("limits", "io", limits.io), .flag = "io", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 64 * KIBI, .high = 1ULL << 50, .soft = LIMIT_BIT(io), .tightens = TIGHTENS_LESS,
	  .help = "bytes per second read from the project's disk, and as many written" },
	{ IN_PROFILE("limits", "tmp", limits.tmp), .flag = "tmp", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 64 * KIBI, .high = 1ULL << 50,
	  .tightens = TIGHTENS_LESS, .help = "bytes in all private directories together: /tmp, home, /dev/shm" },
	{ IN_PROFILE("limits", "disk", limits.disk), .flag = "disk", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 1024 * KIBI, .high = 1ULL << 60, .soft = LIMIT_BIT(disk), .tightens = TIGHTENS_LESS,
	  .help = "bytes by which the free space of disks that the box writes to may shrink, looked at now and then" },
	{ IN_PROFILE("limits", "file-size", limits.file_size), .flag = "file-size",
	  .kind = KEY_SIZE, .value = "SIZE", .low = 4 * KIBI, .high = 1ULL << 60,
	  .tightens = TIGHTENS_LESS, .help = "bytes of one file" },
	{ IN_PROFILE("limits", "open-files", limits.open_files), .flag = "open-files",
	  .kind = KEY_COUNT, .value = "N", .low = 8, .high = 1048576,
	  .tightens = TIGHTENS_LESS, .help = "open files of one process" },
	{ IN_PROFILE("limits", "core", limits.core), .flag = "core", .kind = KEY_SIZE,
	  .value = "SIZE", .low = 0, .high = 1ULL << 50, .tightens = TIGHTENS_LESS, .help = "bytes of a core dump; 0: none, by a program of the host's neither" },
	{ IN_PROFILE("limits", "pool", pool), .flag = "pool", .kind = KEY_TEXT, .form = FORM_HOSTNAME,
	  .value = "NAME", .help = "memory, swap, cpu, pids and io are those of all runs of this pool together" },

	{ IN_PROFILE("syscalls", "allow", syscalls_allow), .flag = "allow-syscalls",
	  .kind = KEY_LIST, .form = FORM_WORD, .value = "GROUP",
	  .help = "one more group of system calls, see below" },
	{ IN_PROFILE("syscalls", "deny", syscalls_deny), .flag = "deny-syscalls",
	  .kind = KEY_LIST, .form = FORM_WORD, .value = "NAME",
	  .tightens = TIGHTENS_ALWAYS, .help = "refuse this system call with EPERM" },

	{ IN_PROFILE("environment", "mode", environment), .flag = "env-mode", .kind = KEY_WORD,
	  .words = environment_words, .value = "filtered|minimal",
	  .tightens = TIGHTENS_MORE, .help = "filtered: all but secrets, open doors and loader hooks; minimal: a few" },
	{ IN_PROFILE("environment", "pass", environment_pass), .flag = "pass-env",
	  .kind = KEY_LIST, .form = FORM_VARIABLE, .value = "NAME",
	  .help = "pass this variable; a secret only by its exact name" },
	{ IN_PROFILE("environment", "set", environment_set), .flag = "env", .letter = 'e',
	  .kind = KEY_LIST, .form = FORM_ASSIGNMENT, .value = "NAME=VALUE",
	  .help = "set this variable" },
	{ IN_PROFILE("environment", "unset", environment_unset), .flag = "unset-env",
	  .kind = KEY_LIST, .form = FORM_VARIABLE, .value = "NAME",
	  .tightens = TIGHTENS_ALWAYS, .help = "leave this variable out, also one that an earlier line sets or passes; by its exact name also "
		  "one that sbx sets" },

	{ IN_PROFILE("process", "hostname", hostname), .flag = "hostname", .kind = KEY_TEXT,
	  .form = FORM_HOSTNAME, .value = "NAME", .help = "the name the box gives itself" },
	{ IN_PROFILE("process", "keep-fd", keep_fd), .flag = "keep-fd", .kind = KEY_LIST,
	  .form = FORM_DESCRIPTOR, .value = "N",
	  .help = "leave this descriptor open besides 0, 1 and 2; of a directory it leads out of the view" },

	{ IN_PROFILE("report", "level", report), .flag = "report", .kind = KEY_WORD, .words = report_words,
	  .value = "never|short|full|json|model",
	  .help = "short: what was refused and which limit was hit; full: what the run took besides; json: both, "
		  "on one line; model: short, for a language model, with lines of a profile instead of flags" },

	{ ON_COMMAND_LINE(VERBS_BOX, profiles), .flag = "profile", .letter = 'p', .kind = KEY_LIST,
	  .form = FORM_PROFILE, .value = "PROFILE",
	  .help = "a profile by name, or a file by a path with '/'; repeat to stack" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_PLAN | VERB_LEARN | VERB_CODE, shell_string), .flag = "command", .letter = 'c', .kind = KEY_TEXT,
	  .value = "STRING", .help = "run this string by your shell in the box (code: this string is the code)" },
	{ ON_COMMAND_LINE(VERBS_BOX, session), .flag = "session", .letter = 's', .kind = KEY_TEXT,
	  .form = FORM_SESSION, .value = "NAME",
	  .help = "in this session: what is written is kept in it, from run to run, and the host's files stay as "
		  "they are" },
	{ ON_COMMAND_LINE(VERBS_BOX, project_dir), .flag = "project-dir", .kind = KEY_TEXT,
	  .form = FORM_PATH, .value = "DIR",
	  .help = "this directory is the project, whatever git says; also your home directory, where a container "
		  "image makes it one" },
	{ ON_COMMAND_LINE(VERBS_BOX, tier), .flag = "tier", .kind = KEY_WORD, .words = asked_words,
	  .value = "auto|full|landlock",
	  .help = "landlock: without namespaces, for machines that give none; sbx plan lists what is "
		  "lost. auto: landlock inside a box that gives none, else full" },
	{ ON_COMMAND_LINE(VERBS_BOX, unprotected), .flag = "unprotected", .kind = KEY_SWITCH,
	  .help = "let the box write what your own tools trust: git's hooks and configuration, "
		  "settings of editors and agents" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL | VERB_CODE, explain), .flag = "explain", .kind = KEY_SWITCH,
	  .help = "tell of files, programs and sockets that were refused, too, each with the flag that would allow it" },
	{ ON_COMMAND_LINE(VERB_CODE, language), .flag = "lang", .letter = 'l', .kind = KEY_TEXT, .form = FORM_LANGUAGE,
	  .words = language_words, .value = "LANGUAGE",
	  .help = "of the code; else found by the #! line, the extension, or the text" },
	{ ON_COMMAND_LINE(VERB_LEARN, output), .flag = "output", .letter = 'o', .kind = KEY_TEXT, .value = "FILE",
	  .help = "add the lines to this profile, which is made when it is missing (learn)" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL, timing), .flag = "timing", .kind = KEY_SWITCH,
	  .help = "tell on stderr where the start-up time went" },
	{ ON_COMMAND_LINE(VERB_PLAN | VERB_DOCTOR | VERB_LOG | VERB_SESSION | VERB_CODE, json), .flag = "json", .kind = KEY_SWITCH,
	  .help = "print JSON (plan, doctor, log, code, session list, show, log, diff)" },
	{ ON_COMMAND_LINE(VERB_LOG, runs), .flag = "runs", .kind = KEY_SWITCH,
	  .help = "list the runs whose network can be changed" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL, review), .flag = "review", .kind = KEY_SWITCH,
	  .help = "in a session for this run alone; at its end the changes are shown, and applied or not" },
	{ ON_COMMAND_LINE(VERB_RUN | VERB_SHELL, apply), .flag = "apply", .kind = KEY_TEXT, .value = "yes|no|FILE",
	  .help = "with --review: apply all, discard all, or apply the paths that FILE lists, one in a line, "
		  "without a question" },
	{ ON_COMMAND_LINE(VERB_SESSION, from), .flag = "from", .kind = KEY_TEXT, .value = "SESSION[@SNAPSHOT]|FILE.tar",
	  .help = "begin as this one is (session create)" },
	{ ON_COMMAND_LINE(VERB_SESSION, as_root), .flag = "as-root", .kind = KEY_SWITCH,
	  .help = "uid 0 inside, and /usr, /etc and the package database its own: packages can be installed, and "
		  "the host has nothing of it (session create)" },
	{ ON_COMMAND_LINE(VERB_SESSION, stat), .flag = "stat", .kind = KEY_SWITCH,
	  .help = "names and sizes instead of the text (session diff)" },
	{ ON_COMMAND_LINE(VERB_SESSION, dot), .flag = "dot", .kind = KEY_SWITCH,
	  .help = "print the tree of snapshots for Graphviz (session log)" },
	{ ON_COMMAND_LINE(VERB_SESSION | VERB_AGENT, force), .flag = "force", .kind = KEY_SWITCH,
	  .help = "also over what was changed since (session apply; agent install, remove), and what your own "
		  "programs would run (session cp)" },
	{ ON_COMMAND_LINE(VERB_AGENT, dry_run), .flag = "dry-run", .kind = KEY_SWITCH,
	  .help = "show what would be changed, and change nothing (agent install, remove)" },
	{ ON_COMMAND_LINE(VERB_PROFILE, resolved), .flag = "resolved", .kind = KEY_SWITCH,
	  .help = "print the profile with all it extends (profile show)" },
	{ ON_COMMAND_LINE(VERBS_ALL, help), .flag = "help", .letter = 'h', .kind = KEY_SWITCH,
	  .help = "print help" },
};
const unsigned key_count = sizeof(keys) / sizeof(*keys);
// clang-format on

const struct key *key_find(const char *section, const char *name)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->section && str_equal(key->section, section) && str_equal(key->name, name))
			return key;
	return NULL;
}

const struct key *key_find_flag(enum verb verb, const char *flag, size_t length)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->flag && (key->verbs & verb) && strlen(key->flag) == length &&
		    strncmp(key->flag, flag, length) == 0)
			return key;
	return NULL;
}

const struct key *key_find_letter(enum verb verb, char letter)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->letter && (key->verbs & verb) && key->letter == letter)
			return key;
	return NULL;
}

// Keeps the nearest candidate at a distance of at most 3.
static void consider(const char *candidate, const char *word, unsigned *best, const char **nearest)
{
	unsigned distance = candidate ? str_distance(word, candidate, 3) : 4;
	if (distance < *best) {
		*best = distance;
		*nearest = candidate;
	}
}

const char *key_suggest(const char *section, const char *name)
{
	unsigned best = 4;
	const char *nearest = NULL;
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->section && str_equal(key->section, section))
			consider(key->name, name, &best, &nearest);
	return nearest;
}

const char *key_suggest_flag(enum verb verb, const char *flag)
{
	unsigned best = 4;
	const char *nearest = NULL;
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->verbs & verb)
			consider(key->flag, flag, &best, &nearest);
	return nearest;
}

const char *key_suggest_section(const char *name)
{
	unsigned best = 4;
	const char *nearest = NULL;
	for (unsigned i = 0; i < section_count; i++)
		consider(sections[i].name, name, &best, &nearest);
	return nearest;
}
