// Classic BPF, written from its end to its begin: each jump has its target already, and what
// returns the same answer is one instruction for all that are near.
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

// Each returns its place. A program that has no room ends the process: its size is known at build
// time.
filter_place filter_return(struct filter_code *code, uint32_t answer);
filter_place filter_test(struct filter_code *code, unsigned test, uint32_t value, filter_place yes,
			 filter_place no);
filter_place filter_load(struct filter_code *code, size_t offset, filter_place next);
filter_place filter_load_bits(struct filter_code *code, size_t offset, uint32_t mask,
			      filter_place next);

struct sock_fprog filter_program(const struct filter_code *code);
