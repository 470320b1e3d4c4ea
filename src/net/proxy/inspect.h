// What passes in a tunnel to a name. True when it may go on at once.
#pragma once

#include "net/proxy/conn.h"

bool inspect_run(struct worker *worker, struct conn *conn);
