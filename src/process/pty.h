// Opens a terminal of the box's devpts. Only the host reads its master.
#pragma once

struct terminal_wish;

int pty_open(const struct terminal_wish *wish, int *ret_master, int *ret_peer);
// Makes stdin the controlling terminal. Returns -1 and sets errno if another session has it.
int pty_take(void);
