// What a command leaves in the private home: regular files, which are gone with the box.
#pragma once

#include <stdint.h>

struct plan;
struct run;

// In pid 1, while it has the plan. Notes where the private home is, if there is one.
void left_begin(const struct plan *plan);

// In pid 1, at the end: where the box's tmpfs has more inodes than the `made` of `run`, as `used`
// says, writes names of such files into run->message.text: paths below the home, each with its NUL,
// and an empty one. "..." stands for all that are too many. Makes no call otherwise.
void left_look(struct run *run, uint64_t used);
