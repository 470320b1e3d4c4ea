// What a run took and which limits it met, in words and as JSON.
#pragma once

#include <stdbool.h>

struct hit;
struct out;
struct outcome;
struct plan;
struct run;
struct usage;

// `for_model`: the line of a profile instead of a flag.
void summary_hit(const struct plan *plan, const struct hit *hit, bool for_model, struct out *out);
void summary_text(const struct plan *plan, const struct usage *usage, struct out *out);

// One object on one line, with the lines that would have been told.
void summary_json(const struct plan *plan, const struct run *run, const struct outcome *outcome,
		  int status, const struct hit *hits, int count, struct out *lines,
		  struct out *out);
