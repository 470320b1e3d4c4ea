// Owns what is said to the kernel about pages: hints, whose failures are not reported. Raw: also
// used in pid 1.
#include "process/ns.h"

#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

__attribute__((noinline)) void pages_release_stack(void)
{
	// The kernel keeps a megabyte below a stack free of other mappings (stack_guard_gap,
	// Linux 4.12): whatever is mapped there is stack.
	enum { KEPT = 2 * PAGE, MOST = 64 * PAGE };
	uintptr_t end = ((uintptr_t)__builtin_frame_address(0) - KEPT) & ~(uintptr_t)(PAGE - 1);
	madvise((void *)(end - MOST), MOST, MADV_DONTNEED); // ENOMEM: less of it was in use
}
