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

// Rules of all secrets, and the roots that are trusted. Fails for a rule of a project's own file
// and for a network that has no proxy. A file that holds a secret is hidden from the box, and its
// hosts are added to what is allowed.
int keys_plan(struct plan *plan, struct profile *profile);
// Host steps: begins the opener and gives it the secrets; takes the placeholders and the
// certificate. Before the box's first process is made, which would have a copy of the caller's
// environment.
int keys_host(struct plan *plan, struct run *run);
int keys_undo(const struct plan *plan, struct run *run);

// When the box is dead: what was used, and what was refused.
void keys_report(const struct plan *plan, struct run *run, struct denials *denials,
		 struct findings *found);
