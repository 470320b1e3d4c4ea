// Owns hints to the kernel about pages; failures are not reported. Raw: also in pid 1.
#include "process/ns.h"

#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

__attribute__((noinline)) void pages_release_stack(void)
{
	// The kernel keeps a megabyte below a stack free (stack_guard_gap, Linux 4.12): all that is
	// mapped there is stack.
	enum { KEPT = 2 * PAGE, MOST = 64 * PAGE };
	uintptr_t end = ((uintptr_t)__builtin_frame_address(0) - KEPT) & ~(uintptr_t)(PAGE - 1);
	madvise((void *)(end - MOST), MOST, MADV_DONTNEED);
}
