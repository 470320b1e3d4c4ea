// Where a connection continues.
#pragma once

#include "net/proxy/conn.h"

enum { LASTING_MILLISECONDS = 10000 };

// Returns false if it is denied: conn->record says why.
bool route_to(struct worker *worker, struct conn *conn, const struct host *host, uint16_t port);

// For connections that wait for a person's answer. Nothing is read from them meanwhile.
void route_answered(struct worker *worker, const struct worker_command *order);
void route_judge(struct worker *worker, struct conn *conn);
void route_expired(struct worker *worker, struct conn *conn);

void route_resolved(struct worker *worker, struct conn *conn);

void route_tunnel(struct worker *worker, struct conn *conn);
// Continues as a tunnel whose hellos and requests are judged.
void route_inspect(struct worker *worker, struct conn *conn);
