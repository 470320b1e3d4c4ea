// The supervisor's side of sbx exec.
#pragma once

#include "process/exec.h"
#include "report/findings.h"

struct message;
struct plan;

struct exec_denied {
	struct control_head head;
	unsigned lost[2]; // refusals lost before this one; [1]: with on_failure
	struct denial denial;
};

struct exec_clients {
	int events;
	int last;
	uint32_t heard[REFUSED_MAX]; // counts of refusals already sent
	bool keeps;
	struct exec_order kept;
	struct exec_client {
		int socket, number;
		pid_t child;
		unsigned lost[2]; // denials not sent since the last one
		int64_t began;
	} all[EXEC_MAX];
};

void exec_clients_init(struct exec_clients *clients);
// Closes `fds`, and `socket` if the client is refused.
void exec_clients_take(const struct plan *plan, struct run *run,
		       const struct terminal_wish *terminal, int socket, int fds[]);
int exec_clients_waiting(const struct run *run);
void exec_clients_handle(struct run *run);
void exec_clients_tell(struct run *run, const struct message *message, int terminal);
// Sends `denial` to the client of `pid`, or, if that is unknown, to all clients that ran at `time`.
void exec_clients_denied(const struct run *run, pid_t pid, int64_t time,
			 const struct denial *denial);
// Sends new refusals of the ssh-agent filter to all clients.
void exec_clients_refused(struct run *run, const struct refused_table *table);
int exec_clients_wait(const struct run *run, int milliseconds);
void exec_clients_end(struct run *run);
