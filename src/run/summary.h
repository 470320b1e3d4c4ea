// What a run took and which limits it met, in words and as JSON.
#pragma once

struct hit;
struct out;
struct outcome;
struct plan;
struct run;
struct usage;

void summary_hit(const struct plan *plan, const struct hit *hit, struct out *out);
void summary_text(const struct plan *plan, const struct usage *usage, struct out *out);

// One object on one line of stderr, with all that would have been told.
void summary_json(const struct plan *plan, const struct run *run, const struct outcome *outcome, int status,
		  const struct hit *hits, int count);
