// Owns the wire format of DNS, as far as a responder needs it.
#include "net/parse/parse.h"

#include <string.h>

enum {
	HEADER = 12,
	FLAG_RESPONSE = 0x80,
	OPCODE = 0x78,
	FLAG_RECURSION = 0x01,
	LABEL_MAX = 63,
	TIME_TO_LIVE = 60
};

// Refuses compression pointers: no name precedes a question's.
static bool parse_name(const uint8_t *message, size_t length, struct dns_question *question)
{
	char text[HOST_NAME_BYTES_MAX + 2];
	size_t at = HEADER, used = 0;
	bool plain = true;
	struct host host;
	while (at < length && message[at] != 0) {
		size_t label = message[at++];
		if (label > LABEL_MAX || at + label > length || used + label + 1 > sizeof(text))
			return false;
		memcpy(text + used, message + at, label);
		plain = plain && !memchr(text + used, '.', label);
		used += label;
		text[used++] = '.';
		at += label;
	}
	if (at + 5 > length)
		return false;
	question->end = at + 5;
	question->type = read16(message + at + 1);
	question->class = read16(message + at + 3);
	question->valid =
		plain && used > 1 && host_parse(text, used - 1, &host) && host.kind == HOST_NAME;
	if (question->valid)
		memcpy(question->name, host.name, sizeof(question->name));
	return true;
}

bool dns_parse(const uint8_t *message, size_t length, struct dns_question *ret,
	       enum dns_code *ret_code)
{
	struct dns_question question = { .end = HEADER };
	if (length < HEADER || (message[2] & FLAG_RESPONSE))
		return false;
	*ret_code = DNS_OK;
	if (message[2] & OPCODE)
		*ret_code = DNS_NOT_DONE;
	else if (read16(message + 4) != 1 || read16(message + 6) != 0 ||
		 !parse_name(message, length, &question)) {
		question.end = HEADER;
		*ret_code = DNS_FORMAT;
	}
	*ret = question;
	return true;
}

size_t dns_answer(const uint8_t *message, const struct dns_question *question, enum dns_code code,
		  const struct address *address, uint8_t answer[DNS_ANSWER_MAX])
{
	static const uint8_t record[] = { 0xc0, HEADER, 0, DNS_TYPE_A,   0, DNS_CLASS_IN,
					  0,    0,      0, TIME_TO_LIVE, 0, 4 };
	size_t used = question->end;
	memcpy(answer, message, used);
	answer[2] = (uint8_t)(FLAG_RESPONSE | (message[2] & (OPCODE | FLAG_RECURSION)));
	answer[3] = (uint8_t)(0x80 | code);
	memset(answer + 4, 0, HEADER - 4);
	answer[5] = question->end > HEADER;
	if (code != DNS_OK || !address)
		return used;
	answer[7] = 1;
	memcpy(answer + used, record, sizeof(record));
	memcpy(answer + used + sizeof(record), address->bytes + 12, 4);
	return used + sizeof(record) + 4;
}
