// What the box's pid 1 says.
#pragma once

struct outcome;
struct plan;
struct run;

enum run_turn { GOES_ON, ENDED };

// Reads one message and does what follows from it; `outcome` says how the run has ended.
enum run_turn box_messages_take(const struct plan *plan, struct run *run, struct outcome *outcome);

// Ends a box that has begun, because the host side failed: err_text() says at what.
enum run_turn run_broken(struct run *run, struct outcome *outcome);
