// Answers to a question of --ask-program and --ask: hostile bytes to one of four words. Pure, and
// without memory: who says anything else than an answer has said no.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// A field that nothing was written to says no.
enum answered {
	ANSWERED_NO,
	ANSWERED_ONCE,    // the connections that wait for this answer
	ANSWERED_RUN,     // this destination, until the end of the run
	ANSWERED_PROJECT, // and in later runs of the project that ask
};
enum { ANSWERS = ANSWERED_PROJECT + 1, ANSWER_BYTES_MAX = 1024 };

// "no", "once", "run", "project".
extern const char *const answer_words[ANSWERS];

// One line of JSON, {"answer":"WORD"}, with or without its newline: nothing behind it, the member
// once, other members passed over. text[length] must be NUL. False when it is malformed.
bool answer_json(const char *text, size_t length, enum answered *ret_answer);

// A line that is typed, byte by byte. An answer is one letter and Enter. A line with an escape
// character, another control character or more than one letter is none: terminals answer a box's
// questions with such bytes.
struct answer_line {
	char letter;     // 0: none yet
	bool bad;        // nothing but Enter ends it
	unsigned length; // bytes
};
enum answer_step {
	ANSWER_MORE,  // the line goes on
	ANSWER_AGAIN, // it has ended, and was none
	ANSWER_GIVEN,
	ANSWER_LEFT, // ^C or ^D on an empty line: no
};
// `letters` are those that are offered, in small letters ("orpn").
enum answer_step answer_byte(struct answer_line *line, unsigned char byte, const char *letters,
			     enum answered *ret_answer);

// A name that a box gave, for a question: letters, digits and ._+- stay, all else is '?'. At most
// `size` - 1 bytes, and never empty.
void answer_claim(const char *name, char *to, size_t size);
