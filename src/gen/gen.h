// The parts of the build-time generator. Each writes to stdout.
#pragma once

#include <stddef.h>

void gen_man(const char *template, const char *groups); // groups: profiles/groups.ini
void gen_bash(void);
void gen_zsh(void);
void gen_fish(void);
void gen_network(void);

// A whole file. Stops the program when it cannot be read.
const char *gen_read_file(const char *path, size_t *ret_length);
