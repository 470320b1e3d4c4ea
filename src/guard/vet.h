// A look through what appeared under a name of git's: what the host would run is taken away, and
// the rest stays. Nothing is followed, nothing is parsed but in a locked process.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "plan.h"

struct listed;
struct out;

// When boxes of a project lived that no look has followed yet: nanoseconds of the files' clock.
enum { SPANS_OTHERS = 32, SPANS_MOST = SPANS_OTHERS + 2 };
struct spans {
	struct span {
		int64_t from, to;
	} list[SPANS_MOST];
	unsigned count;
	int64_t earliest; // when the first of those began that ended and that this look is for
};

struct check {
	const struct plan *plan;
	struct out *told;      // one line for each thing that was done
	struct out *changed;   // names that the host will run or trust, each but the first with a
			       // newline before it
	struct timespec start; // what was changed before is of no interest; zero when nobody knows
	unsigned budget;       // of directory entries, against hostile trees
	unsigned lost;         // worktrees that were made and are gone
	unsigned taken;        // names moved to quarantine
	// Where something is compared with the list of its tree; NULL: all of it is the box's.
	const struct listed *known;
	size_t root;          // length of the tree's path
	uint64_t root_device; // of the tree
	bool timeless;        // no time decides: another machine's clock, or one that was set back
	struct spans spans;
};

// `directory` is open and `name` lies in it, at `path`.
void vet_absent(struct check *check, int directory, const char *name, const char *path);
void vet_hooks(struct check *check, int directory, const char *name, const char *path);
void vet_config(struct check *check, int directory, const char *name, const char *path);
// A git directory that is open: all parts of it. `depth` is that of a submodule in others.
void vet_parts(struct check *check, int directory, const char *path, int depth);
void vet_worktree(struct check *check, int directory, const char *name, const char *path);
// As people are told of it: the project's own files by their names in it.
const char *vet_short_path(const struct plan *plan, const char *path);
// Moves it to quarantine. Of many the first are told, and the number of the others by vet_end().
void vet_take(struct check *check, int directory, const char *name, const char *path,
	      const char *why);
void vet_end(const struct check *check);
// A new .git, as directory or file, in the project.
void vet_repository(struct check *check, int directory, const char *name, const char *path);
// Whether it is the user's own: as the list has it, or made and changed last while no box lived.
// `inside`: a directory, of which others may have changed what is in it.
enum own_part { OWN_ALL, OWN_DIRECTORY };
bool vet_is_own(const struct check *check, int directory, const char *name, const char *path,
		enum own_part part);
// Whether something was changed, or made, by this run; "" is the directory itself.
bool vet_is_changed(const struct check *check, int directory, const char *name);
bool vet_is_made(const struct check *check, int directory, const char *name);
// The entries of worktrees and modules that are not in guard->known.
void vet_entries(struct check *check, int directory, const char *name, const struct guard *guard);
