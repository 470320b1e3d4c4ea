// The rows of the supervisor's filter: a call that it needs nowhere after a start is refused, and
// all else passes.
#pragma once

#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/sys.h"
#include "net/setup/confine.h"

// clang-format off
// What the supervisor may not call once a box can act: what executes, what reaches another
// process's memory or descriptors, mounts, namespaces, and the kernel's larger entrances.
static const int supervisor_refused[] = {
	SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_writev, SYS_process_madvise, SYS_kcmp,
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_fsopen, SYS_fspick, SYS_fsconfig,
	SYS_fsmount, SYS_perf_event_open, SYS_io_uring_setup, SYS_io_uring_enter,
	SYS_io_uring_register, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key,
	SYS_open_by_handle_at, SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module,
	SYS_delete_module, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_acct, SYS_personality, SYS_shmat,
};
// The same, but where a part is left open.
static const struct { int call; unsigned unless; } supervisor_parts[] = {
	{ SYS_process_vm_readv, LEFT_ANSWERS },
	{ SYS_pidfd_getfd, LEFT_ANSWERS },
	{ SYS_open_tree, LEFT_WALLS },
	{ SYS_move_mount, LEFT_WALLS },
	{ SYS_mount_setattr, LEFT_WALLS },
	{ SYS_bpf, LEFT_BPF },
};
// Of these calls, those with one of the values; all of a call come together.
static const struct { int call; unsigned half; uint32_t value; unsigned part; } supervisor_kept[] = {
	{ SYS_socket, 0, AF_UNIX, LEFT_ANSWERS },
	{ SYS_socket, 0, AF_INET, LEFT_INTERNET },
	{ SYS_socket, 0, AF_INET6, LEFT_INTERNET },
	{ SYS_socket, 0, AF_NETLINK, LEFT_INTERNET },
	{ SYS_socketpair, 0, AF_UNIX, 0 },
	{ SYS_unshare, 0, CLONE_NEWUSER, 0 }, // to look where a box has shut its caller out
	{ SYS_unshare, 0, CLONE_FS, LEFT_ANSWERS },
	{ SYS_setns, 2, CLONE_NEWUSER, LEFT_WALLS },
	{ SYS_setns, 2, CLONE_NEWNS, LEFT_WALLS },
};
// clang-format on
// Keys typed for a terminal's next reader.
static const int supervisor_typing[] = { TIOCSTI, 0x541c /* TIOCLINUX */ };
enum { NEWEST = 462 }; // mseal(2): what comes after is unknown to it, as are x32's calls
