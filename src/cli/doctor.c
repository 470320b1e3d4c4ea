// sbx doctor: runs a box that does nothing, step by step, and says what this machine enforces.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "cli/box.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "jail/landlock.h"
#include "jail/machine.h"
#include "limits/means.h"
#include "probe.h"
#include "run.h"
#include "run/paths.h"
#include "run/steps.h"
#include "run/supervise.h"

enum { FINDINGS_MOST = 32 };

struct doctor {
	struct box *box;
	struct finding findings[FINDINGS_MOST];
	unsigned count;
	struct run overlays; // of the second box
	struct run run;      // its message is shown: the arena is sealed by then
};

static void find(struct doctor *doctor, struct finding finding)
{
	if (doctor->count < FINDINGS_MOST)
		doctor->findings[doctor->count++] = finding;
}

// Which wall each step of the box stands for, as people call it.
struct wall {
	const char *step, *name, *detail;
};
static const struct wall walls[] = {
	{ "namespaces", "namespaces", "user, mount, pid, ipc, uts and cgroup" },
	{ "ids", "user ids", "the caller's, one to one" },
	{ "join", "own network", "nothing but a loopback" },
	{ "view", "mount view", "only what is named, mounted by descriptor" },
	{ "detach", "own root", "the host's root is out of reach" },
	{ "limits", "rlimits", "processes, files, core dumps" },
	{ "privileges", "no privileges", "five empty capability sets, no_new_privs" },
	{ "filter", "system call filter", "an allow-list" },
	{ "command", "command", "runs and is reaped" },
};

static int step_index(const char *name)
{
	for (int i = 0; i < step_count; i++)
		if (str_equal(steps[i].name, name))
			return i;
	return -1;
}

// By effect: the same steps as in every run, up to `true`.
static void try_walls(struct doctor *doctor)
{
	struct run *run = &doctor->run;
	struct outcome outcome = box_try(doctor->box, run);
	int failed = outcome.kind == OUTCOME_FAILED  ? run->message.step
		     : outcome.kind == OUTCOME_ENDED ? step_count
						     : step_index("command");
	for (size_t i = 0; i < sizeof(walls) / sizeof(*walls); i++) {
		int index = step_index(walls[i].step);
		struct finding finding = { .wall = walls[i].name, .detail = walls[i].detail };
		if (index >= failed) {
			finding.state = FINDING_MISSING;
			finding.detail = index == failed && outcome.kind == OUTCOME_FAILED
						 ? run->message.text
						 : "not tried: an earlier wall is missing";
			finding.fix = index == failed
					      ? probe_advice(steps[index].name, run->message.number)
					      : NULL;
		}
		find(doctor, finding);
	}
}

static void try_landlock(struct doctor *doctor)
{
	int abi = landlock_abi();
	struct finding finding = { .wall = "landlock" };
	finding.detail = arena_text(doctor->box->arena, "ABI %d of 7 known to sbx", abi);
	if (abi == 0) {
		finding.state = FINDING_WEAK;
		finding.detail =
			"this kernel has none: the mount view is the only wall around files";
		finding.fix = "boot with landlock in the list of lsm=";
	} else if (abi < 6) {
		finding.state = FINDING_WEAK;
		finding.detail =
			arena_text(doctor->box->arena,
				   "ABI %d: no scopes for signals and abstract sockets, which "
				   "the namespaces wall off unless the network is the host's",
				   abi);
	}
	find(doctor, finding);
}

static void try_kernel(struct doctor *doctor)
{
	struct utsname name;
	if (uname(&name) < 0)
		return;
	find(doctor,
	     (struct finding){ .wall = "kernel",
			       .detail = arena_text(doctor->box->arena, "%s %s on %s", name.sysname,
						    name.release, name.machine) });
}

// Of strict limits: the box that is tried has one.
static void try_limits(struct doctor *doctor)
{
	static const char *const details[] = {
		[MEANS_GROUP] = "all by a cgroup of each box's own",
		[MEANS_SCOPE] = "strict ones by a scope of your systemd, others by rlimits",
		[MEANS_LEGACY] = "strict ones by cgroups (v1), others by rlimits",
		[MEANS_RLIMITS] =
			"by rlimits and a look now and then; cpu, swap, io and pools are refused",
	};
	const struct keeping *keeping = &doctor->box->plan.keeping;
	struct finding finding = { .wall = "limits", .detail = details[keeping->means] };
	if (keeping->means == MEANS_RLIMITS) {
		finding.state = FINDING_WEAK;
		finding.fix = means_missing;
	}
	find(doctor, finding);
}

// Another program of this name, found first on PATH.
static void try_name(struct doctor *doctor)
{
	char own[PATH_MAX], real[PATH_MAX];
	const char *path = getenv("PATH");
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	if (length < 0)
		return;
	own[length] = '\0';
	for (const char *at = path; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
		const char *file =
			arena_text(doctor->box->arena, "%.*s/sbx", (int)strcspn(at, ":"), at);
		if (access(file, X_OK) < 0 || !realpath(file, real))
			continue;
		struct finding finding = { .wall = "the name sbx",
					   .detail = "PATH leads to this program" };
		if (!str_equal(real, own)) {
			finding.state = FINDING_WEAK;
			finding.detail = arena_text(doctor->box->arena,
						    "PATH leads to another program: %s", file);
			finding.fix = arena_text(doctor->box->arena,
						 "put %s first on PATH, or use its "
						 "whole path",
						 own);
		}
		find(doctor, finding);
		return;
	}
}

// Programs of the home that an ordinary box would not find, though its caller does.
static void try_path(struct doctor *doctor)
{
	struct box *box = box_new();
	struct out out = { 0 };
	static char word[] = "true";
	static char *command[] = { word, NULL };
	box->invocation.command = command;
	box_set_first(box, "files", "project", "none");
	if (box_plan(box) < 0) {
		err_clear(); // where no box can be, others say so
		return;
	}
	if (paths_unseen(&box->plan, getenv("PATH"), &out) > 0)
		find(doctor, (struct finding){
				     .wall = "PATH",
				     .state = FINDING_WEAK,
				     .detail = arena_text(box->arena, "not in a box:%s", out.text),
				     .fix = "read = DIRECTORY in [files] of a profile, or --read "
					    "DIRECTORY" });
	out_free(&out);
}

static const char *const state_words[] = { "ok", "MISSING", "weak" };

static void print_text(struct out *out, const struct doctor *doctor)
{
	for (unsigned i = 0; i < doctor->count; i++) {
		const struct finding *finding = &doctor->findings[i];
		out_text(out, "%-8s %-18s %s\n", state_words[finding->state], finding->wall,
			 finding->detail);
		if (finding->fix)
			out_text(out, "%-8s %-18s -> %s\n", "", "", finding->fix);
	}
}

static void print_json(struct out *out, const struct doctor *doctor)
{
	json_open(out, NULL, '[');
	for (unsigned i = 0; i < doctor->count; i++) {
		const struct finding *finding = &doctor->findings[i];
		json_open(out, NULL, '{');
		json_string(out, "wall", finding->wall);
		json_string(out, "state", state_words[finding->state]);
		json_string(out, "detail", finding->detail);
		if (finding->fix)
			json_string(out, "fix", finding->fix);
		json_close(out, '}');
	}
	json_close(out, ']');
	out_text(out, "\n");
}

// A box around `true`, with a limit, or with an overlay.
static int decide(struct box *box, const char *section, const char *key, const char *value)
{
	static const struct origin from = { .file = "doctor" };
	static char word[] = "true";
	static char *command[] = { word, NULL };
	struct argument *set = arena_take(box->arena, 2 * sizeof(*set));
	set[0] = (struct argument){ key_find("files", "project"), "none" };
	set[1] = (struct argument){ key_find(section, key), value };
	box->arguments.set = set;
	box->arguments.count = 2;
	box->invocation.command = command;
	list_add(&box->invocation.profiles, box->arena, "offline", from);
	return box_decide(box);
}

// What sessions, --review and --scratch are made of; only where all else works.
static void try_overlays(struct doctor *doctor)
{
	struct finding finding = { .wall = "sessions",
				   .detail = "overlays in a box: changes can be kept apart" };
	struct box *box = box_new();
	if (doctor->run.message.kind != MESSAGE_ENDED)
		return;
	box->arguments.all = doctor->box->arguments.all;
	if (decide(box, "files", "scratch", "/usr/share") < 0 ||
	    box_try(box, &doctor->overlays).kind != OUTCOME_ENDED) {
		finding.state = FINDING_WEAK;
		// In an arena of its own: those of both boxes are sealed.
		const char *why = doctor->overlays.message.text[0] ? doctor->overlays.message.text
								   : err_text();
		finding.detail = arena_text(box_new()->arena,
					    "no sessions, --review and --scratch: %s", why);
		finding.fix = "Linux 5.11 or later with overlayfs (modprobe overlay)";
		err_clear();
	}
	find(doctor, finding);
}

static int examine(struct doctor *doctor)
{
	TRY(decide(doctor->box, "limits", "memory", "64M"));
	try_kernel(doctor);
	try_landlock(doctor);
	try_limits(doctor);
	try_name(doctor);
	try_path(doctor);
	return 0;
}

int verb_doctor(char **words)
{
	struct doctor doctor = { .box = box_new() };
	struct out out = { 0 };
	if (box_read(doctor.box, VERB_DOCTOR, words) < 0)
		return box_failed();
	if (doctor.box->invocation.help == ANSWER_YES)
		return help_verb(VERB_DOCTOR, "doctor");
	bool json = doctor.box->invocation.json == ANSWER_YES;
	if (doctor.box->arguments.rest[0]) {
		fail(0, "usage: sbx doctor [--json]");
		return box_failed();
	}
	int stdout_copy = dup(STDOUT_FILENO);
	if (stdout_copy < 0 || examine(&doctor) < 0)
		return box_failed();
	try_walls(&doctor); // takes stdin and stdout away, as every run does
	try_overlays(&doctor);
	if (json)
		print_json(&out, &doctor);
	else
		print_text(&out, &doctor);
	bool missing = false;
	for (unsigned i = 0; i < doctor.count; i++)
		missing |= doctor.findings[i].state == FINDING_MISSING;
	return out_flush(&out, stdout_copy) < 0 || missing ? STATUS_FAILURE : STATUS_OK;
}
