// Owns the choice of the project directory and the table of directories that are never one.
#include "view/paths/wishes.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "plan.h"

struct project_refusal {
	const char *path;
	enum { ITSELF, ITSELF_AND_BELOW } reach;
	const char *why;
};

static const struct project_refusal refusals[] = {
	{ "/", ITSELF, "is the whole machine" },
	{ "/home", ITSELF, "contains the home directories" },
	{ "/root", ITSELF, "is root's home directory" },
	{ "/tmp", ITSELF, "is shared with other programs" },
	{ "/var/tmp", ITSELF, "is shared with other programs" },
	{ "/mnt", ITSELF, "contains other file systems" },
	{ "/media", ITSELF, "contains other file systems" },
	{ "/srv", ITSELF, "belongs to the system" },
	{ "/opt", ITSELF, "belongs to the system" },
	{ "/var", ITSELF, "belongs to the system" },
	{ "/usr", ITSELF, "belongs to the system" },
	{ "/usr/bin", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/usr/sbin", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/usr/lib", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/etc", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/boot", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/dev", ITSELF_AND_BELOW, "is not for files" },
	{ "/proc", ITSELF_AND_BELOW, "is not for files" },
	{ "/sys", ITSELF_AND_BELOW, "is not for files" },
	{ "/run", ITSELF_AND_BELOW, "contains the sockets of running services" },
	{ "/var/run", ITSELF_AND_BELOW, "contains the sockets of running services" },
};

static bool overlaps(const char *path, const char *own)
{
	return own && (path_within(path, own) || path_within(own, path));
}

static const char *system_refusal(const char *path)
{
	for (unsigned i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		const struct project_refusal *refusal = &refusals[i];
		if (str_equal(path, refusal->path))
			return refusal->why;
		if (refusal->reach == ITSELF_AND_BELOW && path_within(path, refusal->path))
			return refusal->why;
	}
	return NULL;
}

static bool is_home(const struct plan *plan, const char *path)
{
	return str_equal(path, plan->real_home) &&
	       (str_equal(path, "/root") || !system_refusal(path));
}

const char *project_refusal(const struct plan *plan, const char *path)
{
	if (is_home(plan, path))
		return plan->home_given ? NULL : "is your home directory";
	const char *why = system_refusal(path);
	if (why)
		return why;
	if (path_within(plan->real_home, path))
		return "contains your home directory";
	if (overlaps(path, plan->config))
		return "overlaps sbx's own configuration";
	if (overlaps(path, plan->state))
		return "overlaps sbx's own state";
	return NULL;
}

// A variable puts sbx's configuration into the repository: its files would be the user's profiles.
static bool gives_profiles(const struct plan *plan, const char *path)
{
	const char *usual =
		resolve_real(plan->resolver, path_join(plan->arena, plan->home, ".config/sbx"));
	return path_within(plan->config, path) && !is_home(plan, path) && !system_refusal(path) &&
	       !(path_within(path, plan->real_home) && str_equal(plan->config, usual));
}

// Returns the nearest parent with a .git, or NULL. Rejects a home that is a repository (dotfiles).
static const char *git_toplevel(const struct plan *plan)
{
	for (const char *path = plan->current;; path = path_parent(plan->arena, path)) {
		struct stat status;
		if (str_equal(path, "/") ||
		    (project_refusal(plan, path) && !gives_profiles(plan, path)))
			return NULL;
		if (lstat(path_join(plan->arena, path, ".git"), &status) == 0)
			return path;
	}
}

const char *project_find(const struct plan *plan)
{
	const char *toplevel = plan->current ? git_toplevel(plan) : NULL;
	return toplevel || !plan->current || project_refusal(plan, plan->current) ? toplevel
										  : plan->current;
}

// Fails unless sbx's directories in a writable home exist and are no links: mounts must cover them,
// or a box could make them.
static int check_own(const struct plan *plan, const char *named, const char *real,
		     const char *variable)
{
	struct stat status;
	const char *home = plan->real_home;
	const char *place =
		path_within(named, plan->home)
			? path_join(plan->arena, home,
				    named + strlen(plan->home) + (named[strlen(plan->home)] == '/'))
			: named;
	if (path_within(home, real))
		return fail(0, "'%s' is in sbx's own '%s' and cannot be the project", home, real);
	if (!path_within(place, home) && !path_within(real, home))
		return 0;
	if (str_equal(place, real) && lstat(real, &status) == 0 && S_ISDIR(status.st_mode) &&
	    faccessat(AT_FDCWD, real, R_OK, AT_EACCESS) == 0)
		return 0;
	return fail(0,
		    "'%s' is your home directory, where the box could make sbx's own '%s': make "
		    "that directory first, to be read by you, or set %s to one elsewhere",
		    home, place, variable);
}

static int check_home(const struct plan *plan, const char *config, const char *state)
{
	if (plan->tier == TIER_LANDLOCK)
		return fail(0,
			    "'%s' is your home directory; tier landlock cannot protect files that "
			    "your programs read there at start",
			    plan->real_home);
	if (plan->unprotected)
		return fail(0,
			    "'%s' is your home directory, which --no-protect would leave to "
			    "the box",
			    plan->real_home);
	TRY(check_own(plan, config, plan->config, "XDG_CONFIG_HOME"));
	return check_own(plan, state, plan->state, "XDG_STATE_HOME");
}

int project_give(struct plan *plan, const char *directory, char *const *environment,
		 const char *config, const char *state)
{
	struct places places = { plan->home, NULL, plan->current, environment };
	struct item item = { .text = directory, .from = { .file = "--project-dir" } };
	struct resolved resolved;
	const char *path;
	if (plan->session)
		return fail(0, "a session has the project that it was made in; without "
			       "--project-dir");
	if (resolve_expand(plan->arena, &places, &item, &path) < 0)
		return -1;
	int found = directory[0] == '?' ? 0 : resolve_path(plan->resolver, path, &resolved);
	if (found < 0)
		return -1;
	if (!found || resolved.identity.type != S_IFDIR)
		return fail(0, "--project-dir: '%s' is not a directory", str_shown(directory));
	if (is_home(plan, resolved.path)) {
		TRY(check_home(plan, config, state));
		plan->home_given = true;
	}
	const char *why = project_refusal(plan, resolved.path);
	if (why)
		return fail(0, "--project-dir: '%s' %s and cannot be the project", resolved.path,
			    why);
	plan->toplevel = resolved.path;
	plan->given = true;
	return 0;
}

// Warns of another user's project: root in a box has no capabilities, and no rights to it.
static void warn_of_owner(struct plan *plan)
{
	struct stat status;
	if (geteuid() != 0 || plan->profile->project != PROJECT_WRITE ||
	    stat(plan->project, &status) < 0 || status.st_uid == 0 || status.st_mode & S_IWOTH)
		return;
	list_add(plan->terse ? &plan->notes : &plan->warnings, plan->arena,
		 arena_text(plan->arena,
			    "the project belongs to uid %u, and root cannot write it in a box; be "
			    "that user: setpriv --reuid %u --regid %u --clear-groups sbx ...",
			    (unsigned)status.st_uid, (unsigned)status.st_uid,
			    (unsigned)status.st_gid),
		 (struct origin){ .file = "project" });
}

int project_plan(struct plan *plan)
{
	if (plan->toplevel && gives_profiles(plan, plan->toplevel))
		return fail(0,
			    "sbx's own configuration '%s' is in the repository '%s', whose files "
			    "would be your profiles; unset XDG_CONFIG_HOME, or change to another "
			    "directory",
			    plan->config, plan->toplevel);
	if (plan->profile->project == PROJECT_NONE)
		return plan->given ? fail(0, "--project-dir names a project, but the profile or "
					     "--project none allows none; add --project write")
				   : 0;
	const char *top = plan->session ? plan->session->project
			  : plan->given ? plan->toplevel
					: plan->current;
	if (!top)
		return fail(0, "the current directory is deleted, out of reach or deeper than "
			       "4,095 bytes; "
			       "change to another one, or use --project none");
	const char *why = project_refusal(plan, top);
	if (why)
		return fail(0,
			    "'%s' %s and cannot be the project; change to a project's directory%s "
			    "use --project none%s",
			    top, why, is_home(plan, top) ? "," : ", or",
			    is_home(plan, top) ? ", or, where the one is the other (containers), "
						 "--project-dir ."
					       : "");
	plan->project = plan->toplevel;
	warn_of_owner(plan);
	if (plan->home_given)
		list_add(&plan->notes, plan->arena,
			 "the project is your home directory: files that programs read there at "
			 "start are protected by a list of names, see sbx(7); other files are not",
			 (struct origin){ .file = "--project-dir" });
	return 0;
}
