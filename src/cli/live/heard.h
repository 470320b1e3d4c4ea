// What a command of sbx exec was denied, as its run says it.
#pragma once

#include <stdbool.h>

#include "process/further_clients.h"

struct heard {
	struct denials denials;
	unsigned said; // of them
};

// Says it at once, unless `quiet`; on a terminal (its master, or -1) that a program draws on at the
// end.
void heard_take(struct heard *heard, const struct further_denied *denied, bool quiet, int master);
void heard_end(struct heard *heard, bool quiet, bool succeeded);
