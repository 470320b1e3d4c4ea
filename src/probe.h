// What this machine can enforce, found by trying.
#pragma once

#include <stdbool.h>

// One wall: works, or the reason and the fix.
struct finding {
	const char *wall;
	enum finding_state { FINDING_WORKS, FINDING_MISSING, FINDING_WEAK } state;
	const char *detail;
	const char *fix;
};

// One system call, for every plan.
struct probe {
	int landlock;
};
