// The words of what was refused, for people, programs and models.
#pragma once

struct denials;
struct out;
struct plan;

// A line for each: what, by whom, why, and the flag that would allow it.
void denied_text(const struct denials *denials, struct out *out);
// For a model that reads what its command printed: the line of a profile that its user could write
// instead of a flag, and one line at the end that it is not the model's to work around.
void denied_model(const struct plan *plan, const struct denials *denials, struct out *out);
// A JSON list.
void denied_json(const struct denials *denials, struct out *out);
