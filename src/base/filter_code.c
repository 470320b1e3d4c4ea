// Owns the writing of classic BPF (filter.rst of the kernel). Jumps only go forward. A conditional
// jump reaches 255 instructions.
#include "base/filter_code.h"

#include <stdlib.h>

enum {
	NEAR = 255,
	RETURNS = sizeof((struct filter_code){ 0 }.returns) /
		  sizeof(*(struct filter_code){ 0 }.returns)
};

static filter_place put(struct filter_code *code, struct sock_filter one)
{
	if (code->used == code->size)
		abort();
	code->code[code->size - ++code->used] = one;
	return code->used;
}

static filter_place jump(struct filter_code *code, filter_place to)
{
	return to == code->used ? to
				: put(code, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA,
									 code->used - to, 0, 0));
}

filter_place filter_return(struct filter_code *code, uint32_t answer)
{
	unsigned i = 0;
	while (i < RETURNS && !(code->returns[i].at && code->returns[i].answer == answer))
		i++;
	if (i == RETURNS) {
		i = code->next_return++ % RETURNS;
		code->returns[i].answer = answer;
		code->returns[i].at = 0;
	}
	if (!code->returns[i].at || code->used - code->returns[i].at > NEAR / 2)
		code->returns[i].at =
			put(code, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer));
	return code->returns[i].at;
}

filter_place filter_test(struct filter_code *code, unsigned test, uint32_t value, filter_place yes,
			 filter_place no)
{
	if (code->used - no >= NEAR)
		no = jump(code, no);
	if (code->used - yes > NEAR)
		yes = jump(code, yes);
	return put(code, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | BPF_K | test), value,
						      (uint8_t)(code->used - yes),
						      (uint8_t)(code->used - no)));
}

filter_place filter_load(struct filter_code *code, size_t offset, filter_place next)
{
	jump(code, next);
	return put(code, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

filter_place filter_load_bits(struct filter_code *code, size_t offset, uint32_t mask,
			      filter_place next)
{
	if (mask != 0xffffffffU) {
		jump(code, next);
		next = put(code, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
	}
	return filter_load(code, offset, next);
}

struct sock_fprog filter_program(const struct filter_code *code)
{
	return (struct sock_fprog){ (unsigned short)code->used,
				    code->code + code->size - code->used };
}
