// The inspection of tunnels.
#pragma once

#include "net/proxy/conn.h"

enum turn inspect_run(struct worker *worker, struct conn *conn);
