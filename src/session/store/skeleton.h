// What a session as root begins with.
#pragma once

struct session;
struct store;

// The directories of the system that become its own.
void skeleton_roots(struct session *session);

// Into the fresh layer: for an ordinary caller every directory of theirs, so that it is the
// caller's, and the files of /etc and the package database that are written in place. apt is set
// to do without an own user.
int skeleton_make(struct store *store, const struct session *session);
