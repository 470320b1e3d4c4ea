// Tier landlock: the box without namespaces, for machines that give none. The command stays among
// the host's processes and files; Landlock, a second filter and the supervisor's answers are all.
#pragma once

struct plan;
struct run;

// After the view: refuses what this tier cannot keep, notes what is lost, makes the second filter.
int domain_plan(struct plan *plan);

// Of it the second filter alone, for the profile's network mode.
int domain_filter(struct plan *plan);

// Host side: makes and removes the directory for temporary files.
int domain_host(const struct plan *plan, struct run *run);
int domain_undo(const struct plan *plan, struct run *run);

// Box side. `domain_child`: adopts orphans, so that none is left behind. `domain_rules` adds the
// plan's paths to a Landlock ruleset.
int domain_child(const struct plan *plan, struct run *run);
int domain_rules(const struct plan *plan, int ruleset);
// Kills and reaps every process below this one.
void domain_end(void);
