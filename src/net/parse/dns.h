// DNS messages (RFC 1035): a question of the box in, our answer out. Pure.
#pragma once

#include "text/host.h"

enum { DNS_ANSWER_MAX = 512, DNS_TYPE_A = 1, DNS_TYPE_AAAA = 28, DNS_CLASS_IN = 1 };

struct dns_question {
	bool valid;                         // the name is one that hosts may have
	char name[HOST_NAME_BYTES_MAX + 1]; // lower case
	uint16_t type, class;
	size_t end; // of the question in the message
};

enum dns_code { DNS_OK = 0, DNS_FORMAT = 1, DNS_FAILED = 2, DNS_NO_NAME = 3, DNS_NOT_DONE = 4 };

// False: not a query at all, which gets no answer. `ret_code` is DNS_OK for one question of a
// kind that can be answered, else the code to answer with.
bool dns_parse(const uint8_t *message, size_t length, struct dns_question *ret,
	       enum dns_code *ret_code);

// The answer to a message that dns_parse took: with `address` (IPv4), else no records. Returns its
// length, at most DNS_ANSWER_MAX.
size_t dns_answer(const uint8_t *message, const struct dns_question *question, enum dns_code code,
		  const struct address *address, uint8_t answer[DNS_ANSWER_MAX]);
