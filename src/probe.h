// Types for the protections that this machine supports.
#pragma once

#include <stdbool.h>

struct finding {
	const char *wall;
	enum finding_state { FINDING_WORKS, FINDING_MISSING, FINDING_WEAK } state;
	const char *detail;
	const char *fix;
};

struct probe {
	int landlock;
};
