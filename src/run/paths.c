// Owns the comparison of PATH with a plan.
#include "run/paths.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "jail/judge.h"
#include "plan.h"

enum { SHOWN_MOST = 3 };

static bool is_unseen(const struct plan *plan, const char *directory)
{
	if (!path_within(directory, plan->home) || !str_printable(directory) ||
	    access(directory, X_OK) < 0)
		return false;
	enum verdict_of_path verdict = judge_path(plan, directory).verdict;
	return verdict != PATH_READ && verdict != PATH_WRITE;
}

unsigned paths_unseen(const struct plan *plan, const char *list, struct out *out)
{
	char directory[PATH_MAX];
	unsigned count = 0;
	for (const char *at = list; at && *at; at += *at == ':') {
		size_t length = strcspn(at, ":");
		if (length < sizeof(directory)) {
			memcpy(directory, at, length);
			directory[length] = '\0';
			if (is_unseen(plan, directory) && count++ < SHOWN_MOST)
				out_text(out, " %s", directory);
		}
		at += length;
	}
	if (count > SHOWN_MOST)
		out_text(out, " and more");
	return count;
}
