// The clients of sbx exec, each with a socket. The supervisor adds the box's environment and passes
// all on to pid 1.
#pragma once

#include "process/further.h"
#include "report/findings.h"

struct message;
struct plan;

// A denial of the client's command.
struct further_denied {
	struct control_head head;
	unsigned lost[2]; // of earlier denials without room: all, on failure only
	struct denial denial;
};

struct further_clients {
	int events;                  // epoll; -1: no client yet
	int last;                    // the last number that was given
	uint32_t heard[REFUSED_MAX]; // counts of the agent's table
	bool keeps;                  // an order waits for pid 1
	struct further_order kept;
	struct further_client {
		int socket, number; // number 0: free
		pid_t child;        // pid in the box; 0: unknown yet
		unsigned lost[2];   // since the last one that was sent
		int64_t began;      // steady clock, milliseconds
	} all[FURTHER_MAX];
};

void further_clients_init(struct further_clients *clients);
// Closes `fds`, and the socket of a client that the box cannot serve.
void further_clients_take(const struct plan *plan, struct run *run,
			  const struct terminal_wish *terminal, int socket, int fds[]);
// To poll; -1: none.
int further_clients_waiting(const struct run *run);
// Passes signals on. A command ends with its client.
void further_clients_handle(struct run *run);
// Passes on pid 1's message. `terminal`: the master, or -1.
void further_clients_tell(struct run *run, const struct message *message, int terminal);
// To the client of the process; if unknown, to all clients of that `time`.
void further_clients_denied(const struct run *run, pid_t pid, int64_t time,
			    const struct denial *denial);
// New refusals of the ssh-agent filter, to all clients. Nothing wakes the loop for them: with a
// client it polls within a second.
void further_clients_refused(struct run *run, const struct refused_table *table);
int further_clients_wait(const struct run *run, int milliseconds);
// The box has ended.
void further_clients_end(struct run *run);
