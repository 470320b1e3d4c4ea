// Connections that wait at their first segment, which the box's kernel has not answered. An allowed
// one continues with the segment, marked, and is accepted; a denied one gets a reset, so that
// connect(2) fails. Such a conn is in state CONN_SYN, without a client's socket.
#pragma once

#include "net/proxy/conn.h"

void syn_prepare(const struct worker *worker);
// False: no segment, or not a SYN.
bool syn_receive(const struct worker *worker, unsigned listener, struct segment *ret);
void syn_let(const struct worker *worker, const struct segment *segment);
void syn_refuse(const struct worker *worker, const struct segment *segment);

// The conn that waits with these ends, or NULL.
struct conn *syn_find(const struct worker *worker, const struct ends *ends);
void syn_begin(struct worker *worker, struct conn *conn, const struct segment *segment);
void syn_accepted(struct worker *worker, struct conn *conn);
void syn_end(struct worker *worker, struct conn *conn);
// Ports of HTTP or TLS get a refusal in words instead.
bool syn_is_silent(const struct worker *worker, const struct conn *conn);
enum turn syn_deny(struct worker *worker, struct conn *conn);

enum turn syn_run(struct worker *worker, struct conn *conn);
enum turn syn_expired(struct worker *worker, struct conn *conn);
