// The difference of two texts by lines, for people. Pure.
#pragma once

struct out;

// Every line with a mark before it: '-' gone, '+' new, ' ' as it was. As
// out_visible() shows them. Texts too large to compare are said to be.
void diff_lines(struct out *out, const char *before, const char *after);
