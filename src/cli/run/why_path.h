// sbx why: paths.
#pragma once

struct box;
struct why;

void why_path(struct box *box, const char *word, struct why *why);
