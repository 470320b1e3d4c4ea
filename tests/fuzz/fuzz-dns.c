// libFuzzer: any bytes as a DNS question; the answer stays within its bounds and repeats it.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "net/parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dns_question question;
	struct address address = { { 0 } };
	enum dns_code code;
	uint8_t answer[DNS_ANSWER_MAX];
	if (!dns_parse(data, size, &question, &code))
		return 0;
	size_t length = dns_answer(data, &question, code, code == DNS_OK ? &address : NULL, answer);
	if (question.end > size || length > sizeof(answer) || length < 12 ||
	    memcmp(answer, data, 2) != 0)
		__builtin_trap();
	if (question.valid && strlen(question.name) > HOST_NAME_BYTES_MAX)
		__builtin_trap();
	return 0;
}
