// sudo in a session as root.
#pragma once

struct wishes;

// Rules by which the host's own sudo runs what it is asked for, in place of the host's, which only
// root may read. Nothing where the host has none, or the box is not as root.
int sudo_plan(struct wishes *wishes);
