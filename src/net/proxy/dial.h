// The connection to the server.
#pragma once

#include "net/proxy/conn.h"

void dial_begin(struct worker *worker, struct conn *conn);
// Dials 127.0.0.1, then ::1: the box's for a published port, else the host's.
void dial_local(struct worker *worker, struct conn *conn);
extern const struct address dial_loopback[2];
bool dial_proves(struct worker *worker, struct conn *conn);
void dial_resolved(struct worker *worker, struct conn *conn);
void dial_event(struct worker *worker, struct conn *conn, unsigned attempt);
void dial_waiting(struct worker *worker);
void dial_expired(struct worker *worker, struct conn *conn);
enum { DIAL_PLACE_MAX = HOST_NAME_BYTES_MAX + 24 };
void dial_place(const struct conn *conn, char *place);
// Asks the upstream proxy for a tunnel: for an upgrade, and for protocols other than HTTP.
void dial_ask(struct worker *worker, struct conn *conn);
bool dial_takes_requests(const struct worker *worker, const struct conn *conn);
void dial_keep_alive(const struct conn *conn);
bool dial_asked(struct worker *worker, struct conn *conn);
