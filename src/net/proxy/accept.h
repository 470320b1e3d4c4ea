// The beginning of connections.
#pragma once

struct worker;

void accept_segments(struct worker *worker, unsigned listener);
void accept_all(struct worker *worker, unsigned listener);
void accept_published(struct worker *worker, unsigned index);
void accept_take_sockets(struct worker *worker, int *fds);
