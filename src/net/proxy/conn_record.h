// What is remembered of connections, and the budgets.
#pragma once

#include "net/proxy/conn.h"

// `conn` is whose it is, or NULL.
int record_add(struct worker *worker, struct conn *conn, const struct conn_record *like);
int record_conn(struct worker *worker, struct conn *conn, enum conn_verdict verdict,
		const char *rule, const char *why, enum fix fix);
// TURN_RESET when a budget is used up by them.
enum turn record_bytes(struct worker *worker, struct conn *conn, enum peer_side from,
		       uint64_t bytes);
// The address that was dialled: noted, and a name counts for the budgets of its address as well.
void record_address(struct worker *worker, struct conn *conn, const struct address *address);
bool record_over_budget(struct worker *worker, struct conn *conn, const char **ret_text);
void record_flush(struct worker *worker);
