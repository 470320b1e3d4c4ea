// The actions of sbx profile that are about kept answers (policy/answers.h).
#pragma once

struct box;

int profile_show_answers(struct box *box);
int profile_forget(struct box *box, char **words);
