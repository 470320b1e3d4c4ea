// Owns the translation of the system call table to BPF: native calls only, a balanced tree over
// ranges of equal verdict, then the argument checks.
#include "seccomp/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "base/sys.h"
#include "seccomp/syscalls.h"

// arm64 has no such numbers: the range is killed all the same.
enum { X32_BIT = 0x40000000, NUMBERS = 1024 };
#define NO_CALL 0xffffffffU

struct emitter {
	const struct filter_choice *choice;
	struct sock_filter *code;
	unsigned used;
};

// Calls from `first` up to the next range get `answer`: SECCOMP_RET_* or a check of arguments.
struct range {
	unsigned first;
	uint32_t answer;
	const struct syscall_check *check; // the first row, or NULL
};

static unsigned emit(struct emitter *out, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	out->code[out->used] = (struct sock_filter){ .code = code, .jt = jt, .jf = jf, .k = k };
	return out->used++;
}

static void emit_load(struct emitter *out, size_t offset)
{
	emit(out, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void emit_return(struct emitter *out, uint32_t answer)
{
	emit(out, BPF_RET | BPF_K, answer, 0, 0);
}

// The low half of an argument: both supported machines are little-endian.
static void emit_argument(struct emitter *out, unsigned argument)
{
	emit_load(out, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
}

static unsigned emit_equal(struct emitter *out, uint32_t value, uint8_t jt, uint8_t jf)
{
	uint32_t real = value == OWN_UID   ? out->choice->uid
			: value == OWN_GID ? out->choice->gid
					   : value;
	return emit(out, BPF_JMP | BPF_JEQ | BPF_K, real, jt, jf);
}

static void emit_rules(struct emitter *out, const struct syscall_check *check)
{
	if (check->whole) {
		emit_load(out, offsetof(struct seccomp_data, args) +
				       check->argument * sizeof(uint64_t) + 4);
		emit(out, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
		emit_return(out, check->otherwise);
	}
	for (unsigned i = 0; i < check->rule_count; i++) {
		const struct syscall_rule *rule = &check->rules[i];
		// What is loaded stays so from rule to rule.
		if (i == 0 || rule->mask != check->rules[i - 1].mask) {
			emit_argument(out, check->argument);
			if (rule->mask != 0xffffffffU)
				emit(out, BPF_ALU | BPF_AND | BPF_K, rule->mask, 0, 0);
		}
		emit_equal(out, rule->value, 0, 1);
		emit_return(out, rule->answer);
	}
	if (check->otherwise != CHECK_NEXT)
		emit_return(out, check->otherwise);
}

// Guarded rows first: each falls through to the next row when its guard does not hold.
static void emit_checks(struct emitter *out, const struct syscall_check *first)
{
	const struct syscall_check *end = first;
	while (end < syscall_checks + syscall_check_count && str_equal(end->call, first->call))
		end++;
	for (int guarded = 1; guarded >= 0; guarded--) {
		for (const struct syscall_check *check = first; check < end; check++) {
			if (check->guarded != guarded)
				continue;
			unsigned skip = 0;
			if (guarded) {
				emit_argument(out, check->guard_argument);
				skip = emit_equal(out, check->guard_value, 0, 0);
			}
			emit_rules(out, check);
			if (guarded)
				out->code[skip].jf = (uint8_t)(out->used - skip - 1);
		}
	}
}

static void emit_tree(struct emitter *out, const struct range *ranges, unsigned first, unsigned end)
{
	if (end - first == 1) {
		if (ranges[first].check)
			emit_checks(out, ranges[first].check);
		else
			emit_return(out, ranges[first].answer);
		return;
	}
	unsigned middle = (first + end) / 2;
	unsigned test = emit(out, BPF_JMP | BPF_JGE | BPF_K, ranges[middle].first, 0, 0);
	unsigned start = out->used;
	emit_tree(out, ranges, first, middle);
	unsigned distance = out->used - test - 1;
	if (distance <= 255) {
		out->code[test].jt = (uint8_t)distance;
	} else { // too far for one jump: once more, with a long one
		out->used = start;
		out->code[test].jf = 1;
		unsigned far = emit(out, BPF_JMP | BPF_JA, 0, 0, 0);
		emit_tree(out, ranges, first, middle);
		out->code[far].k = out->used - far - 1;
	}
	emit_tree(out, ranges, middle, end);
}

static bool denied(const struct filter_choice *choice, unsigned number)
{
	for (unsigned i = 0; i < choice->denied_count; i++)
		if (choice->denied[i] == number)
			return true;
	return false;
}

// A later, optional group overrides the fixed ones; a denied number overrides all. `cursor` walks
// the table, which is sorted by number.
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
							    : // an error of 0
				       SECCOMP_RET_ALLOW;
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
	// -1 is how a tracer says "skip this call"; it is no call of any table.
	ranges[count++] = (struct range){ .first = NO_CALL, .answer = SECCOMP_RET_ERRNO | ENOSYS };
	return count;
}

unsigned filter_compile(const struct filter_choice *choice, void *code)
{
	struct emitter out = { .choice = choice, .code = code };
	struct range ranges[NUMBERS + 2] __attribute__((uninitialized));
	unsigned count = collect_ranges(choice, ranges);
	emit_load(&out, offsetof(struct seccomp_data, arch));
	emit(&out, BPF_JMP | BPF_JEQ | BPF_K, SYS_AUDIT_ARCH, 1, 0);
	emit_return(&out, SECCOMP_RET_KILL_PROCESS);
	emit_load(&out, offsetof(struct seccomp_data, nr));
	emit_tree(&out, ranges, 0, count);
	return out.used;
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
