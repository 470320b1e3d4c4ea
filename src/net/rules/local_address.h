// Whether an address is this host's.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/parse/parse.h"
#include "text/destination.h"

// LOCAL_UNKNOWN is refused like LOCAL_HOST.
enum local { LOCAL_NOT, LOCAL_HOST, LOCAL_UNKNOWN };

int local_open(void);
enum local local_ask(int netlink, const struct address *address);

// *ret_type: RTN_*. *ret_error: an errno or 0. PARSE_MORE: the message answers an earlier question.
enum parse local_parse(const uint8_t *bytes, size_t length, uint32_t sequence, unsigned *ret_type,
		       int *ret_error);
