// Where a connection goes on: to a server that the rules allow, and then unread or inspected.
#pragma once

#include "net/proxy/conn.h"

enum { LASTING_MILLISECONDS = 10000 }; // until a tunnel is taken for one that lasts

// Dials when the rules allow it. False when they do not: the connection's record says why.
bool route_to(struct worker *worker, struct conn *conn, const struct host *host, uint16_t port);
void route_tunnel(struct worker *worker, struct conn *conn); // from here on nothing is read
// From here on any protocol; hellos and requests in it are judged.
void route_inspect(struct worker *worker, struct conn *conn);
