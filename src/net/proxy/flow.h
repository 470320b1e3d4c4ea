// The bytes of a connection.
#pragma once

#include "net/proxy/conn.h"

enum turn flow_read(struct worker *worker, struct conn *conn, enum peer_side from);
enum turn flow_write(struct worker *worker, struct conn *conn, enum peer_side from);
void flow_clear(struct flow *flow, uint64_t bytes); // lets bytes pass, read or not yet read
void flow_skip(struct flow *flow, uint32_t bytes);
bool flow_empty(const struct flow *flow);
void flow_say(struct conn *conn, const void *bytes, size_t length);
// The client's bytes that have not passed, and those that are kept.
const uint8_t *flow_unread(const struct conn *conn, size_t *ret_length);
