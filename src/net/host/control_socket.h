// sbx allow and sbx deny: a live run gets new rules over an abstract unix socket, which
// leaves no file behind. Both sides ask the kernel who the other is.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct findings;
struct proxy;

// The socket of this run, or -1 with errno: the run goes on without.
int control_socket_listen(void);
// One more rule that allows, checked before: 0, or an errno when there is no room. The workers are
// notified by proxy_change_rules().
int control_socket_add(struct proxy *proxy, const char *destination);
// Answers one client. True when the rules changed.
bool control_socket_take(struct proxy *proxy);

// The other side: `word` is "allow" or "deny". -1 with the error said.
int control_socket_tell(pid_t run, const char *word, const char *destination);
// The caller's runs that can be reached; returns how many, at most `most`.
unsigned control_socket_runs(pid_t *runs, unsigned most);
// At the end of a run: that it could not be reached.
void control_socket_note(const struct proxy *proxy, struct findings *found);
