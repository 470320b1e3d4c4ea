// Refusals, in the protocol that the client speaks.
#pragma once

#include "net/proxy/conn.h"

// Records it, and begins it. Always true.
bool deny_refuse(struct worker *worker, struct conn *conn, const char *why, enum fix fix);
void deny_begin(struct worker *worker, struct conn *conn, const char *why); // by the first bytes
void deny_http(struct worker *worker, struct conn *conn, int status);
void deny_socks(struct worker *worker, struct conn *conn, int reply);
void deny_failed(struct worker *worker, struct conn *conn); // the server could not be reached
// Each is true when it may go on at once.
bool deny_run(struct worker *worker, struct conn *conn);
bool deny_drain(struct worker *worker, struct conn *conn);
