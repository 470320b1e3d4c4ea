// Connections in state CONN_SYN: they wait at their first segment, before accept(). To allow one,
// the worker sends the segment again with a mark, and the listener takes it. To deny one, it sends
// a reset, and connect(2) fails.
#pragma once

#include "net/proxy/conn.h"

void syn_prepare(const struct worker *worker);
// Returns false without a valid segment.
bool syn_receive(const struct worker *worker, unsigned listener, struct segment *ret);
void syn_let(const struct worker *worker, const struct segment *segment);
void syn_refuse(const struct worker *worker, const struct segment *segment);

struct conn *syn_find(const struct worker *worker, const struct ends *ends);
void syn_begin(struct worker *worker, struct conn *conn, const struct segment *segment);
void syn_accepted(struct worker *worker, struct conn *conn);
void syn_end(struct worker *worker, struct conn *conn);
// Whether a refusal is a reset. Ports of HTTP and TLS get a refusal in words.
bool syn_is_silent(const struct worker *worker, const struct conn *conn);
enum turn syn_deny(struct worker *worker, struct conn *conn);

enum turn syn_run(struct worker *worker, struct conn *conn);
enum turn syn_expired(struct worker *worker, struct conn *conn);
