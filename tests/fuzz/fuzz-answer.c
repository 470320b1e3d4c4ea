// libFuzzer: answers of a program, bytes typed at a question, names that boxes give.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool good)
{
	if (!good)
		abort();
}

// An answer is a letter and Enter behind the last Enter, or ^C or ^D there; nothing else.
static void read_typed(const uint8_t *data, size_t size)
{
	struct reply_line line = { 0 };
	for (size_t i = 0; i < size; i++) {
		char answer = 'o';
		enum reply_step step = reply_byte(&line, data[i], "orn", &answer);
		bool enter = data[i] == '\r' || data[i] == '\n';
		expect((step == REPLY_GIVEN || step == REPLY_AGAIN) == enter);
		expect(step != REPLY_GIVEN || (i > 0 && strchr("orn", data[i - 1] | 0x20)));
		expect(strchr("orn", answer));
		for (size_t back = i; step == REPLY_GIVEN && back > 0; back--) {
			if (data[back - 1] == '\r' || data[back - 1] == '\n')
				break;
			expect(data[back - 1] != '\x1b');
		}
	}
}

static void read_claim(const char *text)
{
	char claim[16];
	reply_claim(text, claim, sizeof(claim));
	expect(claim[0] && strlen(claim) < sizeof(claim));
	for (const char *at = claim; *at; at++)
		expect(*at > ' ' && *at < 127);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	enum reply answer = REPLY_NO;
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (reply_json(text, size, &answer))
		expect(size <= REPLY_BYTES_MAX && memmem(text, size, "\"answer\"", 8));
	else
		expect(answer == REPLY_NO);
	read_typed(data, size);
	read_claim(text);
	free(text);
	return 0;
}
