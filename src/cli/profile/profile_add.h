// sbx profile add: one line into a profile of the caller's.
#pragma once

struct box;

int profile_add(struct box *box, char **words);
