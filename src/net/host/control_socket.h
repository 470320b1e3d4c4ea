// Messages of sbx allow, deny, publish, exec and attach to a live run.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/fd.h"

struct plan;
struct proxy;
struct publish;
struct record;
struct run;
struct terminal_wish;

enum { CONTROL_MILLISECONDS = 2000 };

// Returns -1 with errno.
int control_socket_listen(int record);
// Adds an allow rule. Returns 0 or an errno.
int control_socket_add(struct proxy *proxy, const char *destination);
// Answers one client. Returns true if rules changed.
bool control_socket_take(const struct plan *plan, struct run *run);

// The client's side. `word`: "allow" or "deny". `run`: the process that listens.
int control_socket_tell(int record, pid_t run, const char *word, const char *destination);
// `sockets` are bound at the host's port. Two -1 end the publishing.
int control_socket_publish(int record, pid_t run, const struct publish *port, const int sockets[2]);
// Calls fail(): the run is of another version of sbx, or did not answer.
int control_socket_unknown(pid_t run, bool answered);
int control_socket_attach(int record, pid_t run);
// `fds`: the command's text (process/exec.h) and, without a terminal, the standard streams.
// Returns the socket for answers.
int control_socket_execute(const struct record *record, pid_t run,
			   const struct terminal_wish *terminal, const int fds[FD_PASSED]);
