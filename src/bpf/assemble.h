// Programs of extended BPF, put together an instruction at a time
// (Documentation/bpf/standardization). No compiler and no library is needed for so few: nothing is
// loaded by runs that have none.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/bpf.h>

enum { PROGRAM_MOST = 4096, JUMPS_MOST = 24 };

struct program {
	struct bpf_insn code[PROGRAM_MOST];
	unsigned used;
	bool full; // something did not fit: must not be loaded
};

// Jumps whose target is still to come.
struct jumps {
	unsigned at[JUMPS_MOST], count;
};

void emit_move(struct program *program, int to, int from);
void emit_number(struct program *program, int to, int32_t number);
void emit_load(struct program *program, int to, int from, size_t offset);       // 32 bits
void emit_load_long(struct program *program, int to, int from, size_t offset);  // 64 bits
void emit_add_shared(struct program *program, int to, size_t offset, int from); // atomic, 64 bits
void emit_mask(struct program *program, int reg, uint32_t mask);
void emit_shift_right(struct program *program, int reg, unsigned bits);
void emit_call(struct program *program, int helper);
void emit_constant(struct program *program, int to, uint64_t number);
void emit_map_value(struct program *program, int to,
		    int map);                            // the address of an array's first value
void emit_map(struct program *program, int to, int map); // the map itself, for helpers
void emit_add(struct program *program, int reg, int32_t number);
void emit_zero(struct program *program, int to, int16_t offset); // 32 bits in memory
void emit_return(struct program *program, int32_t verdict);

// Compare 32 bits with a number, or 64 with a register, and jump.
void emit_unless_equal(struct program *program, struct jumps *jumps, int reg, uint32_t number);
void emit_if_equal(struct program *program, struct jumps *jumps, int reg, uint32_t number);
void emit_if_above(struct program *program, struct jumps *jumps, int reg, int other);
void emit_if_same(struct program *program, struct jumps *jumps, int reg, int other);
void emit_if_null(struct program *program, struct jumps *jumps, int reg);
void emit_jump(struct program *program, struct jumps *jumps);
void emit_target(struct program *program, struct jumps *jumps); // all of them lead here

// Gives the program to the kernel: a descriptor, or -1 with errno (E2BIG when it was too long).
int program_load(const struct program *program, enum bpf_prog_type type,
		 enum bpf_attach_type where);
