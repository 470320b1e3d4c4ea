// What a run was refused, what it took and which limits it met, in words and as JSON.
#pragma once

#include <stdbool.h>

struct denial;
struct denials;
struct findings;
struct hit;
struct out;
struct outcome;
struct plan;
struct run;
struct usage;

// One line: what, by whom, why, and the flag that would allow it.
void denied_line(const struct denial *denial, struct out *out);
// A line for each of the first of a kind, then their number; none for those that were shown during
// the run: of these a line says how many there were, if they came again afterwards.
void denied_text(const struct denials *denials, struct out *out);
// For a model that reads what its command printed: the line of a profile that its user could write
// instead of a flag, and one line at the end that it is not the model's to work around.
void denied_model(const struct plan *plan, const struct denials *denials, struct out *out);
// The members of one in JSON, without its count.
void denied_members(const struct denial *denial, struct out *out);
// A JSON list, `denied`, and how many more there were.
void denied_json(const struct denials *denials, struct out *out);

// `for_model`: the line of a profile instead of a flag.
void summary_hit(const struct plan *plan, const struct hit *hit, bool for_model, struct out *out);
void summary_text(const struct plan *plan, const struct usage *usage, struct out *out);

// The member `end`: exit, signal, limit or failed.
const char *summary_end(const struct outcome *outcome);
// One object on one line.
void summary_json(const struct plan *plan, const struct run *run, const struct outcome *outcome,
		  int status, const struct hit *hits, int count, const struct findings *failure,
		  struct out *out);
