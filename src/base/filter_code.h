// Classic BPF, written from its end to its begin: each jump has its target already, and what
// returns the same answer is one instruction for all that are near.
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

// An instruction, counted from the end: 1 is the last.
typedef unsigned filter_place;

// The caller owns the room for `size` instructions. Begin with `code` and `size` set, all else 0.
struct filter_code {
	struct sock_filter *code;
	unsigned size, used; // `used` is the place of the first one
	struct {
		uint32_t answer;
		filter_place at; // 0: none
	} returns[8];            // the last ones
	unsigned next_return;
};

// Each puts its instruction, or several, before those that are there, and returns its place. A
// program that has no room ends the process: its size is known when it is compiled.
filter_place filter_return(struct filter_code *code, uint32_t answer);
// A test of the loaded value: BPF_JEQ, BPF_JGE, BPF_JGT.
filter_place filter_test(struct filter_code *code, unsigned test, uint32_t value, filter_place yes,
			 filter_place no);
// A load of 32 bits of struct seccomp_data, and of some bits of them; `next` goes on.
filter_place filter_load(struct filter_code *code, size_t offset, filter_place next);
filter_place filter_load_bits(struct filter_code *code, size_t offset, uint32_t mask,
			      filter_place next);

// The program, which begins with the place that was put last.
struct sock_fprog filter_program(const struct filter_code *code);
