// A socket in the box for SSH_AUTH_SOCK, behind which the caller's ssh-agent lists the keys of
// --agent-key alone and signs logins to the hosts of --agent-host alone.
#pragma once

#include "profile.h"

struct denials;
struct plan;
struct run;

// Of the plan, once the profile is whole: what is asked for, and from which files it is read.
// `profile` gets the socket. -1 with the error said.
int sshagent_plan(struct plan *plan, struct profile *profile, char *const *environment);
// A step, once the view is planned: no file that decides is where the box may write.
int sshagent_files_host(const struct plan *plan, struct run *run);

// A step: the socket, the rules from known_hosts and the keys, the caller's agent.
int sshagent_host(const struct plan *plan, struct run *run);
int sshagent_undo(const struct plan *plan, struct run *run);

// Starts the two processes of serve.h. Who connected before waits for them.
int sshagent_begin(const struct plan *plan, struct run *run);

// After the undo: what was refused.
void sshagent_report(const struct run *run, struct denials *denials);
