// Socket addresses of the kernel and addresses of rules: IPv4 is ::ffff:a.b.c.d in these.
#pragma once

#include <sys/socket.h>

#include "text/host.h"

// Returns the length that connect(2) and bind(2) want.
socklen_t sockaddr_fill(const struct address *address, uint16_t port, struct sockaddr_storage *ret);
void sockaddr_read(const struct sockaddr_storage *from, struct address *ret_address,
		   uint16_t *ret_port);
