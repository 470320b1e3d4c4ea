// A language server in the box, and its editor outside: what passes between them is read outside,
// by two processes that the box cannot reach. One sets the editor's processId to null in its first
// message and passes on all that follows unread; the other reads each message of the server, and
// refuses what would have the editor change files outside of the project (lsp/message.h).
//
// The room lsp owns the messages of language servers. Uses: base names net/setup nouns report text.
// Begin with message.h.
#pragma once

#include "profile.h"

struct denials;
struct plan;
struct run;

// Of the plan: --lsp (`asked`) or the profile's key. -1 with the error said where it cannot be had.
int lsp_plan(struct plan *plan, enum answer asked);

// A step: 0 and 1 become pipes, which the box then begins with. Its undo gives the caller's back
// where none was used, or waits until the last message is passed on, LAST_MILLISECONDS at most.
int lsp_host(const struct plan *plan, struct run *run);
int lsp_undo(const struct plan *plan, struct run *run);

// When the box is made: starts the two processes. Nothing is read before.
int lsp_begin(const struct plan *plan, struct run *run);

// After the undo: what was refused.
void lsp_report(const struct run *run, struct denials *denials);
