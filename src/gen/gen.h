// The parts of the build-time generator. Each writes to stdout.
//
// The room gen owns the program that makes tables and manuals while sbx is built.
// Uses: base cli names net/setup policy seccomp text. Begin with sbx-gen.c.
#pragma once

#include <stddef.h>

// `verb` is for the page of a verb, else NULL.
void gen_man(const char *template, const char *groups, const char *names, const char *recipes,
	     const char *verb);
void gen_names(const char *path);
void gen_man_names(const char *path);
void gen_recipes(const char *path);
void gen_man_recipes(const char *path);
void gen_network(void);

// Exits if the file cannot be read.
const char *gen_read_file(const char *path, size_t *ret_length);

// gen_quote() writes a C string, gen_roff() text of a manual.
void gen_quote(const char *text, size_t length);
void gen_roff(const char *text);
