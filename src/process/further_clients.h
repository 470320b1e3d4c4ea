// Who gives commands to the box while it lives: processes of sbx exec, each with a socket. The
// supervisor starts nothing itself; it adds the box's environment and hands all to pid 1.
#pragma once

#include "process/further.h"
#include "report/findings.h"

struct message;
struct plan;

// To a client, beside its answers: what its command was denied.
struct further_denied {
	struct control_head head;
	unsigned lost[2]; // before it, for the client did not read; and those of a failure alone
	struct denial denial;
};

struct further_clients {
	int events;                  // epoll; -1: nobody came yet
	int last;                    // number of a command
	uint32_t heard[REFUSED_MAX]; // counts of the agent's table
	bool keeps;                  // an order that pid 1 has not taken
	struct further_order kept;
	struct further_client {
		int socket, number; // the number 0: free
		pid_t child;        // in the box's numbers; 0: not known yet
		unsigned lost[2];   // denials, since one was sent
		int64_t began;      // milliseconds of the steady clock
	} all[FURTHER_MAX];
};

void further_clients_init(struct further_clients *clients);
// One client, and all descriptors that it sent. One that cannot be placed in the box is refused.
void further_clients_take(const struct plan *plan, struct run *run,
			  const struct terminal_wish *terminal, int socket, int fds[]);
// For the loop, to be read or written; -1: nobody came yet.
int further_clients_waiting(const struct run *run);
// Signals, and the end of clients: the command ends with its client.
void further_clients_handle(struct run *run);
// What pid 1 says of a command, and the master of its terminal, or -1.
void further_clients_tell(struct run *run, const struct message *message, int terminal);
// To the client whose command this process belongs to; where that is not known, to all that were
// there at `time`.
void further_clients_denied(const struct run *run, pid_t pid, int64_t time,
			    const struct denial *denial);
// To all, what the filter of the ssh-agent refused since. It wakes nobody: while a client is there,
// the loop waits for a part of a second at most.
void further_clients_refused(struct run *run, const struct refused_table *table);
int further_clients_wait(const struct run *run, int milliseconds);
// The box has ended: so have all.
void further_clients_end(struct run *run);
