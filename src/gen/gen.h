// The parts of the build-time generator. Each writes to stdout.
#pragma once

#include <stddef.h>

// groups: profiles/groups.ini, names: profiles/names.txt
void gen_man(const char *template, const char *groups, const char *names);
void gen_names(const char *path);
void gen_man_names(const char *path);
void gen_bash(void);
void gen_zsh(void);
void gen_fish(void);
void gen_network(void);

// A whole file. Stops the program when it cannot be read.
const char *gen_read_file(const char *path, size_t *ret_length);
