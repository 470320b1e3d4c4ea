// Doors: ports of the host's loopback that lead to a port of a box. A door listens while a program
// of the box does, and stays bound, so that no other program takes its port.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fd.h"
#include "plan.h"

struct proxy;
struct record_ports;
struct run;

// Listens at a free port of 127.0.0.1. -1 with the error said.
int publish_listen(void);
// Binds at 127.0.0.1 and at ::1 (-1 without IPv6). Port 0 becomes a free one, which is printed.
// `flag`: precedes the ports in an error's proposal.
int publish_open(struct publish *published, const char *flag, int *ret_four, int *ret_six);

// Takes bound sockets of both addresses; without any it ends the publishing. Returns an errno.
int doors_publish(struct run *run, const struct publish *port, int fds[FD_PASSED]);
void doors_close(struct proxy *proxy, unsigned place);
void doors_ports(const struct proxy *proxy, struct record_ports *ret_ports);

// A port was unheard at the worker, or is new: looks soon.
void doors_soon(struct proxy *proxy);
// In each turn: opens and closes doors. doors_wait(): time until the next look.
void doors_look(struct proxy *proxy);
int doors_wait(const struct proxy *proxy, int milliseconds);
