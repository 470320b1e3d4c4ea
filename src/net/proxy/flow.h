// The moving of bytes of a connection. True when something moved.
#pragma once

#include "net/proxy/conn.h"

bool flow_read(struct worker *worker, struct conn *conn, enum side from);
bool flow_write(struct worker *worker, struct conn *conn, enum side from);
void flow_clear(struct flow *flow, uint64_t bytes); // lets bytes pass, in the buffer and after
void flow_skip(struct flow *flow, uint32_t bytes);  // takes bytes away
bool flow_empty(const struct flow *flow);
void flow_say(struct conn *conn, const void *bytes, size_t length); // to the client, our own words
void flow_free(struct worker *worker, struct flow *flow);
// The client's bytes that are still to be read, those that have passed included.
const uint8_t *flow_unread(const struct conn *conn, size_t *ret_length);
