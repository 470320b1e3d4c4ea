// Owns the translation of the system call table to BPF: native calls only, a balanced tree over
// ranges of equal verdict, then the argument checks.
#include "seccomp/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "base/filter_code.h"
#include "base/sys.h"
#include "seccomp/syscalls.h"

enum { X32_BIT = 0x40000000, NUMBERS = 1024 };
#define NO_CALL 0xffffffffU

struct range {
	unsigned first;
	uint32_t answer;
	const struct syscall_check *check;
};

struct emitter {
	const struct filter_choice *choice;
	struct filter_code code;
};

// The low half is first: both supported machines are little-endian.
static size_t argument(unsigned number)
{
	return offsetof(struct seccomp_data, args) + number * sizeof(uint64_t);
}

static filter_place emit_equal(struct emitter *out, uint32_t value, filter_place yes,
			       filter_place no)
{
	uint32_t real = value == OWN_UID   ? out->choice->uid
			: value == OWN_GID ? out->choice->gid
					   : value;
	return filter_test(&out->code, BPF_JEQ, real, yes, no);
}

static filter_place emit_rules(struct emitter *out, const struct syscall_check *check,
			       filter_place next)
{
	if (check->otherwise != CHECK_NEXT)
		next = filter_return(&out->code, check->otherwise);
	filter_place at = next;
	for (unsigned i = check->rule_count; i-- > 0;) {
		const struct syscall_rule *rule = &check->rules[i];
		at = emit_equal(out, rule->value, filter_return(&out->code, rule->answer), at);
		if (i == 0 || rule->mask != check->rules[i - 1].mask)
			at = filter_load_bits(&out->code, argument(check->argument), rule->mask,
					      at);
	}
	if (!check->whole)
		return at;
	at = filter_test(&out->code, BPF_JEQ, 0, at, next);
	return filter_load(&out->code, argument(check->argument) + 4, at);
}

static filter_place emit_checks(struct emitter *out, const struct syscall_check *first)
{
	const struct syscall_check *end = first;
	while (end < syscall_checks + syscall_check_count && str_equal(end->call, first->call))
		end++;
	filter_place at = filter_return(&out->code, SECCOMP_RET_KILL_PROCESS);
	for (int guarded = 0; guarded <= 1; guarded++) {
		for (const struct syscall_check *check = end; check-- > first;) {
			if (check->guarded != guarded)
				continue;
			filter_place next = at;
			at = emit_rules(out, check, next);
			if (guarded) {
				at = emit_equal(out, check->guard_value, at, next);
				at = filter_load(&out->code, argument(check->guard_argument), at);
			}
		}
	}
	return at;
}

static filter_place emit_tree(struct emitter *out, const struct range *ranges, unsigned first,
			      unsigned end)
{
	if (end - first == 1)
		return ranges[first].check ? emit_checks(out, ranges[first].check)
					   : filter_return(&out->code, ranges[first].answer);
	unsigned middle = (first + end) / 2;
	filter_place above = emit_tree(out, ranges, middle, end);
	filter_place below = emit_tree(out, ranges, first, middle);
	return filter_test(&out->code, BPF_JGE, ranges[middle].first, above, below);
}

static bool denied(const struct filter_choice *choice, unsigned number)
{
	for (unsigned i = 0; i < choice->denied_count; i++)
		if (choice->denied[i] == number)
			return true;
	return false;
}

// Optional groups override the fixed ones; a denied number overrides all.
static struct range verdict_of(const struct filter_choice *choice, unsigned number,
			       const struct syscall_number **cursor)
{
	const struct syscall_number *end = syscall_numbers + syscall_number_count;
	struct range range = { .first = number, .answer = SECCOMP_RET_ERRNO | ENOSYS };
	for (; *cursor < end && (*cursor)->number == number; (*cursor)++) {
		unsigned group = (*cursor)->group;
		if (group >= GROUP_FIRST_OPTIONAL && !(choice->groups & (1U << group)))
			continue;
		enum syscall_verdict verdict = syscall_groups[group].verdict;
		range.check = verdict == VERDICT_CHECK ? &syscall_checks[(*cursor)->check] : NULL;
		range.answer = verdict == VERDICT_REFUSE    ? SECCOMP_RET_ERRNO | EPERM
			       : verdict == VERDICT_PRETEND ? SECCOMP_RET_ERRNO
							    : SECCOMP_RET_ALLOW;
	}
	if (denied(choice, number))
		range = (struct range){ .first = number, .answer = SECCOMP_RET_ERRNO | EPERM };
	return range;
}

static unsigned collect_ranges(const struct filter_choice *choice, struct range *ranges)
{
	const struct syscall_number *cursor = syscall_numbers;
	unsigned count = 0;
	for (unsigned number = 0; number < NUMBERS; number++) {
		struct range next = verdict_of(choice, number, &cursor);
		const struct range *last = count ? &ranges[count - 1] : NULL;
		if (!last || last->answer != next.answer || last->check != next.check)
			ranges[count++] = next;
	}
	ranges[count++] = (struct range){ .first = X32_BIT, .answer = SECCOMP_RET_KILL_PROCESS };
	// seccomp(2): a tracer skips a call by the number -1.
	ranges[count++] = (struct range){ .first = NO_CALL, .answer = SECCOMP_RET_ERRNO | ENOSYS };
	return count;
}

struct sock_fprog filter_compile(const struct filter_choice *choice, void *room)
{
	struct emitter out = { choice, { .code = room, .size = FILTER_MAX } };
	struct range ranges[NUMBERS + 2] __attribute__((uninitialized));
	unsigned count = collect_ranges(choice, ranges);
	filter_place at = filter_load(&out.code, offsetof(struct seccomp_data, nr),
				      emit_tree(&out, ranges, 0, count));
	at = filter_test(&out.code, BPF_JEQ, SYS_AUDIT_ARCH, at,
			 filter_return(&out.code, SECCOMP_RET_KILL_PROCESS));
	filter_load(&out.code, offsetof(struct seccomp_data, arch), at);
	return filter_program(&out.code);
}

static uint32_t field_of(uint32_t offset, unsigned number)
{
	if (offset == offsetof(struct seccomp_data, nr))
		return number;
	return offset == offsetof(struct seccomp_data, arch) ? SYS_AUDIT_ARCH : 0;
}

uint32_t filter_answer(const void *code, unsigned count, unsigned number, bool *ret_arguments)
{
	const struct sock_filter *program = code;
	uint32_t value = 0;
	*ret_arguments = false;
	for (unsigned at = 0; at < count; at++) {
		const struct sock_filter *one = &program[at];
		bool holds = false;
		switch (one->code) {
		case BPF_RET | BPF_K:
			return one->k;
		case BPF_LD | BPF_W | BPF_ABS:
			value = field_of(one->k, number);
			*ret_arguments |= one->k >= offsetof(struct seccomp_data, args);
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			value &= one->k;
			continue;
		case BPF_JMP | BPF_JA:
			at += one->k;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K:
			holds = value == one->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			holds = value >= one->k;
			break;
		}
		at += holds ? one->jt : one->jf;
	}
	return SECCOMP_RET_KILL_PROCESS;
}
