// What every view has, whatever the profile says: the parts of /dev, a fresh /proc and its walls.
#pragma once

#include "plan.h"

struct fixed {
	enum mount_kind kind;
	enum access access;
	const char *target, *source;
	enum { EVERYBODY, ROOT } for_whom;
};

extern const struct fixed fixed_devices[], fixed_proc_walls[];
extern const unsigned fixed_device_count, fixed_proc_wall_count;
