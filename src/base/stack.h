// The stack of a process that has done its work and waits from now on.
#pragma once

// Gives the pages below the caller's frame back to the kernel; they come back empty when needed.
void stack_release(void);
