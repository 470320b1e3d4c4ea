// A run's reports of its connections: refusals at once, the rest at its end.
#pragma once

#include <stdint.h>

struct conn_record;
struct denials;
struct findings;
struct owner_search;
struct plan;
struct proxy;
struct run;

// During the run: new ones with a known owner.
void refusals_new(const struct plan *plan, struct proxy *proxy, struct denials *denials);
void refusals_tell(const struct plan *plan, const struct run *run, const struct conn_record *record,
		   const struct owner_search *who);
uint64_t refusals_count(const struct proxy *proxy);
// At the end: each denied or failed destination, with its count.
void refusals_report(const struct plan *plan, struct proxy *proxy, struct denials *denials);
// Destinations that a rule for every name allowed.
void refusals_used(const struct proxy *proxy, struct denials *denials);
void refusals_unheard(const struct proxy *proxy, struct findings *found);
// For a failed command: what this machine lacks.
void refusals_explain(const struct plan *plan, const struct proxy *proxy, struct findings *found);
