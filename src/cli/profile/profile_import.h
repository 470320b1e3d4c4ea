// sbx profile import: the settings of another sandbox as a profile, on stdout.
#pragma once

struct box;

int profile_import(struct box *box, char **words);
