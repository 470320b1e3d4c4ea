// The parts of the build-time generator. Each writes to stdout.
//
// The room gen owns the program that makes tables and manuals while sbx is built. Uses: base,
// boxes, cli, names, net/parse, net/rules, net/setup, policy, report, seccomp, text. Begin with
// sbx-gen.c.
#pragma once

#include <stddef.h>

// `files`: the template, then the tables. `verb`: whose page it is, or NULL.
void gen_man(char *const *files, const char *verb);
void gen_names(const char *path);
void gen_man_names(const char *path);
void gen_recipes(const char *path);
void gen_man_json(const char *path);
void gen_network(void);

// Exits if the file cannot be read.
const char *gen_read_file(const char *path, size_t *ret_length);

_Noreturn void gen_stop(const char *what);
const char *gen_next_line(const char *at);

// Writes a C string.
void gen_quote(const char *text, size_t length);
// Writes text of a manual. Escapes each %s, and knows no other conversion.
void gen_put(const char *format, ...);
// Writes a line in which `code` is bold, *word* italic, and @NAME@ a table of words.
void gen_line(const char *at);
// Writes the table that `at` names, up to a '@'. Returns the '@'.
const char *gen_table(const char *at);
