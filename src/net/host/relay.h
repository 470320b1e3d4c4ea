// The way to the proxy in tier landlock.
#pragma once

struct run;
struct sockaddr_storage;

// Connects a socket to the proxy in place of `to`. 0 or -errno. For another thread than the loop's,
// too: it knocks at the listener, and for that the loop starts a worker. Before anybody is
// connected, proxy_share() was called.
int relay_connect(const struct run *run, int socket, const struct sockaddr_storage *to);
