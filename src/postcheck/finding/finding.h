// One check of what a run left: its state, whose a thing is, and how it is taken away.
//
// The room postcheck/finding owns the state of one check and its acts: whose a thing is, and
// quarantine. Uses: base git names nouns report text trees. Begin with finding.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "plan.h"

struct changed_rows;
struct listed;
struct findings;
struct stat;

struct check {
	const struct plan *plan;
	struct findings *found;
	struct timespec start; // what was changed before is of no interest; zero when nobody knows
	unsigned budget;       // of directory entries, against hostile trees
	// Where something is compared with the list of its tree; NULL: all of it is the box's.
	const struct listed *known;
	size_t root;          // length of the tree's path
	uint64_t root_device; // of the tree
	bool timeless;        // no time decides: another machine's clock, or one that was set back
	struct changed_rows *rows; // of postcheck/finding/changed.h; NULL: nothing is grouped
};

// As it is reported: the project's own files by their names in it.
const char *finding_path(const struct plan *plan, const char *path);
// Moves it to quarantine.
#define FINDING_WAITS "appeared as a pipe or a device: your own git would wait for it"
void finding_take(struct check *check, int directory, const char *name, const char *path,
		  const char *why);
// Removes caches that git makes anew; reports those that stay.
void finding_remove(struct check *check, int directory, const char *name, const char *path);
// Whether it is the user's own: as the list has it, or changed last before the run.
// `inside`: a directory, of which others may have changed what is in it.
enum own_part { OWN_ALL, OWN_DIRECTORY };
bool finding_is_own(const struct check *check, int directory, const char *name, const char *path,
		    enum own_part part);
// Whether something was changed, or made, by this run; "" is the directory itself.
bool finding_is_changed(const struct check *check, int directory, const char *name);
bool finding_is_late(const struct check *check, const struct stat *status);
bool finding_is_made(const struct check *check, int directory, const char *name);
// True if it may have changed last in this run.
bool finding_is_in_run(const struct check *check, const struct stat *status);
