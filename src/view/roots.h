// The list of certificates that the box trusts.
#pragma once

struct wishes;

// Of a run with secrets: the host's roots and the authority of this box, in the place of the
// host's.
int roots_plan(struct wishes *wishes);
