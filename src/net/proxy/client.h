// The turns of a connection.
#pragma once

#include "net/proxy/conn.h"

enum turn client_run(struct worker *worker, struct conn *conn);
enum turn client_expired(struct worker *worker, struct conn *conn);
