// All decisions of a run. The plan is read-only from the step "go" on.
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

// A file or directory that planning saw. The mount fails if another is there.
struct identity {
	dev_t device;
	ino_t inode;
	mode_t type;
};

enum mount_kind {
	MOUNT_DIRECTORY, // on the box's tmpfs
	MOUNT_LINK,
	MOUNT_BIND,
	MOUNT_TMPFS,   // empty, or with copies of the files of `source`
	MOUNT_SCRATCH, // an overlay: a tmpfs over a host directory
	MOUNT_LAYERS,  // a session's overlay, over a host directory or nothing
	MOUNT_MASK,    // an empty unreadable file or directory
	MOUNT_SELF,    // a path of the box over itself, read-only
	MOUNT_PROC,
	MOUNT_PTS,
	MOUNT_TEXT, // a file with sbx's text
	MOUNT_COPY, // an entry of plan->copies; mounted last
};

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_DEVICE, ACCESS_NOTHING };

struct mount {
	enum mount_kind kind;
	enum access access;
	bool on_host;  // the target's parent is a host directory
	bool optional; // no mount where the target is missing
	// The target is in a layer, scratch directory or cache, and may be missing.
	bool unknown;
	bool in_cache; // below a cache: files that boxes made at `target` are removed
	bool dangling; // MOUNT_MASK: the mask is a dangling link
	bool plain;    // the directory contains only directories and sample hooks
	bool cache;    // made by the step "caches", which fills `kept`
	const char *target;
	const char *source;       // host path, or text of a link or MOUNT_TEXT
	struct identity identity; // of the source; if on_host, of the target
	struct identity kept;
	unsigned copy; // index in plan->copies
	uint64_t size; // bytes; 0: the option tmp-size
	unsigned mode; // 0: the default
	unsigned root; // index in plan->session->roots
	struct origin from;
};

// A git configuration. The box has a copy, which is merged after the run.
struct copy {
	const char *path, *top; // git's current directory for its commands, or NULL
	struct identity identity;
	struct timespec changed; // ctime
	const char *text;
	size_t length;
	mode_t mode;
	int lock;       // descriptor: flock(2) of the git directory
	bool worktrees; // git also reads config.worktree files
};
enum { COPIES_MAX = 64 };

// A writable repository's configuration at the start.
struct start {
	const char *path, *text;
	size_t length;
};
#define COPIES_DIRECTORY "/dev/sbx"

enum act {
	ACT_NONE,
	ACT_REPORT, // report new and changed files
	ACT_FOLLOW, // report changes behind links
	ACT_QUARANTINE,
	ACT_HOOKS,     // quarantine all but *.sample
	ACT_ADDRESSES, // quarantine new files, report changed ones
	ACT_CONFIG,    // reduce it to harmless keys
	ACT_WORKTREES,
	ACT_MODULES,
	ACT_REPOSITORY,
	ACT_BARE,   // check whether the directory of this HEAD is a repository
	ACT_OPENED, // no act: the user made the name writable
};

struct stood {
	const char *name;
	unsigned type, inode; // DT_*; low bits of the inode
};

// A directory with names that the host executes or trusts. Its listing at the start is compared
// after the run.
struct place {
	enum place_role {
		PLACE_NAMED,
		PLACE_TABLE,
		PLACE_GIT,
		PLACE_WORKTREE,
		PLACE_WORKTREES,
		PLACE_MODULES,
		PLACE_HOOKS,
		PLACE_PROGRAMS
	} role;
	unsigned part; // the listing is incomplete
	const char *path;
	const char *above;    // PLACE_TABLE: the directory's path in the table of names/names.h
	struct stood *before; // sorted by name
	unsigned count;
	struct list names; // origin.line: enum act; .order, for ACT_FOLLOW: low inode bits
	uint64_t inode;
	struct timespec changed; // ctime; 0: changed just before the listing
};
enum { PLAN_PLACES_MAX = 2048 };

// A directory that is searched for repositories.
struct tree {
	const char *path;
	const char *list; // file of repositories (trees/trees.h)
	const char *runs; // links to live runs (boxes/record.h)
	bool fresh;
	bool open; // the box can write a listed repository
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

struct egress {
	bool on;                 // mode proxy
	struct list allow, deny; // groups are replaced by members
	struct list reasons;
	struct list closed;              // groups' hosts that stay closed; origin's file: why
	uint16_t loopback[8], ports[16]; // host's ports for the box; ports without redirection
	unsigned loopback_count, port_count;
	struct publish {
		uint16_t inside, outside;
		bool any;
	} publish[8];
	unsigned publish_count;
	const char *proxy;
	const char *upstream; // an outer proxy, or NULL
	bool behind_box;      // the outer proxy is sbx
	const char *no_proxy;
};

// A character device among the command's descriptors.
struct node {
	int fd;
	struct identity identity;
	const char *path; // where the box opens it again; NULL: the box inherits `fd`
};

enum means {
	MEANS_RLIMITS, // rlimits and checks of the supervisor
	MEANS_GROUP,   // a cgroup v2 of sbx
	MEANS_SCOPE,   // a scope of the user's service manager
};
enum hierarchy { HIERARCHY_ONE, HIERARCHY_GUARD, HIERARCHIES };
struct keeping {
	enum means means;
	uint64_t held;      // LIMIT_BITs that the cgroup enforces
	uint64_t watched;   // LIMIT_BITs that the supervisor enforces
	uint64_t pids;      // limit on processes in cgroups above the box
	const char *caller; // the caller's cgroup with limits, where the box stays; or NULL
	bool slice;         // sbx made `parents`
	// Parents of the box's cgroups. HIERARCHY_GUARD: on cgroup v2, for BPF.
	const char *parents[HIERARCHIES];
};

// A session's layer is a directory, named by its id, with the content and overlay work of each root
// (session/store/store.h).
enum { ROOTS_MAX = 32, CHAIN_MAX = 16, LAYER_ID = 8 };
struct root {
	const char *path;
	bool own;    // without a host directory
	bool system; // in every run; its changes are never applied
};
struct lasting {
	const char *name, *project;
	const char *layers;
	struct identity layers_identity;
	const char *chain[CHAIN_MAX]; // layers' ids; the first is writable
	unsigned chain_count;
	struct root roots[ROOTS_MAX];
	unsigned root_count;
	unsigned roots_made; // roots with directories in the first layer
	struct held *held;   // shared lock of the session
	int gate;            // descriptor with an exclusive lock until the mounts are made
};
#define EMPTY_LAYER "empty" // lower directory where the host has none

struct agent_wish {
	const char *socket, *directory; // of the filter, the same paths in the box; NULL: no filter
	const char *agent;
	struct list keys; // "/path" of a public key, "SHA256:..." or a comment
	struct list hosts, namespaces;
	struct list known; // known_hosts files
};

struct credential {
	const char *name;
	struct list hosts;
	struct list headers; // in addition to the usual ones
	enum { SECRET_VARIABLE, SECRET_FILE } kind;
	const char *source; // variable or absolute path
	const char *tried;  // variables' names, for messages
	struct list variables;
	const char *placeholder; // NULL before the run
	bool others;             // other credentials may go to `hosts`
	struct origin from;
};

struct snippet {
	const char *path, *text;
};

enum { MOUNTS_MAX = 8192 };

struct plan {
	struct arena *arena;
	struct arena *scratch; // freed after planning
	struct resolver *resolver;
	const struct profile *profile;

	pid_t run;
	uid_t uid;
	gid_t gid;
	mode_t umask;

	const char *home;
	const char *real_home;      // `home` without symlinks
	const char *config, *state; // ~/.config/sbx, ~/.local/state/sbx, or by XDG
	const char *current;
	const char *toplevel; // git's top, or the current directory; NULL: unsuitable
	bool given;           // toplevel is --project-dir
	bool home_given;
	const char *project;
	const char *directory; // the command's current directory
	struct identity directory_identity;
	const char *caches;

	struct mount *mounts; // parents before children
	unsigned mount_count;

	struct list hidden, kept; // paths of hide and protect lines

	struct list untracked,
		altered; // hidden files of the project: not in git's index; changed since
	bool dangling;

	struct copy *copies;
	unsigned copy_count;
	struct start *starts;
	unsigned start_count, start_room;
	struct place *places;
	unsigned place_count, place_room;
	const char *profiles_noted;  // content of the state's file `given`, or NULL
	struct gitnamed *configured; // names in git's configuration, freed after planning
	struct list git_names;       // "remote.x", "branch.x" that other files of git name
	struct tree *trees;          // trees that are writable as a whole
	unsigned tree_count;
	bool due;                  // the plan of a killed run, checked now
	const char *index;         // the project's git index, or NULL
	struct file_state indexed; // `index` at the start; 0: none
	const char *repository;    // the project's git directory, or NULL
	struct timespec start;     // by the clock of file times
	struct timespec start_steady;

	bool as_root;            // uid 0 in the box; chown() does nothing
	struct lasting *session; // or NULL

	enum tier tier;
	bool inside;           // in a box of another sbx
	const char *temporary; // TIER_LANDLOCK: the run's directory in /tmp
	struct filter asking;  // second filter, with a listener (seccomp/asking.h)
	bool asking_group;     // `asking` is only for signals to the caller's group
	bool asking_spare;     // `asking` only serves reports: installing it may fail
	bool looks;            // a thread finds refusals (notify/explain.c)
	const char *unasked;   // why refused writes are not found, or NULL
	bool background;

	unsigned namespaces; // CLONE_NEW*
	unsigned inotify_most;
	bool own_network;
	struct egress egress;
	struct keeping keeping;
	bool nested;  // the box may make user namespaces: no Landlock
	int landlock; // ABI, or 0
	struct filter filter;
	unsigned left_open; // LEFT_* of apart/apart.h
	bool executes;      // the supervisor has no filter: it starts programs

	char **environment;
	struct variable *variables;
	struct list unbrought; // text: why a variable is withheld; origin's file: its name
	unsigned variable_count;

	const int *keep;
	unsigned keep_count;
	struct node *nodes; // devices among `keep` and 0 to 2
	unsigned node_count;

	struct credential *credentials;
	unsigned credential_count;
	const char *roots_path; // trusted certificates in the box; NULL: no opener
	const char *roots;      // certificates of host and caller, PEM
	const char *trusted;    // `roots` and the opener's certificate, or NULL

	char *const *command;
	struct snippet snippet;
	bool timing;
	int ready; // descriptor for the running command's pid; 0: none
	int front; // socket of the front (report/front.h); 0: none
	bool logged;
	struct terminal_wish terminal; // of a command in the background
	int parent;                    // pid; the run ends with it; 0: none; -1: pid unknown here
	int event_fd;                  // for events (report/summary.h); 0: none
	const char *event_option;      // option of event_fd, without "--"
	bool event_status;             // --status-fd: start and end, no report
	// Who answers for unlisted destinations (ask/ask.h).
	enum asks { ASK_NOBODY, ASK_TERMINAL, ASK_PROGRAM } ask;
	const char *ask_program;
	bool unprotected;
	bool without_gitconfig; // the caller's has secrets
	bool without_husky;
	bool explain; // report refused files and programs
	bool learn;   // report reads and used hosts
	const char *profile_name;
	struct agent_wish agent;
	bool trying; // untrusted .sbx.ini applies (cli/profile/profile_trust.c)
	bool terse;  // report only quarantined and withheld things
	// The reader is a person on a terminal.
	bool person;
	bool noted; // earlier runs left unshown changes (postcheck/acts/check.h)

	const char *unreadable; // path where planning failed, or NULL

	struct list warnings; // unmet requests: reported at the end
	unsigned locked;      // count of the administrator's lines (policy/find.h)
	struct list notes;    // weaker protections: shown by `sbx plan`
};
