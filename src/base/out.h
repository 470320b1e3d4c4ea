// Text and JSON for people and programs, collected and written in one go.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct out {
	char *text;
	size_t used, size;
	bool comma; // JSON: the next value needs one before it
	bool json;  // for a program
};

void out_text(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_bytes(struct out *out, const char *bytes, size_t length);
void out_free(struct out *out);

// A text from `column` on, broken at blanks so that no line reaches column 80, and a newline. The
// line has `at` columns already: where these are more, the text follows two blanks.
void out_wrapped(struct out *out, int column, int at, const char *text);

// Bytes for a terminal: what acts on it instead of being seen is shown as str_next() does. Tab and
// newline stay, and a carriage return before one. A NUL must stand behind them.
void out_visible(struct out *out, const char *bytes, size_t length);

// Writes all of it for people, as out_visible() shows it, and empties the buffer. Returns -1 when
// that failed.
int out_flush(struct out *out, int fd);

// The same, of bytes that no terminal shows: they are written as they are.
int out_write(struct out *out, int fd);

// JSON. The outermost object of a command's answer: its version and the form that sbx-json(5)
// describes.
void json_begin(struct out *out, const char *form);
// Its end, and a newline: what comes next is another text.
void json_end(struct out *out);
// Keys may be NULL inside a list. What a terminal does not show (str_letter()) is escaped; bad
// UTF-8 becomes U+FFFD.
void json_open(struct out *out, const char *key, char bracket);
void json_close(struct out *out, char bracket);
void json_string(struct out *out, const char *key, const char *value);
void json_number(struct out *out, const char *key, unsigned long long value);
void json_flag(struct out *out, const char *key, bool value);
