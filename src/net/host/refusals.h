// What a run says of its connections: refusals at once, and all when it has ended.
#pragma once

#include <stdint.h>

struct conn_record;
struct denials;
struct findings;
struct owner_search;
struct plan;
struct proxy;
struct run;

// While the run lasts: those that are new, and of which it is known whose they were.
void refusals_new(const struct plan *plan, struct proxy *proxy, struct denials *denials);
// One more, to those who listen (run->denied).
void refusals_tell(const struct plan *plan, const struct run *run, const struct conn_record *record,
		   const struct owner_search *who);
// How many different ones there were until now.
uint64_t refusals_count(const struct proxy *proxy);
// At its end: each destination that was denied or failed, with its count.
void refusals_report(const struct plan *plan, struct proxy *proxy, struct denials *denials);
// Each that was reached by a rule for every name.
void refusals_used(const struct proxy *proxy, struct denials *denials);
// Published ports at which nobody was.
void refusals_unheard(const struct proxy *proxy, struct findings *found);
// For a command that failed: what this machine lacks.
void refusals_explain(const struct plan *plan, const struct proxy *proxy, struct findings *found);
