// The caller's runs that go on now, whatever their network.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RUNNING_MAX = 1024, RUNNING_COMMAND_MAX = 200 };

struct running {
	pid_t run;      // of the supervisor
	bool proxy;     // by a name that anybody can take: sbx allow and sbx deny ask its owner
	bool proved;    // it is this program, with a verb that makes a box
	uint64_t age;   // milliseconds
	uint64_t start; // in clock ticks since boot
	char command[RUNNING_COMMAND_MAX + 1]; // with the words of sbx; bytes as they are
};

// Whether it still goes on; asked after a pidfd was opened, that one is the run's.
bool running_lasts(const struct running *running);

// By number; returns how many, at most RUNNING_MAX. Of those that are not `proved` it is a list for
// people, and decides nothing.
unsigned running_list(struct running ret_list[RUNNING_MAX]);
