// A run whose changes are looked at before the host has them.
#pragma once

struct box;

// box_run(), with --review in a session of its own.
int review_run(struct box *box);
