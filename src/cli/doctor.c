// sbx doctor: runs a box that does nothing, step by step, and says what this machine enforces.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "boxes/record.h"
#include "bpf/guard.h"
#include "run/run_command.h"
#include "cli/doctor_print.h"
#include "cli/verbs.h"
#include "git/gitconfig.h"
#include "limits/group.h"
#include "net/host/proxy.h"
#include "probe.h"
#include "probe/machine.h"
#include "process/ns.h"
#include "run.h"

enum { WALLS_MAX = 32 };

struct doctor {
	struct box *box;
	struct wall walls[WALLS_MAX];
	unsigned count;
	struct run overlays; // of the second box, which has an overlay
	struct run run;      // keeps the error text: the plan's arena is sealed by then
};

static void find(struct doctor *doctor, enum wall_condition state, const char *wall,
		 const char *detail, const char *fix)
{
	if (doctor->count < WALLS_MAX)
		doctor->walls[doctor->count++] = (struct wall){ wall, state, detail, fix };
}

static void works(struct doctor *doctor, const char *wall, const char *detail)
{
	find(doctor, FINDING_WORKS, wall, detail, NULL);
}

static void weak(struct doctor *doctor, const char *wall, const char *detail, const char *fix)
{
	find(doctor, FINDING_WEAK, wall, detail, fix);
}

// Each step's protection, with a name for people.
struct doctor_wall {
	const char *step, *name, *detail;
};
static const struct doctor_wall walls[] = {
	{ "namespaces", "namespaces",
	  "a box has its own processes, mounts and users; it does not see yours" },
	{ "landlock", "landlock tier",
	  "files and TCP are limited by Landlock; processes of yours stay visible" },
	{ "ids", "user ids", "files that a box writes are yours" },
	{ "join", "own network", "a box reaches only the hosts that sbx allows" },
	{ "view", "mount view", "a box sees the files that are named, and no others" },
	{ "detach", "own root", "a box cannot get back to the rest of your files" },
	{ "limits", "rlimits", "processes, open files and core dumps of a box are limited" },
	{ "privileges", "no privileges", "a box cannot become root, not even by setuid programs" },
	{ "filter", "system call filter",
	  "a box may use the system calls of ordinary programs, and no others" },
	{ "command", "command", "a command runs in a box, and nothing of it is left running" },
};

static int step_index(const char *name)
{
	for (int i = 0; i < step_count; i++)
		if (str_equal(steps[i].name, name))
			return i;
	return -1;
}

static bool is_wall_of(const struct plan *plan, const struct step *step)
{
	const char *other = plan->tier == TIER_FULL ? "landlock" : "namespaces";
	return walk_has_step(plan, step) && !str_equal(step->name, other);
}

static char word[] = "true", *nothing[] = { word, NULL };

// Runs each step as a run of `true` does.
static void try_walls(struct doctor *doctor)
{
	struct run *run = &doctor->run;
	struct outcome outcome = run_try(doctor->box, run);
	int failed = outcome.kind == OUTCOME_FAILED  ? run->message.step
		     : outcome.kind == OUTCOME_ENDED ? step_count
						     : step_index("command");
	for (size_t i = 0; i < sizeof(walls) / sizeof(*walls); i++) {
		int index = step_index(walls[i].step);
		if (!is_wall_of(&doctor->box->plan, &steps[index]))
			continue;
		bool instead = str_equal(walls[i].step, "join") && !run->proxy->holds;
		if (index < failed && instead)
			find(doctor, FINDING_WEAK, walls[i].name,
			     "a box reaches only the hosts that sbx allows, but a connect succeeds "
			     "before one is reached: no raw sockets",
			     NULL);
		else if (index < failed)
			works(doctor, walls[i].name, walls[i].detail);
		else
			find(doctor, FINDING_MISSING, walls[i].name,
			     index == failed && outcome.kind == OUTCOME_FAILED
				     ? run->message.text
				     : "not tried: an earlier layer is missing",
			     index == failed ? probe_advice(steps[index].name, run->message.number)
					     : NULL);
	}
}

static void try_landlock(struct doctor *doctor)
{
	int abi = landlock_abi();
	struct arena *arena = doctor->box->arena;
	if (abi == 0)
		weak(doctor, "landlock",
		     "this kernel has none: the mount view alone protects files",
		     "boot with landlock in the list of lsm=");
	else if (abi < 6)
		weak(doctor, "landlock",
		     arena_text(arena,
				"ABI %d: no scopes for signals and abstract sockets; the "
				"namespaces separate these, except with --network host",
				abi),
		     NULL);
	else
		works(doctor, "landlock", arena_text(arena, "ABI %d of 7 known to sbx", abi));
}

static void try_kernel(struct doctor *doctor)
{
	struct utsname name;
	if (uname(&name) == 0)
		works(doctor, "kernel",
		      arena_text(doctor->box->arena, "%s %s on %s", name.sysname, name.release,
				 name.machine));
}

static void try_capabilities(struct doctor *doctor)
{
	struct arena *arena = doctor->box->arena;
	works(doctor, "capabilities",
	      arena_text(arena, "yours: %s; the command's: none; a box needs none, --bpf %s",
			 probe_capabilities(arena),
			 probe_may_guard() ? "may be loaded" : "needs more"));
}

static void try_outer(struct doctor *doctor)
{
	if (doctor->box->plan.inside)
		works(doctor, "box around",
		      doctor->box->plan.tier == TIER_LANDLOCK
			      ? "this is inside another box, whose rules also apply; it allows no "
				"namespaces, so boxes here are of tier landlock"
			      : "this is inside another box, whose rules also apply");
}

// Shows the means that the plan chose for the trial box's strict limit.
static void try_limits(struct doctor *doctor)
{
	static const char *const details[] = {
		[MEANS_GROUP] = "all by a separate cgroup for each box",
		[MEANS_SCOPE] = "strict ones by a scope of your systemd, others by rlimits",
		[MEANS_RLIMITS] =
			"by rlimits and periodic checks; cpu, swap and io are not available",
	};
	const struct keeping *keeping = &doctor->box->plan.keeping;
	if (keeping->means != MEANS_RLIMITS)
		works(doctor, "limits", details[keeping->means]);
	else if (doctor->box->plan.inside)
		works(doctor, "limits",
		      "by rlimits and periodic checks, within those of the outer box");
	else
		weak(doctor, "limits", details[keeping->means], means_missing);
}

// Only root can use the BPF guard: other callers get no warning.
static void try_guard(struct doctor *doctor)
{
	if (guard_try() == 0)
		works(doctor, "guard", "--bpf yes: its BPF programs can be loaded");
	else if (err_forgive(EPERM) || err_forgive(EACCES))
		works(doctor, "guard", "--bpf yes is for callers who may load BPF programs: root");
	else
		weak(doctor, "guard", arena_text(doctor->box->arena, "%s", err_taken()), NULL);
}

// Returns the word that packaging/pack put beside the program, or "no package".
static const char *installed_by(struct arena *arena, const char *own)
{
	const char *file = arena_text(arena, "%.*s/../share/sbx/package",
				      (int)(path_name(own) - own), own),
		   *text = NULL;
	size_t length;
	if (file_read(AT_FDCWD, file, FILE_LINK, 64, arena, &text, &length) <= 0)
		return "no package: built from source, or copied";
	return arena_text(arena, "%.*s", (int)strcspn(text, "\n"), text);
}

// Warns if PATH finds another program named sbx first.
static void try_name(struct doctor *doctor)
{
	char own[PATH_MAX], real[PATH_MAX], place[PATH_MAX];
	struct arena *arena = doctor->box->arena;
	const char *path = getenv("PATH");
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	if (length < 0)
		return;
	own[length] = '\0';
	while (path_list_next(&path, place)) {
		const char *file = path_below(arena, place, "sbx");
		if (access(file, X_OK) < 0 || !realpath(file, real))
			continue;
		if (str_equal(real, own))
			works(doctor, "the name sbx",
			      arena_text(arena, "PATH leads to this program (%s)",
					 str_shown(installed_by(arena, own))));
		else
			weak(doctor, "the name sbx",
			     arena_text(arena, "PATH leads to another program: %s", file),
			     arena_text(arena, "put %s first on PATH, or use its whole path", own));
		return;
	}
}

// Warns of programs in the home that the caller finds, but an ordinary box does not.
static void try_path(struct doctor *doctor)
{
	struct box *box = box_new();
	const char *path = getenv("PATH"), *fix;
	box->invocation.command = nothing;
	box_set_first(box, "files", "project", "none");
	if (ATTEMPT(box_plan(box)) < 0)
		return; // the walls say why no box can be made
	const char *lacking = doctor_path(box->arena, &box->plan, path ? path : "", &fix);
	if (lacking)
		weak(doctor, "PATH", lacking, fix);
}

// Warns if git may run what the config of any directory with HEAD, objects and refs names: without
// safe.bareRepository (git-config(1), since 2.38). Reads no includes.
static void try_bare(struct doctor *doctor)
{
	struct arena *arena = doctor->box->arena;
	const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
	const char *value = NULL, *text;
	struct gitconfig parsed;
	size_t length;
	home = home && home[0] == '/' ? home : "/";
	config = config && config[0] == '/' ? config : path_below(arena, home, ".config");
	const char *const files[] = { "/etc/gitconfig", path_below(arena, config, "git/config"),
				      path_below(arena, home, ".gitconfig") };
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (file_read(AT_FDCWD, files[i], FILE_LINK, GITCONFIG_BYTES_MAX, arena, &text,
			      &length) > 0 &&
		    ATTEMPT(gitconfig_parse(arena, text, length, &parsed)) == 0 &&
		    gitconfig_value(&parsed, "safe.barerepository"))
			value = gitconfig_value(&parsed, "safe.barerepository");
	if (value && str_equal(value, "explicit"))
		works(doctor, "git",
		      "safe.bareRepository is explicit: git does not use a bare repository that it "
		      "finds; for yours: git --git-dir=DIR");
	else
		weak(doctor, "git",
		     "your git uses every bare repository that it finds, even one that a box made; "
		     "with the fix you name yours: git --git-dir=DIR",
		     "git config --global safe.bareRepository explicit");
}

static void try_locked(struct doctor *doctor)
{
	unsigned lines = doctor->box->plan.locked;
	if (lines)
		works(doctor, "administrator",
		      arena_text(doctor->box->arena,
				 "%u line%s of /etc/sbx/locked.ini hold in each run", lines,
				 lines == 1 ? "" : "s"));
}

// Decides a box around `true`, with one key set: a limit, or an overlay.
static int decide_trial(struct box *box, const char *section, const char *key, const char *value)
{
	static const struct origin from = { .file = "doctor" };
	struct argument *set = arena_take(box->arena, 2 * sizeof(*set));
	set[0] = (struct argument){ key_find("files", "project"), "none" };
	set[1] = (struct argument){ key_find(section, key), value };
	box->arguments.set = set;
	box->arguments.count = 2;
	box->invocation.command = nothing;
	list_add(&box->invocation.profiles, box->arena, "offline", from);
	return box_decide(box);
}

// Tries an overlay, which sessions, --review and --overlay need, if all else works.
static void try_overlays(struct doctor *doctor)
{
	static const char *const places[] = { "/usr/share", "/usr", "/nix/store", "/etc", NULL };
	struct box *box = box_new();
	if (doctor->run.message.kind != MESSAGE_ENDED)
		return;
	if (doctor->box->plan.tier == TIER_LANDLOCK) {
		weak(doctor, "sessions",
		     "no sessions, --review and --overlay: they need namespaces",
		     "start the outer box with --allow-syscalls namespaces");
		return;
	}
	box->arguments.all = doctor->box->arguments.all;
	const char *const *over = places;
	while (over[1] && access(*over, R_OK | X_OK) < 0)
		over++;
	if (decide_trial(box, "files", "overlay", *over) == 0 &&
	    run_try(box, &doctor->overlays).kind == OUTCOME_ENDED) {
		works(doctor, "sessions", "overlays in a box: changes can be stored separately");
		return;
	}
	const char *why =
		doctor->overlays.message.text[0] ? doctor->overlays.message.text : err_taken();
	// Needs a new arena: those of both boxes are sealed.
	weak(doctor, "sessions",
	     arena_text(box_new()->arena, "no sessions, --review and --overlay: %s", why),
	     "Linux 5.11 or later with overlayfs (modprobe overlay)");
}

static void try_records(struct doctor *doctor)
{
	char size[32];
	autoclose int boxes = records_open(doctor->box->plan.state);
	if (boxes < 0)
		return;
	units_rough(size, sizeof(size), records_sweep(boxes), UNIT_SIZE);
	works(doctor, "records of runs",
	      arena_text(doctor->box->arena, "%s; of those that have ended at most 200M are stored",
			 size));
}

static int examine(struct doctor *doctor)
{
	TRY(decide_trial(doctor->box, "limits", "memory", "64M"));
	doctor->box->plan.executes = true; // a filtered supervisor cannot make a second box
	if (doctor->box->plan.toplevel)
		ATTEMPT(run_settle(doctor->box->plan.toplevel)); // prints why, if it fails
	try_outer(doctor);
	try_kernel(doctor);
	try_locked(doctor);
	try_landlock(doctor);
	try_capabilities(doctor);
	try_limits(doctor);
	try_guard(doctor);
	try_name(doctor);
	try_path(doctor);
	try_bare(doctor);
	if (proxy_made_up())
		works(doctor, "resolver",
		      "a proxy of this host makes addresses up (198.18.0.0/15): allowed names are "
		      "dialled by them");
	try_records(doctor);
	return 0;
}

int verb_doctor(char **words)
{
	struct doctor doctor = { .box = box_new() };
	if (box_read(doctor.box, VERB_DOCTOR, words) < 0)
		return box_failed();
	bool json = doctor.box->invocation.json == TOGGLE_YES;
	if (doctor.box->arguments.rest[0]) {
		fail(0, "usage: sbx doctor [--json]");
		return box_failed();
	}
	int stdout_copy = dup(STDOUT_FILENO);
	if (stdout_copy < 0 || examine(&doctor) < 0)
		return box_failed();
	try_walls(&doctor); // replaces stdin and stdout, as every run does
	try_overlays(&doctor);
	return doctor_print(doctor.walls, doctor.count, json, stdout_copy);
}
