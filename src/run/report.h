// What is reported: nothing when all went well, else one line that says what and how to fix it.
#pragma once

struct outcome;
struct plan;
struct run;

// Prints to stderr what must be said and returns sbx's exit status: the command's own, 124 at the
// time limit, 125 when sbx failed, 126 and 127 when the command could not be started.
int report_outcome(const struct plan *plan, const struct run *run, struct outcome *outcome);

// --timing: one line per step, to stderr.
void report_timing(const struct plan *plan, const struct run *run);
