// The way to the proxy in tier landlock.
#pragma once

struct run;
struct sockaddr_storage;

// Connects a socket to the proxy instead of `to`. 0 or -errno. Also for other threads: it knocks at
// the listener, for which the loop starts a worker. Needs proxy_share().
int relay_connect(const struct run *run, int socket, const struct sockaddr_storage *to);
