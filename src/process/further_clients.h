// The supervisor's side of sbx exec.
#pragma once

#include "process/further.h"
#include "report/findings.h"

struct message;
struct plan;

struct further_denied {
	struct control_head head;
	unsigned lost[2]; // lost before this one; [1]: with on_failure
	struct denial denial;
};

struct further_clients {
	int events;
	int last;
	uint32_t heard[REFUSED_MAX]; // counts of refusals already sent
	bool keeps;
	struct further_order kept;
	struct further_client {
		int socket, number;
		pid_t child;
		unsigned lost[2]; // denials not sent since the last one
		int64_t began;
	} all[FURTHER_MAX];
};

void further_clients_init(struct further_clients *clients);
// Closes `fds`, and `socket` if the client is refused.
void further_clients_take(const struct plan *plan, struct run *run,
			  const struct terminal_wish *terminal, int socket, int fds[]);
int further_clients_waiting(const struct run *run);
void further_clients_handle(struct run *run);
void further_clients_tell(struct run *run, const struct message *message, int terminal);
// Sends `denial` to the client of `pid`, or, if unknown, to all of that `time`.
void further_clients_denied(const struct run *run, pid_t pid, int64_t time,
			    const struct denial *denial);
// Sends new refusals of the ssh-agent filter to all clients.
void further_clients_refused(struct run *run, const struct refused_table *table);
int further_clients_wait(const struct run *run, int milliseconds);
void further_clients_end(struct run *run);
