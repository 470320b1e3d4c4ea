// Owns the choice of the project directory and the table of directories that are never one.
#include "jail/project.h"

#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "plan.h"

struct refusal {
	const char *path;
	enum { ITSELF, ITSELF_AND_BELOW } reach;
	const char *why;
};

static const struct refusal refusals[] = {
	{ "/", ITSELF, "is the whole machine" },
	{ "/home", ITSELF, "holds the home directories" },
	{ "/root", ITSELF, "is root's home directory" },
	{ "/tmp", ITSELF, "is shared with other programs" },
	{ "/var/tmp", ITSELF, "is shared with other programs" },
	{ "/mnt", ITSELF, "holds other file systems" },
	{ "/media", ITSELF, "holds other file systems" },
	{ "/srv", ITSELF, "belongs to the system" },
	{ "/opt", ITSELF, "belongs to the system" },
	{ "/var", ITSELF, "belongs to the system" },
	{ "/usr", ITSELF, "belongs to the system" },
	{ "/usr/bin", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/usr/sbin", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/usr/lib", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/etc", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/boot", ITSELF_AND_BELOW, "belongs to the system" },
	{ "/dev", ITSELF_AND_BELOW, "is no place for files" },
	{ "/proc", ITSELF_AND_BELOW, "is no place for files" },
	{ "/sys", ITSELF_AND_BELOW, "is no place for files" },
	{ "/run", ITSELF_AND_BELOW, "holds the sockets of running services" },
	{ "/var/run", ITSELF_AND_BELOW, "holds the sockets of running services" },
};

static bool overlaps(const char *path, const char *own)
{
	return own && (path_within(path, own) || path_within(own, path));
}

const char *project_refusal(const struct plan *plan, const char *path)
{
	for (unsigned i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		const struct refusal *refusal = &refusals[i];
		if (str_equal(path, refusal->path))
			return refusal->why;
		if (refusal->reach == ITSELF_AND_BELOW && path_within(path, refusal->path))
			return refusal->why;
	}
	if (path_within(plan->real_home, path))
		return str_equal(path, plan->real_home) ? "is your home directory"
							: "holds your home directory";
	if (overlaps(path, plan->config))
		return "overlaps sbx's own configuration";
	if (overlaps(path, plan->state))
		return "overlaps sbx's own state";
	return NULL;
}

// The nearest directory upwards with a .git, or NULL. A home directory under git (dotfiles) is
// not meant by somebody who works below it.
static const char *git_toplevel(const struct plan *plan)
{
	for (const char *path = plan->current;; path = path_parent(plan->arena, path)) {
		struct stat status;
		if (str_equal(path, "/") || project_refusal(plan, path))
			return NULL;
		if (lstat(path_join(plan->arena, path, ".git"), &status) == 0)
			return path;
	}
}

const char *project_find(const struct plan *plan)
{
	if (!plan->current || project_refusal(plan, plan->current))
		return NULL;
	const char *toplevel = git_toplevel(plan);
	return toplevel ? toplevel : plan->current;
}

int project_plan(struct plan *plan)
{
	if (plan->profile->project == PROJECT_NONE)
		return 0;
	const char *top = plan->session ? plan->session->project : plan->current;
	if (!top)
		return fail(0, "the current directory is deleted, out of reach or deeper than "
			       "4,095 bytes; "
			       "change to another one, or use --project none");
	const char *why = project_refusal(plan, top);
	if (why)
		return fail(
			0,
			"'%s' %s and cannot be the project; change to a project's directory, or "
			"use --project none",
			top, why);
	plan->project = plan->toplevel;
	return 0;
}
