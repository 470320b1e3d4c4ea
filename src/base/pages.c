// Owns what is said to the kernel about pages: hints, of which no failure is told. Raw: also used in pid 1.
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/sys.h"

extern const char __executable_start[], etext[]; // by the linker

enum { PAGE = 4096 };

void pages_map_program(void)
{
	uintptr_t begin = (uintptr_t)__executable_start & ~(uintptr_t)(PAGE - 1);
	madvise((void *)begin, (uintptr_t)etext - begin, SYS_MADV_POPULATE_READ);
}

__attribute__((noinline)) void pages_release_stack(void)
{
	// The kernel keeps a megabyte below a stack free of other mappings (stack_guard_gap, Linux 4.12):
	// whatever is mapped there is stack.
	enum { KEPT = 2 * PAGE, MOST = 64 * PAGE };
	uintptr_t end = ((uintptr_t)__builtin_frame_address(0) - KEPT) & ~(uintptr_t)(PAGE - 1);
	madvise((void *)(end - MOST), MOST, MADV_DONTNEED); // ENOMEM: less of it was in use
}
