// TLS, until nothing of it is readable.
#pragma once

#include "net/proxy/conn.h"

enum turn hello_run(struct worker *worker, struct conn *conn);
enum turn hello_run_answer(struct worker *worker, struct conn *conn);
enum turn hello_answered(struct worker *worker, struct conn *conn);
// The opener gets one end of two socket pairs: from the client to the first conn, and from a second
// conn to the server.
enum turn hello_hand_over(struct worker *worker, struct conn *conn);
