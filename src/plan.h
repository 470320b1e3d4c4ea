// All decisions. Made while the box prepares what needs no plan; read-only from the step "go"
// on.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/fd.h"
#include "profile.h"

struct arena;
struct gitnamed;
struct held;
struct resolver;

// A file or directory when the plan was made; the mount refuses another one.
struct identity {
	dev_t device;
	ino_t inode;
	mode_t type;
};

enum mount_kind {
	MOUNT_DIRECTORY, // on the box's tmpfs, to mount or link below
	MOUNT_LINK,      // a symlink of the host, made again
	MOUNT_BIND,      // a file or directory of the host
	MOUNT_TMPFS,     // empty, or with copies of the files of `source`
	MOUNT_SCRATCH,   // an overlay: a directory of the host below, a tmpfs above
	MOUNT_LAYERS, // a session's overlay: lasting layers over a directory of the host or nothing
	MOUNT_MASK,   // an empty unreadable file or directory over one of the host
	MOUNT_SELF,   // a part of the view over itself, read-only
	MOUNT_PROC,
	MOUNT_PTS,
	MOUNT_TEXT, // a read-only file with sbx's text
	MOUNT_COPY, // a link to a copy of plan->copies over a file of the host; made last
};

// Also decides Landlock rights.
enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_DEVICE, ACCESS_NOTHING };

struct mount {
	enum mount_kind kind;
	enum access access;
	bool on_host;  // the target's parent is the host's: opened and compared
	bool optional; // MOUNT_SELF, MOUNT_MASK: kernels may lack the name; MOUNT_TEXT: hosts may
	// The content is unknown: below MOUNT_LAYERS, MOUNT_SCRATCH or a cache.
	bool unknown;
	bool in_cache;            // what boxes left in its place is removed
	bool absent;              // MOUNT_MASK: a dangling link
	bool plain;               // around only directories and sample hooks
	bool cache;               // the step "caches" makes the source and fills `kept`
	const char *target;       // in the box, absolute and clean
	const char *source;       // on the host, or the text of a link or MOUNT_TEXT
	struct identity identity; // of the source, and with on_host of the target
	struct identity kept;     // of a cache's source
	unsigned copy;            // MOUNT_COPY: index of plan->copies
	uint64_t size;            // MOUNT_TMPFS: bytes; 0: tmp-size
	unsigned mode;            // MOUNT_TMPFS, MOUNT_TEXT; 0: the default
	unsigned root;            // MOUNT_LAYERS: index of plan->session->roots
	struct origin from;
};

// A git configuration that the box has a copy of, merged after the run.
struct copy {
	const char *path;
	struct identity identity;
	struct timespec changed; // ctime, with `identity`: of an unchanged file
	const char *text;
	size_t length;
	mode_t mode;
	int lock;       // shared flock of the git directory
	bool worktrees; // with config.worktree files
};
enum { COPIES_MAX = 64 };

// A writable repository's configuration at the start.
struct start {
	const char *path, *text;
	size_t length;
};
#define COPIES_DIRECTORY "/dev/sbx"

// The act on a name that came to a place.
enum act {
	ACT_NONE,
	ACT_TELL,       // report it, also if it existed and changed
	ACT_FOLLOW,     // likewise for its target
	ACT_TAKE,       // move it to quarantine
	ACT_HOOKS,      // only *.sample may appear
	ACT_ADDRESSES,  // quarantine for new files; report others
	ACT_CONFIG,     // cut it to harmless keys
	ACT_WORKTREES,  // search new entries
	ACT_MODULES,    // likewise, of submodules
	ACT_REPOSITORY, // search the .git
	ACT_BARE,       // HEAD of no repository yet: search it if it became one
	ACT_OPENED,     // the user made it writable
};

struct stood {
	const char *name;
	unsigned type, inode; // DT_* of the listing; the low bits
};

// A directory in which names act on the host. Listed at the start, compared at the end.
struct place {
	enum place_role {
		PLACE_NAMED,
		PLACE_TABLE,
		PLACE_GIT,
		PLACE_WORKTREE,
		PLACE_WORKTREES, // search its entries
		PLACE_MODULES,   // likewise, of submodules
		PLACE_HOOKS,     // only *.sample may appear
		PLACE_PROGRAMS
	} role;
	unsigned part; // the listing is incomplete
	const char *path;
	const char *above;    // TABLE: prefix of the table's names here, or ""
	struct stood *before; // sorted; TABLE: only those of the table
	unsigned count;
	struct list names;       // paths below; line: enum act, order of ACT_FOLLOW: low inode bits
	uint64_t inode;          // of the listed directory
	struct timespec changed; // its ctime; 0: a change in the same tick is possible
};
enum { PLAN_PLACES_MAX = 2048 };

// A directory that is searched for repositories.
struct searched {
	const char *path;
	const char *list; // the repositories below it (trees/git_list.h)
	const char *runs; // links to live runs (boxes/record.h)
	bool fresh;       // the list is new
	bool open;        // the box can write a repository of the list
};

struct variable {
	const char *name, *value;
	const char *why;
	char *entry; // the caller's NAME=VALUE, or NULL
};

struct filter {
	unsigned short count;
	const void *code;
};

// The way out, decided: who may be reached, and what else the box's network is made of.
struct egress {
	bool on; // mode proxy: by the box's network, in tier landlock by notification
	struct list allow, deny; // groups taken apart
	struct list reasons;     // of words of `allow` from groups
	struct list closed;      // groups' public names that are not in `allow`, with the file or
				 // variable for it
	uint16_t loopback[8], ports[16]; // loopback: the host's; ports: without redirection
	unsigned loopback_count, port_count;
	struct publish {
		uint16_t inside, outside;
		bool any; // a free one outside
	} publish[8];
	unsigned publish_count;
	const char *proxy;    // sbx's own, as a URL
	const char *upstream; // the caller's own, as a URL, or NULL
	bool behind_box;      // upstream is an outer box's
	const char *no_proxy;
};

// A descriptor of the command that is a character device.
struct node {
	int fd;
	struct identity identity;
	const char *path; // the box opens it instead; NULL: keeps the descriptor
};

// How limits are enforced that rlimits cannot.
enum means {
	MEANS_RLIMITS, // and the supervisor
	MEANS_GROUP,   // a cgroup (v2) of sbx's
	MEANS_SCOPE,   // from the user's service manager
};
enum hierarchy { HIERARCHY_ONE, HIERARCHY_GUARD, HIERARCHIES };
struct keeping {
	enum means means;
	uint64_t held;      // LIMIT_BITs that the group enforces
	uint64_t watched;   // LIMIT_BITs that the supervisor enforces
	uint64_t pids;      // of the groups above; UNLIMITED: none
	const char *caller; // a group with a limit that the box must stay in, or NULL
	bool slice;         // MEANS_GROUP: `parents` is sbx's own
	// The box's group is made in these; v2 has only the first. GUARD: v2 beside v1, for BPF.
	const char *parents[HIERARCHIES];
};

// The session of a run. A layer is a directory named by its id, with two directories for each root:
// content and overlay work (session/store/store.h).
enum { ROOTS_MAX = 32, CHAIN_MAX = 16, LAYER_ID = 8 };
struct root {
	const char *path;
	bool own;    // no host directory below
	bool system; // in every run, never applied
};
struct lasting {
	const char *name, *project;
	const char *layers; // the directory of all layers
	struct identity layers_identity;
	const char *chain[CHAIN_MAX]; // ids; the first is writable
	unsigned chain_count;
	struct root roots[ROOTS_MAX];
	unsigned root_count;
	unsigned roots_made; // roots with directories in the first layer
	struct held *held;   // shared lock until the run ends
	int gate;            // exclusive lock until the box stands
};
#define EMPTY_LAYER "empty" // the lower directory without a host's

// The filter before the caller's ssh-agent (sshagent/sshagent.h).
struct agent_wish {
	const char *socket, *directory; // outside, in the box; NULL: no filter
	const char *agent;
	struct list keys; // "/path" of a public key, "SHA256:...", or a comment
	struct list hosts, namespaces;
	struct list known; // files of known hosts, real paths
};

// A secret that stays outside, and its stand-in in the box.
struct credential {
	const char *name;
	struct list hosts;
	struct list headers; // besides the usual ones
	enum { SECRET_VARIABLE, SECRET_FILE } kind;
	const char *source; // a variable of the caller, or an absolute path
	const char *tried;  // the variables, for people
	struct list variables;
	const char *placeholder; // of a running box; else NULL
	bool others;             // other credentials may go there, too
	struct origin from;
};

struct snippet {
	const char *path, *text; // path NULL: none
};

enum { MOUNTS_MAX = 8192 };

struct plan {
	struct arena *arena;
	struct arena *scratch; // for the making of the plan; then NULL
	struct resolver *resolver;
	const struct profile *profile;

	pid_t run;
	uid_t uid;
	gid_t gid;

	const char *home;           // the caller's, also in the box
	const char *real_home;      // without symlinks, as the next two
	const char *config, *state; // ~/.config/sbx, ~/.local/state/sbx, or by XDG
	const char *current;
	const char *toplevel; // of git, or the current directory; NULL: unsuitable
	bool given;           // toplevel is of --project-dir
	bool home_given;      // and is the home
	const char *project;
	const char *directory; // the command's first
	struct identity directory_identity;
	const char *caches; // the project's caches, below `state`

	struct mount *mounts; // in order of making: parents first
	unsigned mount_count;

	struct list hidden, kept; // by lines of hide and protect, which win

	struct list untracked,
		altered; // hidden paths of the project that git lists as changed, or not at all
	bool absent;     // one is a dangling link

	struct copy *copies;
	unsigned copy_count;
	struct start *starts;
	unsigned start_count, start_room;
	struct place *places;
	unsigned place_count, place_room;
	const char *profiles_noted;  // lines for the state's list of given profiles, or NULL
	struct gitnamed *configured; // by git's configuration; for the making of the plan
	struct list git_names;       // "remote.x", "branch.x", of other files of git
	struct searched *searched;   // writable as a whole
	unsigned searched_count;
	bool due;                     // the check after a killed run
	const char *index;            // git's, of the project, or NULL
	struct file_state indexed;    // its state at the start; 0: absent
	const char *repository;       // the project's git directory, or NULL
	struct timespec start;        // by the clock of file times
	struct timespec start_steady; // by the steady clock

	bool as_root;            // uid 0 inside is the caller; chown() succeeds without effect
	struct lasting *session; // NULL: writes go to the host, or are dropped

	enum tier tier;
	bool inside;           // in a box of sbx
	const char *temporary; // TIER_LANDLOCK: this run's directory
	struct filter asking;  // the second filter, with a listener: seccomp/asking.h
	bool asking_group;     // only keeps signals from the caller's process group
	bool asking_spare;     // only reports: optional
	bool looks;            // a thread finds refusals (notify/explain.c)
	const char *unasked;   // why it finds no refused writes, or NULL
	bool background; // the run began in the background of a terminal, with descriptors of it

	unsigned namespaces;   // CLONE_NEW* of pid 1
	unsigned inotify_most; // of all the box's processes
	bool own_network;      // with lo; else the host's network
	struct egress egress;
	struct keeping keeping;
	bool nested;  // user namespaces inside, so no Landlock
	int landlock; // ABI in use, or 0
	struct filter filter;
	unsigned left_open; // system calls left to the supervisor (net/setup/netns.h)
	bool executes;      // --ask-program or --review: no filter of the supervisor

	char **environment;
	struct variable *variables;
	struct list unbrought; // variables whose files cannot be shown; origin's file: why
	unsigned variable_count;

	const int *keep;
	unsigned keep_count;
	struct node *nodes; // of those, and of 0, 1, 2
	unsigned node_count;

	struct credential *credentials;
	unsigned credential_count;
	const char *roots_path; // trusted roots in the box; NULL: no opener
	const char *roots;      // of the host and the caller, PEM
	const char *trusted;    // with the box's authority; NULL before a run

	char *const *command;
	struct snippet snippet;
	bool timing;
	int ready;   // gets the pid when the command runs; 0: none
	int front;   // a socket, notified when the command runs (report/front.h); 0: none
	bool logged; // refusals become lines of stderr at once
	struct terminal_wish terminal; // of the command, in the background
	int parent;               // the run ends with it; 0: none, -1: of another pid namespace
	int event_fd;             // for events (report/summary.h); 0: none
	const char *event_option; // of the descriptor, without "--"
	bool event_status;        // --status-fd: also the start, no report
	// Answers for unlisted destinations (ask/ask.h).
	enum asks { ASK_NOBODY, ASK_TERMINAL, ASK_PROGRAM } ask;
	const char *ask_program;
	bool unprotected;
	bool without_gitconfig; // the caller's has secrets, and no copy is possible
	bool without_husky;     // the host has not set up husky
	bool explain;           // report denied files and programs, too
	bool learn;             // report reads and used hosts
	const char *profile_name;
	struct agent_wish agent;
	bool trying; // .sbx.ini as if it were trusted (cli/profile/profile_trust.c)
	bool terse;  // report only moved and withheld things
	// The report is for a person on a terminal.
	bool person;
	bool noted; // earlier runs left a list (postcheck/finding/finding.h)

	const char *shut; // why the plan failed: a directory without its owner's x bit, or NULL

	struct list warnings; // what falls short of the request: reported at the end
	unsigned locked;      // lines of the administrator's file (policy/find.h)
	struct list notes;    // what is weaker than wanted, or left out: shown by `sbx plan`
};
