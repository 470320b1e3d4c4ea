// The first words of a client to the explicit proxy. Each is true when it may go on at once.
#pragma once

#include "net/proxy/conn.h"

bool explicit_first(struct worker *worker, struct conn *conn);
bool explicit_greeting(struct worker *worker, struct conn *conn);
bool explicit_socks(struct worker *worker, struct conn *conn);
bool explicit_dial(struct worker *worker, struct conn *conn);
