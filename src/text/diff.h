// The difference of two texts by lines, for people. Pure.
#pragma once

struct out;

// Every line with a mark before it, whole and as out_visible() shows it: '-' gone, '+' new,
// ' ' as it was.
void diff_lines(struct out *out, const char *before, const char *after);
