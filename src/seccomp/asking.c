// Owns the second filter's code and loading.
#include "seccomp/asking.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/filter_code.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"
#include "seccomp/syscalls.h"

enum { INSTRUCTIONS_MAX = 1024 };

#define TERMINAL_REQUEST(mask, request, answer)                                                    \
	{ "ioctl", 1, mask, request, ASKING_IS, answer, 0, 0 }
#define LOOKS(request) TERMINAL_REQUEST(~0U, request, SECCOMP_RET_ALLOW)

// For boxes in the background of the caller's terminal: a process outside the terminal's session
// could read and set the terminal.
static const struct asking background_rows[] = {
	{ "setsid", ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_ERRNO | EPERM, 0, 0 },
	TERMINAL_REQUEST(~0U, TIOCNOTTY, SECCOMP_RET_ERRNO | EPERM),
	LOOKS(TCGETS),
	LOOKS(0x802c542a), // TCGETS2
	LOOKS(TCGETA),
	LOOKS(TIOCGWINSZ),
	LOOKS(TIOCGPGRP),
	LOOKS(TIOCGSID),
	LOOKS(TIOCOUTQ),
	LOOKS(FIONREAD),
	LOOKS(FIONBIO),
	LOOKS(FIOCLEX),
	LOOKS(FIONCLEX),
	LOOKS(FIOQSIZE),
	LOOKS(TIOCGPTN),
	LOOKS(TIOCSPTLCK),
	LOOKS(TIOCGPTPEER),
	LOOKS(TIOCPKT),
	TERMINAL_REQUEST(0xff00, ASKING_TERMINAL << 8, SECCOMP_RET_USER_NOTIF),
};

struct asked_call {
	unsigned number;
	const struct asking *row;
};

static filter_place emit_row(struct filter_code *code, const struct asking *row, filter_place next)
{
	enum { ARGUMENTS = offsetof(struct seccomp_data, args) };
	filter_place at = filter_return(code, row->answer);
	if (row->argument != ASKING_ALWAYS) {
		bool is = row->test == ASKING_IS;
		at = filter_test(code, BPF_JEQ, row->value, is ? at : next, is ? next : at);
		at = filter_load_bits(code, ARGUMENTS + row->argument * 8, row->mask, at);
	}
	if (row->family) {
		at = filter_test(code, BPF_JEQ, row->family, at, next);
		at = filter_load(code, ARGUMENTS, at);
	}
	return at;
}

// Emits a binary tree: at load the kernel runs the filter for every number.
static filter_place emit_tree(struct filter_code *code, const struct asked_call *first,
			      const struct asked_call *end)
{
	if (first == end)
		return filter_return(code, SECCOMP_RET_ALLOW);
	const struct asked_call *from = first + (end - first) / 2, *to = from;
	while (from > first && from[-1].number == to->number)
		from--;
	while (to < end && to->number == from->number)
		to++;
	filter_place above = emit_tree(code, to, end);
	filter_place other = emit_tree(code, first, from);
	filter_place at = filter_return(code, SECCOMP_RET_ALLOW);
	for (const struct asked_call *one = to; one-- > from;)
		at = emit_row(code, one->row, at);
	if (other != above)
		other = filter_test(code, BPF_JGE, from->number, above, other);
	return filter_test(code, BPF_JEQ, from->number, at, other);
}

static void gather(struct asked_call *all, unsigned *count, unsigned number,
		   const struct asking *row)
{
	if (syscall_listed(row->calls, syscall_numbers[number].name))
		all[(*count)++] = (struct asked_call){ syscall_numbers[number].number, row };
}

int asking_compile(struct plan *plan, const struct asking *rows, unsigned count, unsigned modes)
{
	enum { BACKGROUND = sizeof(background_rows) / sizeof(*background_rows) };
	struct filter_code code = {
		arena_take(plan->arena, INSTRUCTIONS_MAX * sizeof(*code.code)),
		.size = INSTRUCTIONS_MAX,
	};
	struct asked_call all[INSTRUCTIONS_MAX] __attribute__((uninitialized));
	unsigned used = 0;
	for (unsigned number = 0; number < syscall_number_count; number++) {
		if (used + BACKGROUND + count > INSTRUCTIONS_MAX)
			return fail(0, "the second filter is too long");
		for (unsigned i = 0; plan->background && i < BACKGROUND; i++)
			gather(all, &used, number, &background_rows[i]);
		for (unsigned i = 0; i < count; i++)
			if (rows[i].modes & modes)
				gather(all, &used, number, &rows[i]);
	}
	filter_load(&code, offsetof(struct seccomp_data, nr), emit_tree(&code, all, all + used));
	struct sock_fprog program = filter_program(&code);
	plan->asking = (struct filter){ program.len, program.filter };
	return 0;
}

int asking_refuse_rings(const struct plan *plan)
{
	list_each (item, &plan->profile->syscalls_allow)
		if (str_equal(item->text, "io_uring"))
			return fail(0,
				    "%sio_uring goes past the filter that %s needs; leave out "
				    "the group io_uring",
				    origin_text(plan->arena, item->from),
				    plan->tier == TIER_LANDLOCK ? "tier landlock"
								: "network mode host");
	return 0;
}

int asking_child(const struct plan *plan, struct run *run)
{
	if (plan->asking.count == 0 || (plan->asking_group && (run->own_session || run->lent)))
		return 0;
	// Signals wait for the answer: Go's signals for preemption would restart each call.
	unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	autoclose int listener =
		(int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &plan->asking);
	if (listener < 0 && errno == EINVAL) // before Linux 5.19
		listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
					SECCOMP_FILTER_FLAG_NEW_LISTENER, &plan->asking);
	if (listener < 0 && !plan->asking_spare)
		return fail(errno, "seccomp filter with a listener");
	run->message.kind = MESSAGE_LISTENER;
	return fd_send(run->to_host, &run->message, sizeof(run->message), &listener,
		       listener >= 0) < 0
		       ? fail(errno, "hand the listener over")
		       : 0;
}

void asking_begin(int listener)
{
	sys_ioctl(listener, SYS_SECCOMP_NOTIF_SET_FLAGS,
		  (void *)(uintptr_t)SYS_SECCOMP_SYNC_WAKE_UP);
}

const char *asking_call(int number)
{
	for (unsigned i = 0; i < syscall_number_count; i++)
		if (syscall_numbers[i].number == (unsigned)number)
			return syscall_numbers[i].name;
	return "";
}

bool asking_memory(uint32_t pid, uint64_t address, void *buffer, size_t size)
{
	struct iovec here = { buffer, size }, there = { (void *)(uintptr_t)address, size };
	return process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool asking_path(uint32_t pid, uint64_t address, char path[PATH_MAX])
{
	enum { PIECE = 256 };
	for (size_t done = 0; done < PATH_MAX;) {
		size_t piece = PIECE - (address + done) % PIECE;
		piece = piece > PATH_MAX - done ? PATH_MAX - done : piece;
		if (!asking_memory(pid, address + done, path + done, piece))
			return false;
		if (memchr(path + done, '\0', piece))
			return true;
		done += piece;
	}
	return false;
}
