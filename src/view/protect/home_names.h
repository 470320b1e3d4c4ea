// What of the home the caller's programs run or trust, by absolute path: protected wherever the box
// writes it, and no project.
#pragma once

struct plan;
struct wishes;

// -1 with the error said when the project, or a directory that --write names, is such a place or
// one of secrets.
int homes_refuse(struct wishes *wishes);

// Protects what the box, by the wishes so far, would write of it.
int homes_protect(struct wishes *wishes);

// Keeps for later runs where links of the home led when the plan was made.
void homes_remember(const struct plan *plan);
