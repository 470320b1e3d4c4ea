// Owns the order of a run, and the walk over it. Read this first: each row carries its reason.
#include "run/steps.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ask/ask.h"
#include "base/base.h"
#include "base/fd.h"
#include "base/testing.h"
#include "bpf/guard.h"
#include "secrets/host/credentials.h"
#include "limits/group.h"
#include "mount/mount.h"
#include "net/host/proxy.h"
#include "net/setup/netns.h"
#include "plan.h"
#include "process/ns.h"
#include "report/summary.h"
#include "run.h"
#include "seccomp/asking.h"
#include "seccomp/seccomp.h"
#include "session/apply/apply.h"
#include "sshagent/sshagent.h"

// clang-format off
const struct step steps[] = {
	{ SIDE_HOST, BOTH, "terminal", tty_host, tty_undo,
	  .why = "remember the caller's terminal, to give it back on every way out" },
	{ SIDE_HOST, BOTH, "standard-io", standard_io_host, standard_io_undo,
	  .why = "note the flags of stdin, stdout and stderr, which a box shares with our caller; they are put back when it is dead" },
	{ SIDE_HOST, BOTH, "signals", signals_host, NULL,
	  .why = "block all signals before there is anybody to lose: they are read, never handled" },
	{ SIDE_HOST, BOTH, "descriptors", rlimits_host, NULL,
	  .why = "raise the limit of descriptors, before any is handed over: those that a box has on their way count for its user" },
	{ SIDE_HOST, BOTH, "parent", signals_parent_host, signals_parent_undo,
	  .why = "with --die-with-parent, hold the process that started sbx; early, as another may get its number" },
	{ SIDE_HOST, LANDLOCK, "inheritance", caps_host, NULL,
	  .why = "no capability passes on: without a user namespace the clone changes no set" },
	{ SIDE_HOST, BOTH, "reader", reader_host, reader_undo,
	  .why = "begin the locked process that reads the project's files, where a question is seen: before the clone, so that it waits when the plan asks, and before there is memory that processes share" },
	{ SIDE_HOST, BOTH, "publish", .make = proxy_host, .undo = proxy_undo,
	  .why = "bind the ports of the host's loopback that lead inside, while a failure costs "
		  "nothing" },
	{ SIDE_HOST, FULL, "session", join_host, join_undo,
	  .why = "find the session's other commands: a layer is mounted once, and their mounts "
		  "are ours" },
	{ SIDE_HOST, BOTH, "cgroup", group_host, group_undo,
	  .why = "make the box's cgroup, so that the box begins in it: to move it later takes "
		  "milliseconds" },
	{ SIDE_HOST, FULL, "settings", settings_host, settings_undo,
	  .why = "for a root caller, /etc with root's files as nobody's: in its namespace nobody "
		  "can map them" },
	{ SIDE_HOST, FULL, "secrets", .make = keys_host, .undo = keys_undo,
	  .why = "begin the opener, and give it the secrets: it makes the placeholders and the certificate, which the plan needs; before the clone, which would copy the variables that are wiped here" },
	{ SIDE_HOST, BOTH, "namespaces", ns_clone, ns_undo, .lost_without_namespaces = true,
	  .why = "one clone with every namespace; the box's pid 1 begins here" },
	{ SIDE_HOST, BOTH, "group-limits", group_fill_host, group_fill_undo,
	  .why = "write its limits, or ask the user's service manager, while the box prepares" },
	{ SIDE_HOST, BOTH, "agent", sshagent_host, sshagent_undo,
	  .why = "with --agent-key, make the socket of the filter before the caller's ssh-agent: the view needs it" },
	{ SIDE_HOST, BOTH, "plan", .make = decide_host,
	  .why = "decide the view and the environment, while the box prepares the parts that need "
		  "no plan" },
	{ SIDE_HOST, BOTH, "agent-files", sshagent_files_host, NULL,
	  .why = "refuse known hosts and keys that the box may write: which it may is known now" },
	{ SIDE_HOST, FULL, "caches", .make = mount_host,
	  .why = "make the cache directories, checked to be the caller's own" },
	{ SIDE_HOST, FULL, "layers", join_layers_host, NULL,
	  .why = "make the layer's directories, and open what those need that come later" },
	{ SIDE_HOST, LANDLOCK, "temporary", domain_host, domain_undo,
	  .why = "make the directory that this run alone may use for temporary files" },
	{ SIDE_HOST, BOTH, "report", events_host, NULL,
	  .why = "open where a program reads what happens: never where this box may write, which is known now" },
	{ SIDE_HOST, BOTH, "ask", ask_host, ask_undo,
	  .why = "find the program that answers: never where this box may write, which is known now" },
	{ SIDE_HOST, BOTH, "group-ready", group_ready_host, NULL,
	  .why = "wait for that manager: the command never runs outside of its limits" },
	{ SIDE_HOST, FULL, "guard", guard_host, guard_undo,
	  .why = "attach programs to the cgroup: the devices of the view are known now" },
	{ SIDE_HOST, BOTH, "agent-filter", sshagent_begin, NULL,
	  .why = "start the filter's two locked processes: without them the box's socket must not be there" },
	{ SIDE_HOST, BOTH, "record", record_host, record_undo,
	  .why = "note the run for other processes, before its command can do anything" },
	{ SIDE_HOST, BOTH, "supervisor", lock_host, NULL,
	  .why = "see that the filter of the supervisor's own calls can be had; it holds from the first message of a box that is made (net/setup/lock.c): until then a start may be tried again" },
	{ SIDE_HOST, BOTH, "go", .make = decide_go,
	  .why = "seal the plan and hand it over; the last of this side: from here on the command may run" },

	{ SIDE_BOX, BOTH, "lifeline", ns_child_lifeline, NULL,
	  .why = "die with the supervisor, even when it is killed; first, so that no later step "
		  "outlives it; and before the user's programs when memory runs out" },
	{ SIDE_BOX, LANDLOCK, "adopt", domain_child, NULL,
	  .why = "become the parent of orphans, so that none is left when the command ends" },
	{ SIDE_BOX, FULL, "network", netns_child_network, NULL,
	  .why = "begin the box's own network in a helper: it takes as long as all that follows" },
	{ SIDE_BOX, FULL, "ids", ns_child_ids, NULL, .lost_without_namespaces = true,
	  .why = "map the caller's ids one to one; before anything that asks for ids" },
	{ SIDE_BOX, FULL, "hostname", ns_child_hostname, NULL, .lost_without_namespaces = true,
	  .why = "the box's own name" },
	{ SIDE_BOX, FULL, "root", mount_child_root, NULL, .lost_without_namespaces = true,
	  .why = "an empty root on a tmpfs" },
	{ SIDE_BOX, FULL, "prepare", prepare_child, NULL,
	  .why = "make the files that every view has while the host side plans; they are not "
		  "visible until the plan names them" },
	{ SIDE_BOX, BOTH, "wait", decide_child, NULL, .why = "wait for the plan" },
	{ SIDE_BOX, FULL, "view", mount_child_view, NULL, .lost_without_namespaces = true,
	  .why = "mount the sources that the plan names, each compared with the one that the plan "
		  "saw" },
	{ SIDE_BOX, FULL, "nodes", mount_child_nodes, NULL,
	  .why = "open devices and terminals that were handed over once more, at their mounts in "
		  "the box, where their mode and owner are read-only" },
	{ SIDE_BOX, FULL, "lock", ns_child_lock, NULL,
	  .why = "no user namespace below this one: a second lock behind the filter; and only a "
		  "part of the caller's inotifies" },
	{ SIDE_BOX, FULL, "proc", mount_child_proc, NULL,
	  .why = "files of a root caller in /proc become read-only; after the last write to them" },
	{ SIDE_BOX, FULL, "pivot", mount_child_pivot, NULL,
	  .why = "make the root read-only and change to it: paths of the host end here" },
	{ SIDE_BOX, BOTH, "directory", mount_child_directory, NULL,
	  .why = "go to the command's directory" },
	{ SIDE_BOX, FULL, "detach", mount_child_detach, NULL,
	  .why = "unmount the host's root; it waits for the kernel, while the network's namespace "
		  "is made" },
	{ SIDE_BOX, FULL, "join", netns_child_join, NULL, .lost_without_namespaces = true,
	  .why = "enter that network; before Landlock, which denies access to the helper that "
		  "still completes it" },
	{ SIDE_BOX, FULL, "hold", hold_child, NULL,
	  .why = "check that every layer is in place" },
	{ SIDE_BOX, BOTH, "landlock", landlock_child, NULL,
	  .why = "the same view as rights; it forbids mounts, so after them" },
	{ SIDE_BOX, BOTH, "privileges", caps_child, NULL,
	  .why = "no capability and no way to one; after all that needed any" },
	{ SIDE_BOX, FULL, "handover", handover_child, NULL,
	  .why = "give the host side the descriptors with which it watches the project's protected "
		  "names; with the listeners, so that it wakes once" },
	{ SIDE_BOX, FULL, "listen", netns_child_listen, NULL,
	  .why = "the network is complete; hand the listeners out: connections reach the host "
		  "side's proxy only" },
	{ SIDE_BOX, FULL, "alone", netns_child_alone, NULL,
	  .why = "check that the helper has ended: only pid 1 is in the box when the command "
		  "starts; before a filter that may deny waiting" },
	{ SIDE_BOX, BOTH, "limits", rlimits_child, NULL,
	  .why = "rlimits; after the mounts, which need files; without a right to go beyond them" },
	{ SIDE_BOX, BOTH, "answers", asking_child, NULL,
	  .why = "calls that ask the supervisor: in tier landlock those that Landlock does not "
		  "see, with --explain those that may be denied" },
	{ SIDE_BOX, BOTH, "filter", seccomp_child, NULL,
	  .why = "system calls; last, because it would refuse the steps above" },
	{ SIDE_BOX, BOTH, "command", init_child, NULL,
	  .why = "close descriptors, start the command, reap and forward from here on" },
};
// clang-format on
const int step_count = sizeof(steps) / sizeof(*steps);
_Static_assert(sizeof(steps) / sizeof(*steps) <= STEPS_MAX, "the times of all steps fit");

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

bool walk_has_step(const struct plan *plan, const struct step *step)
{
	enum tiers own = plan->tier == TIER_FULL ? FULL : LANDLOCK;
	return step->tiers == BOTH || step->tiers == own;
}

static int take_step(struct plan *plan, struct run *run, int index)
{
	const struct step *step = &steps[index];
	if (!walk_has_step(plan, step) || testing_skips(step->name))
		return 0;
	uint64_t before = now();
	run->message.step = index;
	int result = testing_fails(step->name) ? fail(0, "made to fail by a test")
		     : step->make              ? step->make(plan, run)
					       : step->go(plan, run);
	run->message.nanoseconds[index] = (uint32_t)(now() - before);
	return result;
}

// Moves the error into run->message, which is reported, or dropped before another try.
static void note_failure(struct run *run)
{
	run->message.kind = MESSAGE_FAILED;
	run->message.number = err_number();
	snprintf(run->message.text, sizeof(run->message.text), "%s", err_taken());
}

static _Noreturn void walk_box(struct plan *plan, struct run *run)
{
	for (int i = 0; i < step_count; i++)
		if (steps[i].side == SIDE_BOX && take_step(plan, run, i) < 0)
			break;
	note_failure(run);
	fd_send(run->to_host, &run->message, sizeof(run->message), NULL, 0);
	_exit(125);
}

int walk_host(struct plan *plan, struct run *run)
{
	for (int i = 0; i < step_count; i++) {
		if (steps[i].side != SIDE_HOST)
			continue;
		int result = take_step(plan, run, i);
		if (result > 0) // after the clone, in the box
			walk_box(plan, run);
		if (result < 0) {
			note_failure(run);
			walk_undo(plan, run);
			return -1;
		}
	}
	memcpy(run->host_nanoseconds, run->message.nanoseconds, sizeof(run->host_nanoseconds));
	return 0;
}

void walk_undo(const struct plan *plan, struct run *run)
{
	for (int i = step_count; i-- > 0;)
		if (steps[i].undo && walk_has_step(plan, &steps[i]))
			steps[i].undo(plan, run);
}

void report_timing(const struct plan *plan, const struct run *run, struct patience *patience)
{
	struct out out = { 0 };
	double sum = 0;
	for (int i = 0; i < step_count; i++) {
		if (!walk_has_step(plan, &steps[i]))
			continue;
		double microseconds = run->host_nanoseconds[i] / 1e3;
		sum += microseconds;
		out_text(&out, "sbx: %-4s %-12s %8.1f us\n",
			 steps[i].side == SIDE_HOST ? "host" : "box", steps[i].name, microseconds);
	}
	out_text(&out, "sbx: all  steps        %8.1f us\n", sum);
	terminal_lines_say(&out, STDERR_FILENO, patience);
}
