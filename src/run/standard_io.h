// The supervisor lets the caller's descriptors go: a pipe ends when the command's end of it is
// closed.
#pragma once

struct plan;
struct run;

// A step. A box that does not stand may be made anew, or in a lower tier, and that one needs them:
// then standard_io_release() does it.
int standard_io_host(const struct plan *plan, struct run *run);
int standard_io_release(const struct plan *plan);
