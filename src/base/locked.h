// A process that can do nothing but compute: for parsers of what the box wrote.
#pragma once

// Forks; the child calls `work` with no system call left but the one that ends it. Memory that is
// shared (an arena) carries the result. 0 when it ended well, -1 with the reason said.
int locked_run(void (*work)(void *), void *argument);
