// Owns the giving back of stack pages. Raw: also used in pid 1.
#include "base/stack.h"

#include <stdint.h>
#include <sys/mman.h>

__attribute__((noinline)) void stack_release(void)
{
	// The kernel keeps a megabyte below a stack free of other mappings (stack_guard_gap, Linux 4.12):
	// whatever is mapped there is stack.
	enum { PAGE = 4096, KEPT = 2 * PAGE, MOST = 64 * PAGE };
	uintptr_t end = ((uintptr_t)__builtin_frame_address(0) - KEPT) & ~(uintptr_t)(PAGE - 1);
	madvise((void *)(end - MOST), MOST, MADV_DONTNEED); // ENOMEM: less of it was in use
}
