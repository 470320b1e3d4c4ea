// Refusals in the client's protocol.
#pragma once

#include "net/proxy/conn.h"

const char *deny_other(const struct worker *worker, struct conn *conn, const char *why,
		       const struct host *host, uint16_t port);
// Each begins a refusal, and returns TURN_MOVED.
enum turn deny_refuse(struct worker *worker, struct conn *conn, const char *why, enum fix fix);
enum turn deny_begin(struct worker *worker, struct conn *conn, const char *why);
enum turn deny_http(struct worker *worker, struct conn *conn, int status);
enum turn deny_socks(struct worker *worker, struct conn *conn, int reply);
enum turn deny_failed(struct worker *worker, struct conn *conn);

enum turn deny_run(struct worker *worker, struct conn *conn);
enum turn deny_drain(struct worker *worker, struct conn *conn);
enum turn deny_drained(struct worker *worker, struct conn *conn);
