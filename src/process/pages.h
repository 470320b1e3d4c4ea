// Pages of this process that the kernel had better have back.
#pragma once

// Gives the pages below the caller's frame back to the kernel, in a process that has done its work
// and waits from now on; they come back empty when needed.
void pages_release_stack(void);
