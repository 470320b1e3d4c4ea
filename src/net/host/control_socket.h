// sbx allow, deny, publish and exec send a live run new rules, published ports and commands over a
// unix socket in its record. Both sides ask the kernel who the peer is.
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

// -1 with errno: the run goes on without it.
int control_socket_listen(int record);
// Adds a checked rule; an errno: no room. proxy_change_rules() notifies the worker.
int control_socket_add(struct proxy *proxy, const char *destination);
// Answers one client, or passes it to run->execute(). True: the rules changed.
bool control_socket_take(const struct plan *plan, struct run *run);

// The client: `word` is "allow" or "deny", `run` the listening process. -1 with the error said.
int control_socket_tell(int record, pid_t run, const char *word, const char *destination);
// `sockets`: bound at the host's port, or two of -1: ends the publishing.
int control_socket_publish(int record, pid_t run, const struct publish *port, const int sockets[2]);
// Reports that the run is of another version, or has hung up. Returns -1.
int control_socket_unknown(pid_t run, bool answered);
int control_socket_attach(int record, pid_t run);
// `fds`: the text (process/further.h), and without a terminal stdin, stdout and stderr. Returns the
// socket of the answers.
int control_socket_execute(const struct record *record, pid_t run,
			   const struct terminal_wish *terminal, const int fds[FD_PASSED]);
