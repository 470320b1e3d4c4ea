// The actions of sbx profile.
//
// The room cli/profile owns `sbx profile`. Uses: base, cli, names, policy, report, run, seccomp,
// text, view/paths. Begin with profile_verb.c.
#pragma once

struct box;
struct out;

// Finds the project of the current directory. Checks that only the caller can write sbx's state.
int profile_project(struct box *box);

int profile_status(struct box *box, char **words, struct out *out);
int profile_trust(struct box *box, char **words, struct out *out);
int profile_untrust(struct box *box, char **words, struct out *out);

int profile_add(struct box *box, char **words, struct out *out);

// Actions about the project's answers (policy/find.h).
int profile_show_answers(struct box *box, struct out *out);
int profile_forget(struct box *box, char **words, struct out *out);
