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
#include "base/sys.h"
#include "plan.h"
#include "run.h"
#include "seccomp/syscalls.h"

enum { INSTRUCTIONS_MAX = 1024, ROW_MAX = 9 };

#define TERMINAL_REQUEST(mask, request, answer)                                                    \
	{ "ioctl", 1, mask, request, ASKING_IS, answer, 0, 0 }
#define LOOKS(request) TERMINAL_REQUEST(~0U, request, SECCOMP_RET_ALLOW)

// Of a box that has the caller's terminal and began in the background. A process outside of the
// terminal's session would read and set it without being in front: none gets there. All requests
// with the terminals' letter are asked, but for those that only look, or concern a descriptor or
// the other end of a pty.
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

static void emit(struct sock_filter *code, unsigned *used, uint16_t operation, uint32_t k,
		 uint8_t jt, uint8_t jf)
{
	code[(*used)++] = (struct sock_filter){ .code = operation, .jt = jt, .jf = jf, .k = k };
}

static void emit_row(struct sock_filter *code, unsigned *used, const struct asking *row,
		     unsigned number)
{
	bool always = row->argument == ASKING_ALWAYS, masked = row->mask != ~0U;
	bool loads = !always || row->family;
	uint8_t rest = always ? 1 : (uint8_t)(3 + masked), guard = row->family ? 2 : 0;
	emit(code, used, BPF_JMP | BPF_JEQ | BPF_K, number, 0, (uint8_t)(guard + rest + loads));
	if (guard) {
		emit(code, used, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args), 0,
		     0);
		emit(code, used, BPF_JMP | BPF_JEQ | BPF_K, row->family, 0, rest);
	}
	if (!always) {
		emit(code, used, BPF_LD | BPF_W | BPF_ABS,
		     (uint32_t)(offsetof(struct seccomp_data, args) + row->argument * 8), 0, 0);
		if (masked)
			emit(code, used, BPF_ALU | BPF_AND | BPF_K, row->mask, 0, 0);
		emit(code, used, BPF_JMP | BPF_JEQ | BPF_K, row->value,
		     row->test == ASKING_IS ? 0 : 1, row->test == ASKING_IS ? 1 : 0);
	}
	emit(code, used, BPF_RET | BPF_K, row->answer, 0, 0);
	if (loads)
		emit(code, used, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
}

static int emit_rows(struct sock_filter *code, unsigned *used, const struct asking *row)
{
	for (unsigned j = 0; j < syscall_number_count; j++) {
		if (!syscall_listed(row->calls, syscall_numbers[j].name))
			continue;
		if (*used + ROW_MAX >= INSTRUCTIONS_MAX)
			return fail(0, "the second filter is too long");
		emit_row(code, used, row, syscall_numbers[j].number);
	}
	return 0;
}

int asking_compile(struct plan *plan, const struct asking *rows, unsigned count, unsigned modes)
{
	enum { BACKGROUND = sizeof(background_rows) / sizeof(*background_rows) };
	struct sock_filter *code = arena_take(plan->arena, INSTRUCTIONS_MAX * sizeof(*code));
	unsigned used = 0;
	emit(code, &used, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	for (unsigned i = 0; plan->background && i < BACKGROUND; i++)
		TRY(emit_rows(code, &used, &background_rows[i]));
	for (unsigned i = 0; i < count; i++)
		if (rows[i].modes & modes)
			TRY(emit_rows(code, &used, &rows[i]));
	emit(code, &used, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	plan->asking = (struct filter){ (unsigned short)used, code };
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
	// A signal that comes while the supervisor answers waits: else Go's own would begin each
	// call anew.
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
	// It may end anywhere before the end of a page that is not there.
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
