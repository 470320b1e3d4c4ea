// Owns the rows that a check adds to the list of a tree's files of secrets.
#include "postcheck/check.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/base.h"
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "trees/git_list.h"

void secrets_read(struct check_secrets *secrets, const struct searched *tree, struct arena *arena)
{
	secrets->fresh = (struct listed){ .arena = arena };
	ATTEMPT(listed_read(arena, tree->secrets, tree->path, &secrets->known));
}

void secrets_look(struct check_secrets *secrets, const struct check *check, int directory,
		  const char *name, const char *path)
{
	struct stat status;
	if (!secrets->known.place[0] || !secret_name(secrets->known.place, name) ||
	    listed_find(&secrets->known, path) ||
	    fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || S_ISDIR(status.st_mode))
		return;
	bool made = finding_is_in_run(check, &status);
	if (!made || secret_has_room(&secrets->fresh))
		listed_add(&secrets->fresh, path, &status,
			   (enum listed_kind)(made ? SECRET_MADE : SECRET_OWN));
}

void secrets_write(const struct check_secrets *secrets, const struct searched *tree)
{
	const struct secret_news news = {
		.root = tree->path, .patterns = "", .met = &secrets->fresh, .since = INT64_MAX
	};
	if (secrets->fresh.count > 0)
		secret_list_write(tree->secrets, &news);
}

void secrets_renew(const struct check *check)
{
	const struct plan *plan = check->plan;
	const struct listed nothing = { 0 };
	const struct secret_news news = { .root = plan->project,
					  .patterns = "",
					  .met = &nothing,
					  .since = check->start.tv_sec * (int64_t)1000000000 +
						   check->start.tv_nsec,
					  .hidden = { &plan->untracked, &plan->altered } };
	for (unsigned i = 0; i < plan->searched_count && plan->boxes_made; i++)
		if (str_equal(plan->searched[i].path, plan->project) && check->start.tv_sec != 0)
			secret_list_write(plan->searched[i].secrets, &news);
}
