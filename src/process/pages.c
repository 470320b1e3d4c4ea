// Owns hints to the kernel about memory pages.
#include "process/ns.h"

#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

__attribute__((noinline)) void pages_release_stack(void)
{
	// No other mapping is within a megabyte below the stack (stack_guard_gap, Linux 4.12).
	enum { KEPT = 2 * PAGE, MOST = 64 * PAGE };
	uintptr_t end = ((uintptr_t)__builtin_frame_address(0) - KEPT) & ~(uintptr_t)(PAGE - 1);
	madvise((void *)(end - MOST), MOST, MADV_DONTNEED);
}
