// Words that a shell takes for what they are.
#pragma once

struct arena;

// Whatever bytes it has: in single quotes.
char *quote_word(struct arena *arena, const char *text);
