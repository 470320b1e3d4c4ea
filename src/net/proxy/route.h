// Where a connection goes on: to a server that the rules allow, and then unread or inspected.
#pragma once

#include "net/proxy/conn.h"

enum { LASTING_MILLISECONDS = 10000 }; // until a tunnel is taken for one that lasts

// Dials when the rules allow it, and waits when they ask (below). False when they do not: the
// connection's record says why.
bool route_to(struct worker *worker, struct conn *conn, const struct host *host, uint16_t port);

// Connections that wait for an answer: to what is refused only because nobody listed it. A turn of
// theirs does nothing, and nothing of what the client says is read meanwhile.
// The answer to all that wait for this destination.
void route_answered(struct worker *worker, const struct worker_command *order);
// By rules that have changed: dials, refuses, or waits on.
void route_judge(struct worker *worker, struct conn *conn);
// After HOLD_MILLISECONDS.
void route_expired(struct worker *worker, struct conn *conn);

// Its name was looked up: dials, goes on with the next form of a short name, or refuses.
void route_resolved(struct worker *worker, struct conn *conn);

void route_tunnel(struct worker *worker, struct conn *conn); // from here on nothing is read
// From here on any protocol; hellos and requests in it are judged.
void route_inspect(struct worker *worker, struct conn *conn);
