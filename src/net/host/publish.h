// Ports of the host's loopback that lead into a box.
#pragma once

#include "plan.h"

// A socket that listens at 127.0.0.1. Port 0 of a box's becomes a free one. -1 with the error said.
int publish_listen(struct publish *publish);
// The same, and one at ::1, or -1 where the host has none. A free port is printed.
int publish_open(struct publish *published, int *ret_four, int *ret_six);
