// Owns the encoding of instructions.
#include "bpf/assemble.h"

#include <errno.h>

#include "base/sys.h"

static unsigned emit(struct program *program, struct bpf_insn instruction)
{
	if (program->used == PROGRAM_MOST) {
		program->full = true;
		return 0;
	}
	program->code[program->used] = instruction;
	return program->used++;
}

#define REG(number) ((__u8)((number) & 0xf))

void emit_move(struct program *program, int to, int from)
{
	emit(program, (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X,
					 .dst_reg = REG(to),
					 .src_reg = REG(from) });
}

void emit_number(struct program *program, int to, int32_t number)
{
	emit(program, (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K,
					 .dst_reg = REG(to),
					 .imm = number });
}

static void load(struct program *program, int size, int to, int from, size_t offset)
{
	emit(program, (struct bpf_insn){ .code = (__u8)(BPF_LDX | BPF_MEM | size),
					 .dst_reg = REG(to),
					 .src_reg = REG(from),
					 .off = (__s16)offset });
}

void emit_load(struct program *program, int to, int from, size_t offset)
{
	load(program, BPF_W, to, from, offset);
}

void emit_load_long(struct program *program, int to, int from, size_t offset)
{
	load(program, BPF_DW, to, from, offset);
}

void emit_add_shared(struct program *program, int to, size_t offset, int from)
{
	emit(program, (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
					 .dst_reg = REG(to),
					 .src_reg = REG(from),
					 .off = (__s16)offset,
					 .imm = BPF_ADD });
}

void emit_mask(struct program *program, int reg, uint32_t mask)
{
	emit(program, (struct bpf_insn){ .code = BPF_ALU | BPF_AND | BPF_K,
					 .dst_reg = REG(reg),
					 .imm = (__s32)mask });
}

void emit_shift_right(struct program *program, int reg, unsigned bits)
{
	emit(program, (struct bpf_insn){ .code = BPF_ALU | BPF_RSH | BPF_K,
					 .dst_reg = REG(reg),
					 .imm = (__s32)bits });
}

void emit_call(struct program *program, int helper)
{
	emit(program, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = helper });
}

static void constant(struct program *program, int to, int source, uint64_t number)
{
	emit(program, (struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW,
					 .dst_reg = REG(to),
					 .src_reg = REG(source),
					 .imm = (__s32)(uint32_t)number });
	emit(program, (struct bpf_insn){ .imm = (__s32)(uint32_t)(number >> 32) });
}

void emit_constant(struct program *program, int to, uint64_t number)
{
	constant(program, to, 0, number);
}

void emit_map_value(struct program *program, int to, int map)
{
	constant(program, to, BPF_PSEUDO_MAP_VALUE, (uint32_t)map); // Linux 5.2; the offset is 0
}

void emit_map(struct program *program, int to, int map)
{
	constant(program, to, BPF_PSEUDO_MAP_FD, (uint32_t)map);
}

void emit_add(struct program *program, int reg, int32_t number)
{
	emit(program, (struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K,
					 .dst_reg = REG(reg),
					 .imm = number });
}

void emit_zero(struct program *program, int to, int16_t offset)
{
	emit(program, (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_W,
					 .dst_reg = REG(to),
					 .off = offset });
}

void emit_return(struct program *program, int32_t verdict)
{
	emit_number(program, BPF_REG_0, verdict);
	emit(program, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
}

static void jump(struct program *program, struct jumps *jumps, struct bpf_insn instruction)
{
	if (jumps->count == JUMPS_MOST) {
		program->full = true;
		return;
	}
	jumps->at[jumps->count++] = emit(program, instruction);
}

void emit_unless_equal(struct program *program, struct jumps *jumps, int reg, uint32_t number)
{
	jump(program, jumps,
	     (struct bpf_insn){ .code = BPF_JMP32 | BPF_JNE | BPF_K,
				.dst_reg = REG(reg),
				.imm = (__s32)number });
}

void emit_if_equal(struct program *program, struct jumps *jumps, int reg, uint32_t number)
{
	jump(program, jumps,
	     (struct bpf_insn){ .code = BPF_JMP32 | BPF_JEQ | BPF_K,
				.dst_reg = REG(reg),
				.imm = (__s32)number });
}

void emit_if_above(struct program *program, struct jumps *jumps, int reg, int other)
{
	jump(program, jumps,
	     (struct bpf_insn){ .code = BPF_JMP | BPF_JGT | BPF_X,
				.dst_reg = REG(reg),
				.src_reg = REG(other) });
}

void emit_if_same(struct program *program, struct jumps *jumps, int reg, int other)
{
	jump(program, jumps,
	     (struct bpf_insn){ .code = BPF_JMP | BPF_JEQ | BPF_X,
				.dst_reg = REG(reg),
				.src_reg = REG(other) });
}

void emit_if_null(struct program *program, struct jumps *jumps, int reg)
{
	jump(program, jumps,
	     (struct bpf_insn){ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = REG(reg) });
}

void emit_jump(struct program *program, struct jumps *jumps)
{
	jump(program, jumps, (struct bpf_insn){ .code = BPF_JMP | BPF_JA });
}

void emit_target(struct program *program, struct jumps *jumps)
{
	for (unsigned i = 0; i < jumps->count; i++)
		program->code[jumps->at[i]].off = (__s16)(program->used - jumps->at[i] - 1);
	jumps->count = 0;
}

int program_load(const struct program *program, enum bpf_prog_type type, enum bpf_attach_type where)
{
	union bpf_attr attributes = {
		.prog_type = type,
		.insn_cnt = program->used,
		.insns = (uint64_t)(uintptr_t)program->code,
		.license = (uint64_t)(uintptr_t)"Apache-2.0",
		.expected_attach_type = where,
	};
	if (program->full) {
		errno = E2BIG;
		return -1;
	}
	return sys_bpf(BPF_PROG_LOAD, &attributes, sizeof(attributes));
}
