// Files of root's that a program refuses unless root or its caller owns them.
#pragma once

struct wishes;

// In the box such a file belongs to nobody that it knows. What the box sees of these is shown as a
// copy that belongs to the caller.
int owners_plan(struct wishes *wishes);
