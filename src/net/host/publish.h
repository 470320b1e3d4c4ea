// Doors: ports of the host's loopback that lead to a port of a box. A door listens while a program
// of the box does, and is bound all the time, so that nobody else takes its port.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fd.h"
#include "plan.h"

struct proxy;
struct record_ports;
struct run;

// A socket that listens at a free port of 127.0.0.1. -1 with the error said.
int publish_listen(void);
// Sockets that are bound, at 127.0.0.1 and at ::1, or -1 where the host has none. A port 0 becomes
// a free one, which is printed. `flag` stands before the ports in what an error proposes.
int publish_open(struct publish *published, const char *flag, int *ret_four, int *ret_six);

// Publishes a port while the box runs, by sockets of both addresses that are bound, which it takes;
// without any the port is published no more. An errno, or 0.
int doors_publish(struct run *run, const struct publish *port, int fds[FD_PASSED]);
void doors_close(struct proxy *proxy, unsigned place);
// As the record of the run has them.
void doors_ports(const struct proxy *proxy, struct record_ports *ret_ports);

// A worker has noticed that nobody listens at a port; or there is a new one.
void doors_soon(struct proxy *proxy);
// In each turn: opens and closes doors. doors_wait() is the time until the next look.
void doors_look(struct proxy *proxy);
int doors_wait(const struct proxy *proxy, int milliseconds);
