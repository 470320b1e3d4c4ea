// Owns the making of a plan: the caller, its directories, then x_plan() of each room.
#include "run/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "bpf/guard.h"
#include "env/env.h"
#include "limits/group.h"
#include "secrets/host/credentials.h"
#include "mount/mount.h"
#include "net/setup/netns.h"
#include "notify/notify.h"
#include "plan.h"
#include "policy/keys.h"
#include "policy/find.h"
#include "postcheck/postcheck.h"
#include "probe.h"
#include "probe/machine.h"
#include "process/ns.h"
#include "run.h"
#include "seccomp/seccomp.h"
#include "session/apply/apply.h"
#include "sshagent/sshagent.h"
#include "view/paths/wishes.h"
#include "view/protect/protect.h"
#include "view/view.h"

static const char *caller_value(char *const *environment, const char *name)
{
	size_t length = strlen(name);
	for (char *const *entry = environment; *entry; entry++)
		if (str_starts(*entry, name) && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

const char *decide_home(struct arena *arena, char *const *environment)
{
	const char *home = caller_value(environment, "HOME");
	if (home && home[0] == '/' && home[1])
		return path_clean(arena, home);
	home = passwd_home(arena, NULL, 0);
	return home ? home : "/home/nobody";
}

static const char *xdg(struct arena *arena, char *const *environment, const char *variable,
		       const char *standard)
{
	const char *set = caller_value(environment, variable);
	if (!set || set[0] != '/')
		set = path_join(arena, decide_home(arena, environment), standard);
	return path_join(arena, set, "sbx");
}

const char *decide_config_directory(struct arena *arena, char *const *environment)
{
	return xdg(arena, environment, "XDG_CONFIG_HOME", ".config");
}

const char *decide_state_directory(struct arena *arena, char *const *environment)
{
	return xdg(arena, environment, "XDG_STATE_HOME", ".local/state");
}

static const char *current_directory(struct arena *arena)
{
	char path[PATH_MAX];
	bool there = getcwd(path, sizeof(path)) && path[0] == '/';
	return there ? arena_copy(arena, path, strlen(path)) : NULL;
}

static const struct mount *mount_above(const struct plan *plan, const char *path)
{
	const struct mount *above = &plan->mounts[0];
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (path_within(path, plan->mounts[i].target))
			above = &plan->mounts[i];
	return above;
}

static bool exists_inside(const struct plan *plan, const char *path)
{
	const struct mount *above = mount_above(plan, path);
	return str_equal(above->target, path) || above->kind == MOUNT_SCRATCH ||
	       (above->kind == MOUNT_LAYERS && above->source) ||
	       (above->kind == MOUNT_BIND && !above->cache);
}

// Chooses the caller's directory if the box has it, else the home or the root. Outside a given or a
// session's project, chooses the project.
static int choose_directory(struct plan *plan)
{
	struct stat status;
	const char *current = plan->current;
	if ((plan->session || plan->given) && plan->project &&
	    !(current && path_within(current, plan->project))) {
		plan->directory = plan->project;
		join_tell_place(plan);
		return 0;
	}
	if (current && exists_inside(plan, current)) {
		TRY(stat(".", &status) < 0 ? fail(errno, "the current directory") : 0);
		plan->directory = current;
		if (mount_above(plan, current)->kind == MOUNT_BIND)
			plan->directory_identity =
				(struct identity){ status.st_dev, status.st_ino, S_IFDIR };
		return 0;
	}
	plan->directory = exists_inside(plan, plan->real_home) ? plan->real_home : "/";
	const char *text = arena_text(plan->arena,
				      "the current directory does not exist in the box; the "
				      "command starts in %s",
				      plan->directory);
	list_add(&plan->notes, plan->arena, text, (struct origin){ .file = "directory" });
	return 0;
}

// A directory's descriptor leads out of the box, even with Landlock: 0, 1 and 2 are refused,
// others get a warning.
static int keep_descriptors(struct plan *plan)
{
	unsigned count = STDERR_FILENO + 1;
	list_each (item, &plan->profile->keep_fd)
		count++;
	for (char *const *word = plan->command; *word; word++)
		count += (unsigned)(strlen(*word) / strlen("/dev/fd/3"));
	int *keep = arena_take(plan->arena, count * sizeof(*keep));
	plan->nodes = arena_take(plan->arena, count * sizeof(*plan->nodes));
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (nodes_note(plan, fd))
			return fail(0,
				    "descriptor %d is a directory, which would lead out of the "
				    "box; give it another: %d</dev/null",
				    fd, fd);
	list_each (item, &plan->profile->keep_fd) {
		int fd = atoi(item->text);
		if (fcntl(fd, F_GETFD) != 0)
			return fail(0, "%sdescriptor %d is not open",
				    origin_text(plan->arena, item->from), fd);
		if (nodes_note(plan, fd))
			list_add(&plan->warnings, plan->arena,
				 arena_text(plan->arena,
					    "%sdescriptor %d is a directory: the box sees "
					    "everything below and above it",
					    origin_text(plan->arena, item->from), fd),
				 item->from);
		keep[plan->keep_count++] = fd;
	}
	for (char *const *word = plan->command; *word; word++)
		for (const char *at = *word;
		     (keep[plan->keep_count] = standard_io_named(&at)) >= 0;)
			plan->keep_count++;
	plan->keep = keep;
	return 0;
}

// Copies the command, because pid 1 wipes argv.
static void copy_command(struct plan *plan, char *const *command)
{
	size_t count = 0;
	while (command[count])
		count++;
	char **copy = arena_take(plan->arena, (count + 1) * sizeof(*copy));
	for (size_t i = 0; i < count; i++)
		copy[i] = arena_copy(plan->arena, command[i], strlen(command[i]));
	plan->command = copy;
}

// Replaces a group by its destinations, which depend on this machine's configuration.
static int add_destinations(struct plan *plan, const struct list *words, struct plan *box,
			    struct list *into, struct list *reasons)
{
	list_each (item, words) {
		if (item->text[0] == '@') {
			TRY(groups_add(plan->arena, plan->real_home, plan->project, box, item, into,
				       reasons));
			continue;
		}
		const char *group = arena_text(plan->arena, "@%s", item->text);
		if (box && groups_has(group))
			list_add(&plan->warnings, plan->arena,
				 arena_text(plan->arena, "%s%s is a host; for the group: -a %s",
					    origin_text(plan->arena, item->from), item->text,
					    group),
				 item->from);
		list_add(into, plan->arena, item->text, item->from);
		list_add(reasons, plan->arena, "", item->from);
	}
	return 0;
}

static int decide_network(struct plan *plan, char *const *environment)
{
	struct list ignored = { 0 };
	if (plan->profile->network != NETWORK_PROXY)
		return 0;
	TRY(add_destinations(plan, &plan->profile->allow, plan, &plan->egress.allow,
			     &plan->egress.reasons));
	TRY(add_destinations(plan, &plan->profile->deny, NULL, &plan->egress.deny, &ignored));
	TRY(egress_count(plan));
	return egress_upstream(plan, environment);
}

// Caches are private to the box if no directory for them is writable.
static void leave_caches(struct plan *plan)
{
	const char *path = plan->caches;
	struct stat status;
	while (stat(path, &status) < 0 && (errno == ENOENT || errno == ENOTDIR) && path[1])
		path = path_parent(plan->arena, path);
	if (S_ISDIR(status.st_mode) && access(path, W_OK | X_OK) == 0)
		return;
	if (plan->profile->cache.first && !plan->project)
		list_add(&plan->warnings, plan->arena,
			 arena_text(plan->arena,
				    "'%s' cannot be written: nothing is cached in this run",
				    plan->state),
			 (struct origin){ .file = "caches" });
	plan->caches = NULL;
}

int decide_view(struct plan *plan, char *const *environment)
{
	struct probe probe;
	probe_quick(&probe);
	TRY(project_plan(plan));
	plan->caches = path_kept(plan->arena, plan->state, "cache",
				 plan->project ? plan->project : "none");
	leave_caches(plan);
	TRY(view_plan(plan, environment));
	plan->resolver = NULL;
	TRY(choose_directory(plan));
	TRY(landlock_plan(&probe, plan));
	settings_plan(plan);
	if (plan->tier == TIER_LANDLOCK)
		TRY(domain_plan(plan));
	TRY(explain_plan(plan));
	commands_plan(plan);
	TRY(env_plan(plan, environment));
	lock_plan(plan);
	return decide_network(plan, environment) < 0 ? -1 : apart_end();
}

void decide_places(struct plan *plan, char *const *environment)
{
	struct arena *arena = plan->arena;
	plan->scratch = arena_new_scratch();
	plan->resolver = resolver_new(arena, plan->scratch);
	plan->current = current_directory(arena);
	plan->home = decide_home(arena, environment);
	plan->real_home = resolve_real(plan->resolver, plan->home);
	plan->config = resolve_real(plan->resolver, decide_config_directory(arena, environment));
	plan->state = resolve_real(plan->resolver, decide_state_directory(arena, environment));
	plan->toplevel = plan->session ? plan->session->project : project_find(plan);
}

// True if a killed run left `name`: the pending check will move it away.
static bool is_left(const struct plan *plan, const char *name)
{
	struct due due;
	bool stood = false;
	if (!journal_due(plan->arena, plan->state, plan->toplevel, &due))
		return false;
	for (unsigned i = 0; i < due.plan.place_count; i++)
		stood = stood || (str_equal(due.plan.places[i].path, plan->toplevel) &&
				  place_had(&due.plan.places[i], name));
	journal_done(&due, false);
	return !stood;
}

// Merges .sbx.ini, which comes between profiles and flags.
static int merge_own_file(struct plan *plan, const char *config, struct profile *profile)
{
	struct trust trust;
	struct list ignored = { 0 };
	if (!plan->toplevel)
		return 0;
	const char *closed = owned_closed(plan->arena, plan->toplevel);
	if (closed)
		return fail(0, "you have no rights to '%s'; to have them back: chmod u+rwx %s",
			    str_shown(plan->toplevel), closed);
	if (trust_read(plan->arena, plan->state, plan->toplevel, &trust) < 0)
		return err_tolerated(is_left(plan, ".sbx.ini")) ? 0 : -1;
	trust.state = plan->trying && trust.state != TRUST_NO_FILE ? TRUST_GIVEN : trust.state;
	TRY(trust_merge(plan->arena, config, &trust, profile, &ignored));
	list_each (item, &ignored)
		list_add(plan->terse ? &plan->notes : &plan->warnings, plan->arena, item->text,
			 item->from);
	return 0;
}

static void choose_tier(struct plan *plan, enum tier_asked asked)
{
	enum { LANDLOCK_LEAST = 6 }; // ABI with scopes
	plan->inside = outer_is_box();
	bool can = !plan->session && !plan->explain && !plan->learn && !plan->snippet.path;
	bool lower = asked == ASKED_AUTO && plan->inside && can && !outer_gives_namespaces() &&
		     landlock_abi() >= LANDLOCK_LEAST;
	plan->tier = lower || asked == ASKED_LANDLOCK ? TIER_LANDLOCK : TIER_FULL;
	if (plan->inside)
		list_add(&plan->notes, plan->arena,
			 "inside another box: what that one denies stays denied",
			 (struct origin){ .file = "sbx" });
	if (lower)
		list_add(plan->terse ? &plan->notes : &plan->warnings, plan->arena,
			 "inside a box without namespaces: tier landlock; what it lacks: sbx plan",
			 (struct origin){ .file = "tier" });
}

int decide_profile(struct arena *arena, const struct invocation *invocation,
		   const struct arguments *arguments, char *const *environment,
		   struct profile *profile, struct plan *plan)
{
	const char *config = decide_config_directory(arena, environment);
	plan->arena = arena;
	plan->profile = profile;
	plan->umask = invocation->umask;
	plan->terse = invocation->terse == TOGGLE_YES;
	plan->person = invocation->person == TOGGLE_YES;
	plan->explain = invocation->explain == TOGGLE_YES;
	plan->learn = invocation->learn == TOGGLE_YES;
	plan->profile_name =
		invocation->profiles.last ? invocation->profiles.last->text : "default";
	if (invocation->session && invocation->tier == ASKED_LANDLOCK)
		return fail(0, "tier landlock has no mounts, and so no sessions and no --review");
	if (invocation->session)
		TRY(join_plan(plan, decide_state_directory(arena, environment),
			      invocation->session));
	decide_places(plan, environment);
	TRY(owned_check(plan->state));
	choose_tier(plan, invocation->tier);
	plan->unprotected = invocation->unprotected == TOGGLE_YES;
	if (invocation->project_dir)
		TRY(project_give(plan, invocation->project_dir, environment, config,
				 decide_state_directory(arena, environment)));
	profile->brief = plan->learn ? NULL : plan->scratch; // learn reads [files] at its end
	if (resolver_lacks(plan->resolver, plan->config))
		config = NULL;
	TRY(merge_profiles(arena, config, &invocation->profiles, profile));
	TRY(merge_own_file(plan, config, profile));
	TRY(merge_arguments(arena, arguments, profile));
	TRY(locked_merge(arena, plan->inside, profile, &plan->notes, &plan->locked));
	plan->uid = geteuid(), plan->gid = getegid();
	plan->timing = invocation->timing == TOGGLE_YES;
	TRY(sshagent_plan(plan, profile, environment));
	copy_command(plan, invocation->command);
	TRY(keep_descriptors(plan)); // before sbx opens descriptors
	TRY(seccomp_plan(plan));
	TRY(ns_plan(plan));
	TRY(means_plan(plan));
	TRY(guard_plan(plan));
	TRY(keys_plan(plan, profile));
	return egress_plan(plan);
}

int decide_child(const struct plan *plan, struct run *run)
{
	char go;
	fd_close(&run->go[1]);
	if (fd_read_all(run->go[0], &go, 1) != 1)
		_exit(125);
	return arena_seal(plan->arena);
}

int decide_host(struct plan *plan, struct run *run)
{
	plan->background = run->background;
	due_check(plan, run);
	return decide_view(plan, run->environment);
}

int decide_go(struct plan *plan, struct run *run)
{
	if (plan->place_count > 0)
		check_begin(plan, run);
	TRY(arena_seal(plan->arena));
	// EPIPE: a step of the box has failed, and the box's message says why.
	if (fd_write_all(run->go[1], "", 1) < 0 && errno != EPIPE)
		return fail(errno, "hand the plan over");
	fd_close(&run->go[1]);
	arena_free(plan->scratch); // slow, but the box no longer waits
	return 0;
}
