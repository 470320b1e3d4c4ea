// Whose a connection of the box is: by the kernel's tables in /proc, while it lasts. Only for what
// is shown to people: nothing is decided by it.
//
// The box decides how many processes and descriptors there are to look at, and they are looked at
// on the host's time: a search is done in steps, each bounded, and ends when its time is used up.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "net/parse/parse.h"
#include "net/rules/control.h"

enum {
	OWNER_NAME = 16,
	OWNER_PIDS_MAX = 8192,
	OWNER_TABLES_MAX = 256,
	OWNER_TEXT = 4096,    // of /proc, read in one step
	OWNER_ENTRIES = 1024, // bytes of a directory, read in one step: some forty names
};

// Nanoseconds of CPU time.
#define OWNER_RECORD_MAX (2 * 1000000LL)
#define OWNER_RUN_MAX    (50 * 1000000LL)
#define OWNER_SLICE_MAX  (500 * 1000LL)

struct owner_search {
	int64_t record_most, run_most; // nanoseconds that one search, and all of them, may take
	int64_t record_spent, run_spent;
	enum {
		OWNER_IDLE,
		OWNER_ASK,
		OWNER_TABLE,
		OWNER_TREE,
		OWNER_TASKS,
		OWNER_DESCRIPTORS
	} doing;
	pid_t init, last_pid; // the box's first process
	int last;             // /proc of who was found last, or -1: that very process, or nobody
	int owners;           // answers of NETLINK_SOCK_DIAG in the box's network, or -1
	struct ends ends;
	uint32_t sequence; // of questions
	unsigned long long inode;
	unsigned table;             // tcp or tcp6
	int file, process, entries; // being read, or -1
	unsigned pid_count;         // still to be looked at, the newest last
	pid_t pids[OWNER_PIDS_MAX];
	unsigned looked;      // tables of descriptors looked through, in all
	unsigned table_count; // descriptor tables that were looked through, in the order of kcmp(2)
	pid_t tables[OWNER_TABLES_MAX];
	pid_t pid;                // being looked at
	pid_t found;              // 0: nobody
	char program[OWNER_NAME]; // "" nobody was found, "?" the time was used up
};

// `owners` is the box's socket of NETLINK_SOCK_DIAG, or -1.
void owner_new(struct owner_search *who, int owners);
// Begins the search for the process below `init` whose socket has these ends.
void owner_begin(struct owner_search *who, pid_t init, const struct ends *ends);
// Goes on with it for OWNER_SLICE_MAX. Returns whether it is over: `found` and `program` are set.
bool owner_step(struct owner_search *who);
void owner_end(struct owner_search *who);

// The inode of the socket with this local port in the text of /proc/PID/net/tcp or tcp6; 0 for
// none. Pure.
unsigned long long owner_find_inode(const char *text, size_t length, uint16_t port);
// The same from an answer of sock_diag(7). Pure.
enum parse owner_parse_socket(const uint8_t *bytes, size_t length, uint32_t sequence,
			      unsigned long long *ret_inode);
