// What this machine can enforce, found out by trying.
#pragma once

#include <stdbool.h>

// One wall of the machine: works, or why not and the one command that fixes it.
struct finding {
	const char *wall;
	enum finding_state { FINDING_WORKS, FINDING_MISSING, FINDING_WEAK } state;
	const char *detail; // what was found
	const char *fix;    // NULL when nothing needs to be done
};

// The cheap part, needed by every plan: one system call, no fork.
struct probe {
	int landlock; // ABI, 0 when the kernel has none
};
