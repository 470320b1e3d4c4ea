// The walls of a home that is the project (--project-dir).
#pragma once

#include "base/list.h"

struct wishes;

// What programs read at start, by the table and by what the profile names in the home.
int home_protect(struct wishes *wishes, struct origin from);
