// Owns the start of the process that reads the project's files.
#include "run/steps.h"

#include <fcntl.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "git/git.h"
#include "names/names.h"
#include "plan.h"
#include "run.h"
#include "trees/trees.h"

// Starts the reader. Most projects need none: they have one repository, whose configuration names
// no files and whose index was read before. Other writable directories may hold repositories.
int reader_host(const struct plan *plan, struct run *run)
{
	const char *text;
	size_t length;
	(void)run;
	if (plan->profile->write.first || plan->agent.socket)
		TRY(apart_begin());
	if (!plan->toplevel)
		return 0;
	int found = file_read(AT_FDCWD, path_below(plan->scratch, plan->toplevel, ".git/config"), 0,
			      APART_AHEAD_BYTES / 2, plan->scratch, &text, &length);
	if (found < 0 || !share_is_kept(plan->scratch, plan->state, plan->toplevel))
		TRY(apart_begin());
	if (found <= 0)
		return 0;
	TRY(gitnamed_ahead(text, length));
	return mentions_git_ahead(plan->scratch, plan->toplevel, plan->real_home, text, length);
}

int reader_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	(void)run;
	apart_reap();
	return 0;
}
