// Changes of a file's mode, owner, times and attributes, which Landlock does not see: done by the
// supervisor, on a descriptor of its own, where the box may write.
#pragma once

struct question;

// The call of this name: 0 or -errno. 1 when it is no such call.
int metadata_answer(const struct question *question, const char *call);
