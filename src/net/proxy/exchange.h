// HTTP requests and their responses.
#pragma once

#include "net/proxy/conn.h"

enum turn exchange_request(struct worker *worker, struct conn *conn);
enum turn exchange_run(struct worker *worker, struct conn *conn);
enum turn exchange_written(struct worker *worker, struct conn *conn);
