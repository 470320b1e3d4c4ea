// Whose a connection of the box is: as the kernel answers, while it lasts. Reports show it, and
// nothing is decided by it.
//
// The box decides how many processes and descriptors there are to look at, and they are looked at
// on the host's time: a search ends when its time is used up.
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
	int64_t record_most, run_most; // nanoseconds that one search, and all of them, may take
	int64_t run_spent, end;        // in all; of the clock, for this one
	int owners;                    // answers of NETLINK_SOCK_DIAG in the box's network, or -1
	int last; // /proc of who was found last, or -1: that very process, or nobody
	pid_t last_pid;
	uint32_t sequence; // of questions
	unsigned long long inode;
	unsigned looked;    // tables of descriptors looked through, in all
	unsigned pid_count; // still to be searched, the newest last
	pid_t pids[OWNER_PIDS_MAX];
	pid_t found;              // 0: nobody
	char program[OWNER_NAME]; // "" nobody was found, "?" the time was used up
};

// `owners` is the box's socket of NETLINK_SOCK_DIAG, or -1; not owned.
void owner_new(struct owner_search *who, int owners);
// Looks for the process below `init` whose socket has these ends: sets `found` and `program`.
void owner_find(struct owner_search *who, pid_t init, const struct ends *ends);
// Whether a program listens there, so that a connection to 127.0.0.1 or ::1 is taken.
bool owner_listens(struct owner_search *who, uint16_t port);

// The inode in an answer of sock_diag(7). Pure.
enum parse owner_parse_socket(const uint8_t *bytes, size_t length, uint32_t sequence,
			      unsigned long long *ret_inode);
