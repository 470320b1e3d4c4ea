// What is remembered of connections, and the budgets.
#pragma once

#include "net/proxy/conn.h"

// Replaces the record of an ended destination.
void record_conn(struct worker *worker, struct conn *conn, enum conn_verdict verdict,
		 const char *rule, const char *why, enum fix fix);
void record_refused(struct worker *worker, const struct conn_record *record);
void record_end(struct worker *worker, struct conn *conn);
// TURN_RESET: no budget is left.
enum turn record_bytes(struct worker *worker, struct conn *conn, enum peer_side from,
		       uint64_t bytes);
// A name also counts for budgets of its address.
void record_address(struct worker *worker, struct conn *conn, const struct address *address);
bool record_over_budget(struct worker *worker, struct conn *conn, const char **ret_text);
void record_flush(struct worker *worker);
