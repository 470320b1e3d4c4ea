// Pages of this process that the kernel had better bring at once, or have back.
#pragma once

// Maps the whole program, as far as the page cache has it: a fault for each 64 kB of it costs more. Once
// in each process, after a fork too.
void pages_map_program(void);

// Gives the pages below the caller's frame back to the kernel, in a process that has done its work and
// waits from now on; they come back empty when needed.
void pages_release_stack(void);
