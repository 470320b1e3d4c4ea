// TLS, until nothing of it is readable. Each is true when it may go on at once.
#pragma once

#include "net/proxy/conn.h"

bool hello_run(struct worker *worker, struct conn *conn);
bool hello_run_answer(struct worker *worker, struct conn *conn);
