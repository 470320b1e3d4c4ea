// A terminal of the box's devpts. Only the host side reads its master.
#pragma once

struct terminal_wish;

// In pid 1. 0 or an errno.
int pty_open(const struct terminal_wish *wish, int *ret_master, int *ret_peer);
// In the command's process: makes stdin the session's controlling terminal. -1 with errno, such as
// when another session of the box has it.
int pty_take(void);
