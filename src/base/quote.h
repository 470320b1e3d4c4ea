// Words that a shell takes for what they are.
#pragma once

struct arena;

// Whatever bytes it has: in single quotes.
char *quote_word(struct arena *arena, const char *text);

// A word of a fix that is printed: as it is where a shell takes it so, else in quotes. NULL when it
// has bytes that act on a terminal, or begins with '-': no fix is printed with such a name.
const char *quote_fix(struct arena *arena, const char *text);
