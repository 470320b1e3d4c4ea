// Secrets that stay outside: their rules, where they are read, and the opener's life.
//
// The room keys owns what the supervisor does for [secret NAME]: it hands descriptors to the opener
// and never reads a value. Uses: base apart net/setup nouns open report text. Begin with
// keys_plan().
#pragma once

struct denials;
struct findings;
struct plan;
struct profile;
struct run;

// Fails for a rule of a project's own file, and for a network without a proxy. Hides files with
// secrets from the box, and allows their hosts.
int keys_plan(struct plan *plan, struct profile *profile);
// Host steps: start the opener, give it the secrets, take its placeholders and certificate. Before
// the clone, which would copy the caller's environment.
int keys_host(struct plan *plan, struct run *run);
int keys_undo(const struct plan *plan, struct run *run);

// When the box is dead: uses and refusals.
void keys_report(const struct plan *plan, struct run *run, struct denials *denials,
		 struct findings *found);
