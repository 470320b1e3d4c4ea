// The first words of a client to the explicit proxy.
#pragma once

#include "net/proxy/conn.h"

enum turn explicit_first(struct worker *worker, struct conn *conn);
enum turn explicit_greeting(struct worker *worker, struct conn *conn);
enum turn explicit_socks(struct worker *worker, struct conn *conn);
enum turn explicit_dial(struct worker *worker, struct conn *conn);
