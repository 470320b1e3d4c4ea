// Types for the protections that this machine supports.
#pragma once

#include <stdbool.h>

struct wall {
	const char *wall;
	enum wall_condition { FINDING_WORKS, FINDING_MISSING, FINDING_WEAK } state;
	const char *detail;
	const char *fix;
};

struct probe {
	int landlock;
};
