// Owns the order of a run. Read this first: each row carries its reason.
#include "run/steps.h"

#include <stddef.h>

#include "bpf/guard.h"
#include "jail/asking.h"
#include "jail/caps.h"
#include "jail/domain.h"
#include "jail/hold.h"
#include "jail/init.h"
#include "jail/landlock.h"
#include "jail/rlimits.h"
#include "jail/mount.h"
#include "jail/ns.h"
#include "jail/prepare.h"
#include "jail/seccomp.h"
#include "jail/settings.h"
#include "jail/tty.h"
#include "limits/group.h"
#include "net/setup/netns.h"
#include "net/host/proxy.h"
#include "run/decide.h"
#include "run/signals.h"
#include "run/standard_io.h"
#include "session/attach.h"

// clang-format off
const struct step steps[] = {
	{ SIDE_HOST, BOTH, "terminal", tty_host, tty_undo,
	  "remember the caller's terminal, to give it back on every way out" },
	{ SIDE_HOST, BOTH, "signals", signals_host, NULL,
	  "block all signals before there is anybody to lose: they are read, never handled" },
	{ SIDE_HOST, LANDLOCK, "inheritance", caps_host, NULL,
	  "no capability passes on: without a user namespace the clone changes no set" },
	{ SIDE_HOST, BOTH, "publish", proxy_host, proxy_undo,
	  "bind the ports of the host's loopback that lead inside, while a failure costs nothing" },
	{ SIDE_HOST, FULL, "session", attach_host, attach_undo,
	  "find the session's other commands: a layer is mounted once, and their mounts are ours" },
	{ SIDE_HOST, BOTH, "cgroup", group_host, group_undo,
	  "make the box's cgroup, so that the box begins in it: to move it later takes milliseconds" },
	{ SIDE_HOST, FULL, "settings", settings_host, settings_undo,
	  "for a root caller, /etc with root's files as nobody's: in its namespace nobody can map them" },
	{ SIDE_HOST, BOTH, "namespaces", ns_clone, ns_undo,
	  "one clone with every namespace; the box's pid 1 begins here" },
	{ SIDE_HOST, BOTH, "group-limits", group_fill_host, group_fill_undo,
	  "write its limits, or ask the user's service manager, while the box prepares" },
	{ SIDE_HOST, BOTH, "plan", decide_host, NULL,
	  "decide the view and the environment, while the box prepares what needs no plan" },
	{ SIDE_HOST, FULL, "caches", mount_host, NULL,
	  "make the cache directories, checked to be the caller's own" },
	{ SIDE_HOST, FULL, "layers", attach_layers_host, NULL,
	  "make the layer's directories, and note the run for those that come later" },
	{ SIDE_HOST, LANDLOCK, "temporary", domain_host, domain_undo,
	  "make the directory that this run alone may use for temporary files" },
	{ SIDE_HOST, BOTH, "group-ready", group_ready_host, NULL,
	  "wait for that manager: the command never runs outside of its limits" },
	{ SIDE_HOST, FULL, "guard", guard_host, guard_undo,
	  "hang programs on the cgroup: what the view's devices are is known now" },
	{ SIDE_HOST, BOTH, "standard-io", standard_io_host, standard_io_undo,
	  "open what takes the place of stdin and stdout: that can fail, and the box has not begun" },
	{ SIDE_HOST, BOTH, "go", decide_go, NULL,
	  "seal the plan and hand it over; the last of this side: from here on the command may run" },

	{ SIDE_BOX, BOTH, "lifeline", ns_child_lifeline, NULL,
	  "die with the supervisor, even when it is killed; first, so that no later step outlives it; and before the user's programs when memory runs out" },
	{ SIDE_BOX, LANDLOCK, "adopt", domain_child, NULL,
	  "become the parent of orphans, so that none is left when the command ends" },
	{ SIDE_BOX, FULL, "network", netns_child_network, NULL,
	  "begin the box's own network in a helper: it takes as long as all that follows" },
	{ SIDE_BOX, FULL, "ids", ns_child_ids, NULL,
	  "map the caller's ids one to one; before anything that asks for ids" },
	{ SIDE_BOX, FULL, "hostname", ns_child_hostname, NULL, "the box's own name" },
	{ SIDE_BOX, FULL, "root", mount_child_root, NULL, "an empty root on a tmpfs" },
	{ SIDE_BOX, FULL, "prepare", prepare_child, NULL,
	  "make what every view has while the host side plans; it is nowhere until the plan names it" },
	{ SIDE_BOX, BOTH, "wait", decide_child, NULL, "wait for the plan" },
	{ SIDE_BOX, FULL, "view", mount_child_view, NULL,
	  "mount what the plan names, each source compared with what the plan saw" },
	{ SIDE_BOX, FULL, "lock", ns_child_lock, NULL,
	  "no user namespace below this one: a second lock beside the filter's; and a part of the caller's inotifies alone" },
	{ SIDE_BOX, FULL, "proc", mount_child_proc, NULL,
	  "what a root caller owns in /proc becomes read-only; after the last write to it" },
	{ SIDE_BOX, FULL, "pivot", mount_child_pivot, NULL,
	  "make the root read-only and change to it: paths of the host end here" },
	{ SIDE_BOX, BOTH, "directory", mount_child_directory, NULL, "go to the command's directory" },
	{ SIDE_BOX, BOTH, "limits", rlimits_child, NULL, "rlimits; after the mounts, which need files" },
	{ SIDE_BOX, FULL, "detach", mount_child_detach, NULL,
	  "unmount the host's root; it waits for the kernel, while the network's namespace is made" },
	{ SIDE_BOX, FULL, "join", netns_child_join, NULL,
	  "enter that network; Landlock would not let us reach for the helper, who goes on furnishing it" },
	{ SIDE_BOX, FULL, "hold", hold_child, NULL,
	  "see every wall in its place, and give the host side what it needs to look after the project's protected names" },
	{ SIDE_BOX, BOTH, "landlock", landlock_child, NULL,
	  "the same view as rights; it forbids mounts, so after them" },
	{ SIDE_BOX, BOTH, "privileges", caps_child, NULL,
	  "no capability and no way to one; after all that needed any" },
	{ SIDE_BOX, FULL, "listen", netns_child_listen, NULL,
	  "the network is complete; hand the listeners out: whoever connects meets the host side's proxy, or nobody" },
	{ SIDE_BOX, FULL, "alone", netns_child_alone, NULL,
	  "see the helper gone: nobody but pid 1 is in the box when the command starts; before a filter that may refuse to wait" },
	{ SIDE_BOX, BOTH, "answers", asking_child, NULL,
	  "what the supervisor is asked: in tier landlock what Landlock does not see, by --explain what is refused" },
	{ SIDE_BOX, BOTH, "filter", seccomp_child, NULL,
	  "system calls; last, because it would refuse the steps above" },
	{ SIDE_BOX, BOTH, "command", init_child, NULL,
	  "close descriptors, start the command, reap and forward from here on" },
};
// clang-format on
const int step_count = sizeof(steps) / sizeof(*steps);
