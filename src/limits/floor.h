// The memory that the machine itself needs, where no cgroup bounds what a box takes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "limits/usage.h"

struct plan;
struct run;
struct tree;

struct floor {
	uint64_t available, nobody; // bytes of the machine at the first look
	uint64_t last;              // available at the last look
	bool grows;                 // it is more than then
	int64_t claimed;            // since when this box asks for its own end; 0: it does not
};

// Of a struct that is zero at the run's begin; the first look is the measure, so that a short run
// does not pay for it. Ends the box when the machine is nearly out of memory and the box is why.
// Returns the milliseconds until the next look.
int64_t floor_look(const struct plan *plan, const struct run *run, struct floor *floor,
		   const struct tree *tree, enum stop *ret_stop);
