// A terminal of the box's devpts. Only the host side reads its master.
#pragma once

struct terminal_wish;

int pty_open(const struct terminal_wish *wish, int *ret_master, int *ret_peer);
// Makes stdin the session's controlling terminal. -1 with errno: another session may have it.
int pty_take(void);
