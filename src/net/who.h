// Whose a connection of the box is: by the kernel's tables in /proc, while it lasts.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// `init` is the box's first process. Fills `program` ("" when nobody was found) and returns its
// process id as the host sees it, or 0.
pid_t who_owns(pid_t init, uint16_t port, char program[16]);

// The inode of the socket with this local port in the text of /proc/PID/net/tcp or tcp6; 0 for
// none. Pure.
unsigned long long who_find_inode(const char *text, size_t length, uint16_t port);
