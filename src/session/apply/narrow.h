// What others may do with what an apply puts: no more than the host's own tools would give them.
#pragma once

#include "session/apply/stage.h"

// Takes from the mode what neither the host's thing had nor the caller's umask gives. The parent of
// what is staged is entered: a default ACL stands in for the umask.
void narrow_mode(struct applying *applying, struct change *change);
void narrow_tell(const struct applying *applying, const char *first, struct out *notes);
