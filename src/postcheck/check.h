// The look at the host's files when the last process of a box is dead.
//
// The room postcheck owns the check after a run: what changed that the host executes or trusts.
// Uses: base git names net/setup nouns postcheck/finding postcheck/git report text trees
// view/paths. Begin with check.c.
#pragma once

struct findings;
struct plan;
struct run;

// Merges git's configurations, moves away what appeared under protected names, and reports that and
// the changed names that the host will run later. New
// repositories are looked for in all that was writable as a whole.
enum { SHORT_RUN_MILLISECONDS = 100 };
// What the look needs, and what does not change: while the box has work, and we have none.
void check_prepare(const struct plan *plan, struct run *run);
// Right before the command begins: writes the run's file.
void check_begin(struct plan *plan, struct run *run);
void check_host(const struct plan *plan, struct run *run, struct findings *found);
// After it, of a command that failed: names that may have been refused to git.
void check_refused(const struct plan *plan, struct findings *found);
