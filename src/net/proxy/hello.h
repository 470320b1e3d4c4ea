// TLS, while it is readable.
#pragma once

#include "net/proxy/conn.h"

enum turn hello_run(struct worker *worker, struct conn *conn);
enum turn hello_run_answer(struct worker *worker, struct conn *conn);
enum turn hello_answered(struct worker *worker, struct conn *conn);
// Gives the opener two sockets: one leads to this connection's client, one to the server by a
// second connection.
enum turn hello_hand_over(struct worker *worker, struct conn *conn);
