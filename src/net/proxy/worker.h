// A worker process of the proxy.
#pragma once

#include <stdbool.h>

struct egress;
struct publish;
struct shared;

struct worker_start {
	struct shared *shared;
	bool relayed;
	unsigned locks;
	int control;
	int opener; // socket to the opener, or -1
	const int *listeners, *published;
	unsigned listener_count;
	const struct publish *ports;
	const struct egress *egress;
	const char *upstream, *no_proxy;
};
_Noreturn void worker_main(const struct worker_start *start);
