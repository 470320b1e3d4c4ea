// Writes a classic BPF program from its end: the target of each jump exists already. Near jumps to
// the same answer share one instruction.
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned filter_place;

struct filter_code {
	struct sock_filter *code;
	unsigned size, used;
	struct {
		uint32_t answer;
		filter_place at; // 0: none
	} returns[8];
	unsigned next_return;
};

// Each returns the place of its instruction. A full program ends the process.
filter_place filter_return(struct filter_code *code, uint32_t answer);
filter_place filter_test(struct filter_code *code, unsigned test, uint32_t value, filter_place yes,
			 filter_place no);
filter_place filter_load(struct filter_code *code, size_t offset, filter_place next);
filter_place filter_load_bits(struct filter_code *code, size_t offset, uint32_t mask,
			      filter_place next);

struct sock_fprog filter_program(const struct filter_code *code);
