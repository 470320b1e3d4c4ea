// sbx why: hosts and ports.
#pragma once

struct box;
struct why;

// HOST or HOST:PORT, of which 443 is the default. -1: it is none.
int why_host(struct box *box, const char *word, struct why *why);
