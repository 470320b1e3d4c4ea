// What is done for a client, state by state.
#pragma once

#include "net/proxy/conn.h"

void client_run(struct worker *worker, struct conn *conn);
void client_expired(struct worker *worker, struct conn *conn); // its deadline is over
