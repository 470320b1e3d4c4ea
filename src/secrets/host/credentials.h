// The room secrets/host owns what the supervisor does for [secret NAME]: it reads rules, starts the
// opener and hands it descriptors to read values from. Uses: base, apart, net/setup, nouns,
// secrets/dialogue, report, text. Begin with keys_plan().
#pragma once

struct denials;
struct findings;
struct plan;
struct profile;
struct run;

// Plans [secret]: hides files with secrets, and allows the hosts of rules. Fails for a rule of a
// project's file, and for a network without a proxy.
int keys_plan(struct plan *plan, struct profile *profile);
// Starts the opener, sends secrets, receives placeholders and the certificate. Runs before
// clone(2), which would copy the caller's environment into the box.
int keys_host(struct plan *plan, struct run *run);
int keys_undo(const struct plan *plan, struct run *run);

void keys_report(const struct plan *plan, struct run *run, struct denials *denials,
		 struct findings *found);
