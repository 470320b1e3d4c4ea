// Hidden paths below readable ones, for a wall that cannot deny inside of what it allows.
#pragma once

struct plan;

// Replaces each directory that holds something hidden by its other entries, as they are now.
// Refuses where the box may write. The masks are gone afterwards.
int split_plan(struct plan *plan);
