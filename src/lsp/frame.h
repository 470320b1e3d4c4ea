// The head of a message of the base protocol (LSP 3.17, "Base Protocol"). Pure.
#pragma once

#include <stddef.h>

enum { FRAME_HEAD_MAX = 4096, FRAME_BODY_MAX = 32 << 20 }; // bytes

// The bytes of a whole head at the beginning, and of the body that follows it; 0: more of it is
// needed; -1: it is none, or the body is larger than FRAME_BODY_MAX or in another charset than
// UTF-8.
int frame_head(const char *bytes, size_t length, size_t *ret_body);
