// The clients of sbx exec, each with a socket. The supervisor adds the box's environment.
#pragma once

#include "process/further.h"
#include "report/findings.h"

struct message;
struct plan;

struct further_denied {
	struct control_head head;
	unsigned lost[2]; // earlier denials without room: all, on failure only
	struct denial denial;
};

struct further_clients {
	int events;
	int last;
	uint32_t heard[REFUSED_MAX]; // counts of the agent's table
	bool keeps;
	struct further_order kept;
	struct further_client {
		int socket, number;
		pid_t child;
		unsigned lost[2]; // since the last sent one
		int64_t began;
	} all[FURTHER_MAX];
};

void further_clients_init(struct further_clients *clients);
// Closes `fds`, and the socket of a refused client.
void further_clients_take(const struct plan *plan, struct run *run,
			  const struct terminal_wish *terminal, int socket, int fds[]);
int further_clients_waiting(const struct run *run);
void further_clients_handle(struct run *run);
void further_clients_tell(struct run *run, const struct message *message, int terminal);
// To the process's client; if unknown, to all of that `time`.
void further_clients_denied(const struct run *run, pid_t pid, int64_t time,
			    const struct denial *denial);
// New refusals of the ssh-agent filter, to all clients. The loop polls for them within a second.
void further_clients_refused(struct run *run, const struct refused_table *table);
int further_clients_wait(const struct run *run, int milliseconds);
void further_clients_end(struct run *run);
