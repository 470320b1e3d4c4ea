// The actions of sbx profile that are about the project's own profile.
#pragma once

struct box;

int profile_status(struct box *box, char **words);
int profile_trust(struct box *box, char **words);
int profile_untrust(struct box *box, char **words);
