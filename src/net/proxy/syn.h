// Connections that wait at their first segment, which the box's kernel has not answered yet. One
// that leads somewhere goes on with the same segment, marked, and is accepted; one that does not
// ends with a reset: its connect(2) fails. It is a conn in state CONN_SYN, without a client's
// socket.
#pragma once

#include "net/proxy/conn.h"

void syn_prepare(const struct worker *worker);
// The next that came; false when there is none, or it is none.
bool syn_receive(const struct worker *worker, unsigned listener, struct segment *ret);
void syn_let(const struct worker *worker, const struct segment *segment);
void syn_refuse(const struct worker *worker, const struct segment *segment);

// The conn that waits with these ends, or NULL.
struct conn *syn_find(const struct worker *worker, const struct ends *ends);
// It waits from now on; it was accepted; it ends.
void syn_begin(struct worker *worker, struct conn *conn, const struct segment *segment);
void syn_accepted(struct worker *worker, struct conn *conn);
void syn_end(struct worker *worker, struct conn *conn);
// It is denied, and is refused when it was seen whose it is; but who asked for a name at a port of
// HTTP or TLS gets an answer there that says why.
bool syn_is_silent(const struct worker *worker, const struct conn *conn);
enum turn syn_deny(struct worker *worker, struct conn *conn);

enum turn syn_run(struct worker *worker, struct conn *conn);
enum turn syn_expired(struct worker *worker, struct conn *conn);
