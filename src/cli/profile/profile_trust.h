// The actions of sbx profile that are about the project's own profile.
//
// The room cli/profile owns `sbx profile`. Uses: base cli names policy policy/import report run
// seccomp text view/paths. Begin with profile_verb.c.
#pragma once

struct box;

int profile_status(struct box *box, char **words);
int profile_trust(struct box *box, char **words);
int profile_untrust(struct box *box, char **words);
