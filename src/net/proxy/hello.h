// TLS, until nothing of it is readable.
#pragma once

#include "net/proxy/conn.h"

enum turn hello_run(struct worker *worker, struct conn *conn);
enum turn hello_run_answer(struct worker *worker, struct conn *conn);
enum turn hello_answered(struct worker *worker, struct conn *conn);
// TLS to a host of a secret: waits for the server, then gives the opener an end of two socket
// pairs. This conn leads from the client to the first, as before; a second one from the other to
// the server.
enum turn hello_hand_over(struct worker *worker, struct conn *conn);
