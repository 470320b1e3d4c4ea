// HTTP. Each is true when it may go on at once.
#pragma once

#include "net/proxy/conn.h"

bool exchange_request(struct worker *worker, struct conn *conn);
bool exchange_run(struct worker *worker, struct conn *conn);
