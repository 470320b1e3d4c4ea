// Records and budgets of connections.
#pragma once

#include "net/proxy/conn.h"

// Sets the connection's record. Reports an earlier one of another destination first.
void record_conn(struct worker *worker, struct conn *conn, enum conn_verdict verdict,
		 const char *rule, const char *why, enum fix fix);
void record_refused(struct worker *worker, const struct conn_record *record);
void record_end(struct worker *worker, struct conn *conn);
// Counts bytes. TURN_RESET: a budget is used up.
enum turn record_bytes(struct worker *worker, struct conn *conn, enum peer_side from,
		       uint64_t bytes);
// Notes the address that a name leads to: the address's budgets count, too.
void record_address(struct worker *worker, struct conn *conn, const struct address *address);
bool record_over_budget(struct worker *worker, struct conn *conn, const char **ret_text);
void record_flush(struct worker *worker);
