// A terminal of the box's own devpts. Its master goes to the host side, which alone reads it.
#pragma once

struct terminal_wish;

// In pid 1. 0 or an errno: *ret_master and *ret_peer are closed by the caller.
int pty_open(const struct terminal_wish *wish, int *ret_master, int *ret_peer);
// In the command's process, a session leader: its stdin becomes the session's terminal. -1 with
// errno, as where another session of the box has it already.
int pty_take(void);
