// Where a connection goes on: to a server that the rules allow, and then unread or inspected.
#pragma once

#include "net/proxy/conn.h"

enum { LASTING_MILLISECONDS = 10000 };

// False: the conn's record says why.
bool route_to(struct worker *worker, struct conn *conn, const struct host *host, uint16_t port);

// Only connections to hosts that nobody listed wait: nothing of them is read meanwhile.
void route_answered(struct worker *worker, const struct worker_command *order);
void route_judge(struct worker *worker, struct conn *conn);
void route_expired(struct worker *worker, struct conn *conn);

void route_resolved(struct worker *worker, struct conn *conn);

void route_tunnel(struct worker *worker, struct conn *conn);
// Hellos and requests are judged.
void route_inspect(struct worker *worker, struct conn *conn);
