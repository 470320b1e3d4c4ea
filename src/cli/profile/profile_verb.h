// The actions of sbx profile. First those that are about the project's own profile.
//
// The room cli/profile owns `sbx profile`. Uses: base cli names policy report run
// seccomp text view/paths. Begin with profile_verb.c.
#pragma once

struct box;
struct out;

// Finds the project of the current directory; checks that only the caller can write sbx's state. -1
// with the error said.
int profile_project(struct box *box);

int profile_status(struct box *box, char **words, struct out *out);
int profile_trust(struct box *box, char **words, struct out *out);
int profile_untrust(struct box *box, char **words, struct out *out);

int profile_add(struct box *box, char **words, struct out *out);

// Actions about kept answers (policy/find.h).
int profile_show_answers(struct box *box, struct out *out);
int profile_forget(struct box *box, char **words, struct out *out);
