// Whose a connection of the box is, while it lasts. For reports only, never for decisions.
//
// The box controls the number of processes and descriptors, the search runs on the host's time: so
// it is bounded.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "net/parse/parse.h"
#include "net/rules/control.h"

enum { OWNER_NAME = 16, OWNER_PIDS_MAX = 8192 };

// Nanoseconds of CPU time.
#define OWNER_RECORD_MAX (2 * 1000000LL)
#define OWNER_RUN_MAX    (50 * 1000000LL)

struct owner_search {
	int64_t record_most, run_most; // nanoseconds, of one search and of all
	int64_t run_spent, end;        // spent in all; end of this one
	int owners;                    // NETLINK_SOCK_DIAG in the box's network, or -1
	int last;                      // /proc/PID of the last owner, or -1
	pid_t last_pid;
	uint32_t sequence;
	unsigned long long inode;
	unsigned looked;    // descriptor tables, in all
	unsigned pid_count; // still to be searched, newest last
	pid_t pids[OWNER_PIDS_MAX];
	pid_t found;
	char program[OWNER_NAME]; // "": not found, "?": the time was over
};

// `owners`: the box's socket of NETLINK_SOCK_DIAG, or -1; not owned.
void owner_new(struct owner_search *who, int owners);
// Finds the process below `init` with this socket: sets `found` and `program`.
void owner_find(struct owner_search *who, pid_t init, const struct ends *ends);
// True if a program listens at 127.0.0.1 or ::1.
bool owner_listens(struct owner_search *who, uint16_t port);

// The inode in an answer of sock_diag(7). Pure.
enum parse owner_parse_socket(const uint8_t *bytes, size_t length, uint32_t sequence,
			      unsigned long long *ret_inode);
