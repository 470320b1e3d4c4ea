// Secrets that stay outside: their rules, where they are read, and the opener's life.
//
// The room secrets/host owns what the supervisor does for [secret NAME]: it hands descriptors to
// the opener and never reads a value. Uses: base apart net/setup nouns secrets/dialogue report
// text. Begin with keys_plan().
#pragma once

struct denials;
struct findings;
struct plan;
struct profile;
struct run;

// Fails for a rule of a project's own file, and for a network without a proxy. Hides files with
// secrets from the box, and allows the hosts of the rules.
int keys_plan(struct plan *plan, struct profile *profile);
// Host steps: start the opener, send secrets, receive placeholders and certificate. They come
// before clone(2), which would copy the caller's environment.
int keys_host(struct plan *plan, struct run *run);
int keys_undo(const struct plan *plan, struct run *run);

// Reports uses and refusals after the box's end.
void keys_report(const struct plan *plan, struct run *run, struct denials *denials,
		 struct findings *found);
