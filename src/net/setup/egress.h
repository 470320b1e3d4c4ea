// What the profile says about the network, decided.
#pragma once

#include <stdint.h>

struct host;
struct plan;

// Bytes of the caller's proxy variables: a worker has room for as much.
enum { EGRESS_URL_MAX = 1023, EGRESS_NO_PROXY_MAX = 8191 };

// Before the clone: what the box's own network is made of.
int egress_plan(struct plan *plan);
// Refuses more rules than the proxy has room for.
int egress_count(const struct plan *plan);
// The file or variable for which the public names of its group are not opened; NULL: it is another
// host. `ret_flag` is the option that shows it.
const char *egress_closed(const struct plan *plan, const struct host *host, uint16_t port,
			  const char **ret_flag);
// Where the caller's own proxy is, by key or by environment. Refuses what a worker has no room for.
int egress_upstream(struct plan *plan, char *const *environment);
