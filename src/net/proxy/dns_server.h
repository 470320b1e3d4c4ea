// Answers to the box's DNS questions.
#pragma once

#include "net/proxy/conn.h"

void dns_server_datagrams(struct worker *worker, int fd);
void dns_server_waiting(struct worker *worker);
enum turn dns_server_stream(struct worker *worker, struct conn *conn);
