// What was decided. Made while the box prepares what needs no plan, sealed read-only by the step
// "go"; nothing is decided later.
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

// A file or directory as it was when the plan was made; a mount of anything else is refused.
struct identity {
	dev_t device;
	ino_t inode;
	mode_t type; // S_IFMT bits
};

enum mount_kind {
	MOUNT_DIRECTORY, // made on our own tmpfs, to mount or link below
	MOUNT_LINK,      // a symlink of the host, made again
	MOUNT_BIND,      // a file or directory of the host
	MOUNT_TMPFS,     // empty, or with copies of the files of `source`; thrown away
	MOUNT_SCRATCH,   // an overlay: a directory of the host below, a tmpfs above
	MOUNT_LAYERS, // an overlay of a session: layers that last, over a directory of the host or
		      // none
	MOUNT_MASK,   // an empty unreadable file or directory over something of the host
	MOUNT_SELF,   // a part of the view over itself, read-only
	MOUNT_PROC,   // a fresh /proc
	MOUNT_PTS,    // an own devpts
	MOUNT_TEXT,   // a read-only file with our own words, over one of the host or where none is
	MOUNT_COPY,   // a link to a copy of plan->copies over a file of the host; made last
};

// Also decides the Landlock rights below the target.
enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_DEVICE, ACCESS_NOTHING };

struct mount {
	enum mount_kind kind;
	enum access access;
	bool on_host;  // the target's directory belongs to the host: it is opened and compared
	bool optional; // MOUNT_SELF, MOUNT_MASK: a kernel without the name is fine; MOUNT_TEXT: so
		       // is a host without it
	// Below a MOUNT_LAYERS, a MOUNT_SCRATCH or a cache, of which only the box knows the
	// content.
	bool unknown;
	bool in_cache;            // in a cache: what boxes left in the way is removed
	bool absent;              // MOUNT_MASK: a link to nowhere, as if nothing were there
	bool plain;               // a wall around nothing but directories and samples of hooks
	bool cache;               // the source is made by the step "caches", which fills `kept`
	const char *target;       // in the box, absolute and clean
	const char *source;       // on the host, or the text of a link or of a MOUNT_TEXT
	struct identity identity; // of the source, and of the target when on_host
	struct identity kept;     // of a cache's source
	unsigned copy;            // MOUNT_COPY: index of plan->copies
	uint64_t size;            // MOUNT_TMPFS: bytes, 0: as the limit tmp-size
	unsigned mode;            // MOUNT_TMPFS, MOUNT_TEXT: 0: the usual one
	unsigned root;            // MOUNT_LAYERS: index of plan->session->roots
	struct origin from;
};

// A configuration of git that the box gets a copy of; what it changes there is merged afterwards.
struct copy {
	const char *path;
	struct identity identity;
	struct timespec changed; // ctime: an unchanged file has both as they were
	const char *text;
	size_t length;
	mode_t mode;
	int lock;       // flock of the git directory, shared while the box runs
	bool worktrees; // each has a file config.worktree
};
enum { COPIES_MAX = 64 };

// The text of one that the box can write, of a repository that stood there when the run began.
struct start {
	const char *path, *text;
	size_t length;
};
#define COPIES_DIRECTORY "/dev/sbx"

// The act on a name that came to a place.
enum act {
	ACT_NONE,
	ACT_TELL,       // reported; one that stood, too, when it changed
	ACT_FOLLOW,     // the same, of what it leads to
	ACT_TAKE,       // moved to quarantine
	ACT_HOOKS,      // only *.sample may appear in it
	ACT_ADDRESSES,  // files that appear in it are moved to quarantine, others reported
	ACT_CONFIG,     // cut to harmless keys
	ACT_WORKTREES,  // entries that are new are looked through, as are
	ACT_MODULES,    // those of submodules
	ACT_REPOSITORY, // a .git: looked through
	ACT_BARE,       // HEAD of a directory that git takes for no repository: looked through when
			// it does
	ACT_OPENED,     // the user named it as writable
};

struct stood {
	const char *name;
	unsigned type, inode; // DT_* of the listing, the low bits
};

// A directory in which names act on the host: listed when the run begins, and compared with that.
struct place {
	enum place_role {
		PLACE_NAMED,     // nothing but `names`
		PLACE_TABLE,     // by the table of trusted names
		PLACE_GIT,       // a git directory: by git/layout.c
		PLACE_WORKTREE,  // that of a worktree
		PLACE_WORKTREES, // its entries are looked through, as are
		PLACE_MODULES,   // those of submodules
		PLACE_HOOKS,     // that came: only *.sample may appear
		PLACE_PROGRAMS   // of PATH
	} role;
	unsigned part; // not all that stood is known
	const char *path;
	const char *above;    // TABLE: what the table's names begin with here, or ""
	struct stood *before; // sorted; TABLE: those that count
	unsigned count;
	struct list names; // by their paths below; the line is the act, the order of ACT_FOLLOW the
			   // low bits of the inode
	uint64_t inode;    // of the directory when it was listed, and
	struct timespec changed; // its ctime; all 0 where something may have come in the same tick
};
enum { PLAN_PLACES_MAX = 2048 };

// A directory that is looked through for repositories.
struct searched {
	const char *path;
	const char *list; // of the state: the repositories below it (trees/git_list.h)
	const char *runs; // and of the runs that live there (boxes/record.h)
	bool fresh;       // there was none: it was made before this run
	bool open;        // the box can write a repository of the list
};

struct variable {
	const char *name, *value; // value NULL: withheld
	const char *why;          // of a withheld one
	char *entry;              // NAME=VALUE as the caller had it, or NULL
};

// A program of classic BPF as the kernel takes it: struct sock_fprog, but its code is const.
struct filter {
	unsigned short count;
	const void *code; // struct sock_filter
};

// The way out, decided: who may be reached, and what else the box's network is made of.
struct egress {
	bool on; // mode proxy, by a network of the box's own or, in tier landlock, by notification
	struct list allow, deny; // groups taken apart
	struct list reasons;     // of each word of `allow` that a group brought: why
	struct list closed; // public names of groups, each with the file or variable for which they
			    // are not in `allow`
	uint16_t loopback[8], ports[16]; // ports of the host's loopback; ports without redirection
	unsigned loopback_count, port_count;
	struct publish {
		uint16_t inside, outside;
		bool any; // a free one outside
	} publish[8];
	unsigned publish_count;
	const char *proxy;    // URL of our own, for programs that insist
	const char *upstream; // URL of the caller's own proxy, or NULL
	bool behind_box;      // which is that of a box around this one
	const char *no_proxy;
};

// A descriptor of the command that is a character device.
struct node {
	int fd;
	struct identity identity;
	const char *path; // that the box opens instead; NULL: it keeps what it was given
};

// How the limits are kept that rlimits cannot keep.
enum means {
	MEANS_RLIMITS, // and the supervisor's eye
	MEANS_GROUP,   // a cgroup (v2) that we make ourselves
	MEANS_SCOPE,   // one that the manager of the user's services makes
};
enum hierarchy { HIERARCHY_ONE, HIERARCHY_GUARD, HIERARCHIES };
struct keeping {
	enum means means;
	uint64_t held;      // LIMIT_BITs that the group keeps
	uint64_t watched;   // LIMIT_BITs that the supervisor looks after
	uint64_t pids;      // of the groups that the box is made outside of; UNLIMITED: none
	const char *caller; // a group that the box must not leave, and its limit; NULL: none
	bool slice;         // MEANS_GROUP: `parents` is sbx's own, and made when it is missing
	// Directories to make the box's group in; v2 has only the first. GUARD: v2 beside v1, for
	// BPF.
	const char *parents[HIERARCHIES];
};

// The session that a run happens in. A layer is a directory by its id, with a directory for each
// root and one beside it to work in (session/store/store.h).
enum { ROOTS_MAX = 32, CHAIN_MAX = 16, LAYER_ID = 8 };
struct root {
	const char *path;
	bool own;    // nothing of the host lies below
	bool system; // mounted in every run, whatever the profile says, and never applied
};
struct lasting {
	const char *name, *project;
	const char *layers; // the directory of all layers
	struct identity layers_identity;
	const char *chain[CHAIN_MAX]; // ids, the one that is written first
	unsigned chain_count;
	struct root roots[ROOTS_MAX];
	unsigned root_count;
	unsigned roots_made; // so many have their directories in the first layer
	struct held *held;   // locked, shared, until the run ends
	int gate;            // locked alone, until the box stands
};
#define EMPTY_LAYER "empty" // below what has nothing below

// The filter before the caller's ssh-agent (sshagent/sshagent.h).
struct agent_wish {
	const char *socket, *directory; // outside and in the box; NULL: there is no filter
	const char *agent;              // the caller's socket
	struct list keys;               // "/path" of a public key, "SHA256:...", or a comment
	struct list hosts, namespaces;
	struct list known; // files of known hosts, by their real paths
};

// A secret that stays outside: where its value is read, and what the box has in its place.
struct credential {
	const char *name;
	struct list hosts;   // where it goes, each with its ports
	struct list headers; // that carry it besides the usual ones
	enum { SECRET_VARIABLE, SECRET_FILE } kind;
	const char *source;      // name of the caller's variable, or an absolute path
	struct list variables;   // that hold the placeholder in the box
	const char *placeholder; // of a run that has begun; else NULL
	bool others;             // other credentials may go to its hosts, too
	struct origin from;
};

// A text that the box sees as a file.
struct snippet {
	const char *path, *text; // path NULL: none
};

enum { MOUNTS_MAX = 8192 };

struct plan {
	struct arena *arena;
	struct arena *scratch;     // what only the making of the plan needs; NULL afterwards
	struct resolver *resolver; // of paths, as long
	const struct profile *profile;

	pid_t run; // whose number the run has
	uid_t uid;
	gid_t gid;

	const char *home;           // of the caller, also inside
	const char *real_home;      // without symlinks, as are the next two
	const char *config, *state; // ~/.config/sbx and ~/.local/state/sbx, by XDG
	const char *current;        // the caller's directory
	const char *toplevel;  // of git, or the current directory; NULL when it is none to work in
	bool given;            // toplevel is the directory of --project-dir
	bool home_given;       // which is the home
	const char *project;   // NULL when there is none
	const char *directory; // the command starts here
	struct identity directory_identity;
	const char *caches; // directory below `state` that holds the project's caches

	struct mount *mounts; // in the order they are made: parents first
	unsigned mount_count;

	struct list hidden, kept; // paths by lines that win against all others: hide, and protect

	struct list untracked,
		altered; // of the project, hidden: git does not list it, or as another
	bool absent;     // one of these is a link to nowhere

	struct copy *copies;
	unsigned copy_count;
	struct start *starts;
	unsigned start_count, start_room;
	struct place *places;
	unsigned place_count, place_room;
	const char *profiles_noted;  // lines for the state's list of given profiles, or NULL
	struct gitnamed *configured; // what git's configuration names; for the making of the plan
	struct list git_names;       // "remote.x", "branch.x": what other files of git's have
	struct searched *searched;   // writable as a whole: the project, and directories beside it
	unsigned searched_count;
	bool due;                     // this is the check after a killed run
	const char *index;            // git's, of the project; NULL when it has none
	struct file_state indexed;    // it, when the command began; all 0: it was not there
	const char *repository;       // the project's git directory, or NULL
	struct timespec start;        // by the clock that files are stamped with
	struct timespec start_steady; // and by one that nobody sets

	bool as_root; // uid 0 inside is the caller's, and ownership that it sets is answered with
		      // success
	struct lasting *session; // NULL: what the box writes goes to the host, or is thrown away

	enum tier tier;
	bool inside;           // a box of sbx: what that one refuses stays refused
	const char *temporary; // TIER_LANDLOCK: a directory for this run alone
	struct filter asking;  // a second one, with a listener: seccomp/asking.h
	bool asking_group;     // it only keeps signals from the caller's process group
	bool asking_spare;     // it only reports: where a machine gives none, none is needed
	bool looks;            // a thread finds refusals (notify/explain.c)
	const char *unasked;   // why it finds no refused writes, or NULL
	bool background;       // the run began there, and has descriptors of the terminal

	unsigned namespaces;   // CLONE_NEW* of the box's pid 1
	unsigned inotify_most; // inotifies of all the box's processes
	bool own_network;      // a network namespace with lo, else the host's network
	struct egress egress;
	struct keeping keeping;
	bool nested;  // user namespaces allowed inside, so no Landlock
	int landlock; // ABI in use, 0 for none
	struct filter filter;
	unsigned left_open; // of the supervisor's own filter (net/setup/netns.h)
	bool executes;      // by --ask-program or --review: then it has none

	char **environment;         // as execve takes it
	struct variable *variables; // as people read it
	struct list unbrought;      // by the origin's file: variables that name what cannot be
				    // shown, and why
	unsigned variable_count;

	const int *keep;
	unsigned keep_count;
	struct node *nodes; // of those, and of 0, 1, 2
	unsigned node_count;

	struct credential *credentials;
	unsigned credential_count;
	const char *
		roots_path; // where the box finds the roots that it trusts; NULL: nothing is opened
	const char *roots;  // of the host and the caller, as PEM
	const char *trusted; // these and the box's own authority; NULL before a run

	char *const *command;
	struct snippet snippet;
	bool timing;
	int ready;   // where the pid is written when the command runs; 0: nowhere
	int front;   // a socket that hears when the command runs (report/front.h); 0: none
	bool logged; // refusals are lines of stderr when they happen
	struct terminal_wish terminal; // of the command, in the background
	int parent; // the run ends with this process; 0: with none, -1: with one that has no number
		    // here
	int event_fd;             // of the caller's, for events (report/summary.h); 0: none
	const char *event_option; // that asked for them, without "--"
	bool event_status;        // --status-fd: the start as well, and no report
	// Who answers for destinations that are not listed (ask/ask.h), and the program's path.
	enum asks { ASK_NOBODY, ASK_TERMINAL, ASK_PROGRAM } ask;
	const char *ask_program;
	bool unprotected;         // by --no-protect
	bool without_gitconfig;   // of the caller's: it holds secrets, and no copy can be shown
	bool without_husky;       // a protected .husky that was never set up here
	bool explain;             // tell of denied files and programs, too
	bool learn;               // of reads as well, and of hosts that were used
	const char *profile_name; // the last that was named
	struct agent_wish agent;
	bool terse; // tell only what was taken away or withheld
	// Who reads the report: a person, on a terminal.
	bool person;
	bool noted; // earlier runs left a list for this one (postcheck/finding/finding.h)

	const char *shut; // why the plan failed: a directory that keeps its owner out, or NULL

	struct list warnings; // what falls short of the request: reported at the end of a run
	unsigned locked;      // lines of the administrator's file that hold (policy/find.h)
	struct list notes;    // what is weaker than wanted, or left out: shown by `sbx plan`
};
