// PATH[:size=SIZE][,mode=MODE], as in `--tmpfs /data:size=1G,mode=0700`. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tmpfs_words {
	size_t path;   // bytes of `text` that are the path
	uint64_t size; // bytes; 0: none was given
	unsigned mode; // 0: none was given
};

// A ':' belongs to the path where no '=' follows it. False for a word that is unknown, comes twice
// or has a wrong value.
bool tmpfs_parse(const char *text, struct tmpfs_words *ret);
