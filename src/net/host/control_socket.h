// sbx allow, deny, publish and exec: a live run gets new rules, published ports and commands over a
// unix socket in its record. Both sides ask the kernel who the other is.
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

enum { CONTROL_MILLISECONDS = 2000 }; // in which a run answers

// The socket of the run of this record, or -1 with errno: the run goes on without.
int control_socket_listen(int record);
// One more rule that allows, checked before: 0, or an errno when there is no room. The worker is
// notified by proxy_change_rules().
int control_socket_add(struct proxy *proxy, const char *destination);
// Answers one client, or hands it to run->execute(). True when the rules changed.
bool control_socket_take(const struct plan *plan, struct run *run);

// The other side: `word` is "allow" or "deny", `run` the process that listens. -1 with the error
// said.
int control_socket_tell(int record, pid_t run, const char *word, const char *destination);
// With sockets that are bound at the host's port, or two of -1: published no more.
int control_socket_publish(int record, pid_t run, const struct publish *port, const int sockets[2]);
// What that run answered is of another version, or it has hung up: said, with the fix. Returns -1.
int control_socket_unknown(pid_t run, bool answered);
// Of sbx attach: the master of the terminal of the run's command.
int control_socket_attach(int record, pid_t run);
// Of sbx exec: the text (process/further.h), and stdin, stdout and stderr where no terminal is
// wanted. Returns the socket, at which answers come.
int control_socket_execute(const struct record *record, pid_t run,
			   const struct terminal_wish *terminal, const int fds[FD_PASSED]);
