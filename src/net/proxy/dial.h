// The way to the server.
#pragma once

#include "net/proxy/conn.h"

void dial_begin(struct worker *worker, struct conn *conn);
// To the port of a loopback: the host's, or of a published port the box's. 127.0.0.1, then ::1.
void dial_local(struct worker *worker, struct conn *conn);
extern const struct address dial_loopback[2];
// True while it is asked whether the host's resolver makes addresses up.
bool dial_proves(struct worker *worker, struct conn *conn);
void dial_resolved(struct worker *worker, struct conn *conn); // by the addresses of its name
void dial_event(struct worker *worker, struct conn *conn, unsigned attempt);
// Those that wait for a place among the look-ups: as many as there are.
void dial_waiting(struct worker *worker);
void dial_expired(struct worker *worker, struct conn *conn);
// "host:port", in HOST_NAME_BYTES_MAX + 16 bytes.
enum { DIAL_PLACE_MAX = HOST_NAME_BYTES_MAX + 24 };
void dial_place(const struct conn *conn, char *place);
// The caller's own proxy is asked for a tunnel: the client speaks no HTTP, or asks for an upgrade.
void dial_ask(struct worker *worker, struct conn *conn);
// Whether the proxy can have the request itself.
bool dial_takes_requests(const struct worker *worker, const struct conn *conn);
void dial_keep_alive(const struct conn *conn);
bool dial_asked(struct worker *worker, struct conn *conn); // reads the upstream proxy's answer
