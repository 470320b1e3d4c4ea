// Owns the reading of answers: a program's JSON, a person's keys.
#include "net/parse/parse.h"

#include <ctype.h>
#include <string.h>

#include "base/base.h"
#include "text/json.h"

const char *const reply_words[REPLIES] = {
	[REPLY_NO] = "no",
	[REPLY_ONCE] = "once",
	[REPLY_RUN] = "run",
	[REPLY_PROJECT] = "project",
};
const char reply_letters[REPLIES + 1] = "norp";

struct reply_reader {
	const char *text;
	unsigned members;
	bool good;
	enum reply answer;
};

static bool take_step(void *owner, const struct json_step *step)
{
	struct reply_reader *reader = owner;
	char word[16];
	if (step->depth == 0)
		return step->kind == WALK_OBJECT;
	if (step->depth != 1 || !step->key ||
	    !piece_is((struct piece){ step->key, step->key_length }, "answer"))
		return true;
	if (step->kind != WALK_STRING || reader->members++ > 0)
		return false;
	size_t length = json_decode(reader->text + step->start, step->end - step->start, word,
				    sizeof(word));
	for (int i = 0; i < REPLIES; i++) {
		if (!piece_is((struct piece){ word, length }, reply_words[i]))
			continue;
		reader->answer = (enum reply)i;
		reader->good = true;
	}
	return reader->good;
}

bool reply_json(const char *text, size_t length, enum reply *ret_answer)
{
	struct reply_reader reader = { .text = text };
	if (length > REPLY_BYTES_MAX || memchr(text, '\0', length))
		return false;
	const char *end = memchr(text, '\n', length);
	if (end && end + 1 != text + length)
		return false;
	if (!json_walk(text, length, take_step, &reader) || !reader.good)
		return false;
	*ret_answer = reader.answer;
	return true;
}

static enum reply_step end_line(struct reply_line *line, char *ret_letter)
{
	struct reply_line typed = *line;
	*line = (struct reply_line){ 0 };
	if (typed.bad || !typed.letter)
		return REPLY_AGAIN;
	*ret_letter = typed.letter;
	return REPLY_GIVEN;
}

enum reply_step reply_byte(struct reply_line *line, unsigned char byte, const char *letters,
			   char *ret_letter)
{
	enum {
		END_OF_TEXT = 3,
		END_OF_INPUT = 4,
		BACKSPACE = 8,
		DELETE = 127,
		LINE_MAX_BYTES = 64
	};
	if (byte == '\r' || byte == '\n')
		return end_line(line, ret_letter);
	if (byte == END_OF_TEXT || (byte == END_OF_INPUT && line->length == 0))
		return REPLY_LEFT;
	if ((byte == BACKSPACE || byte == DELETE) && !line->bad) {
		*line = (struct reply_line){ 0 };
		return REPLY_MORE;
	}
	char letter = (char)tolower(byte);
	line->bad = line->bad || line->length > 0 || letter < 'a' || letter > 'z' ||
		    !strchr(letters, letter);
	line->letter = line->bad ? 0 : letter;
	line->length += line->length < LINE_MAX_BYTES;
	return REPLY_MORE;
}

void reply_claim(const char *name, char *to, size_t size)
{
	static const char others[] = "._+-";
	size_t used = 0;
	for (; name[used] && used + 1 < size; used++) {
		char byte = name[used];
		bool plain = isalnum((unsigned char)byte) || strchr(others, byte);
		to[used] = plain ? byte : '?';
	}
	if (used == 0 && size > 1)
		to[used++] = '?';
	to[used] = '\0';
}
