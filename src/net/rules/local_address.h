// Whether an address is this host's, on any device, by the kernel's routing table.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/parse/parse.h"
#include "text/destination.h"

// Unknown is refused, too.
enum local { LOCAL_NOT, LOCAL_HOST, LOCAL_UNKNOWN };

int local_open(void);
enum local local_ask(int netlink, const struct address *address);

// RTN_*, or an errno. MORE: an answer to an earlier question. Pure.
enum parse local_parse(const uint8_t *bytes, size_t length, uint32_t sequence, unsigned *ret_type,
		       int *ret_error);
