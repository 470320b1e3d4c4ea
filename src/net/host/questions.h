// Unlisted destinations, each asked for once in a run; the answer is remembered. ask/ask.h answers.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/host/socket_owner.h"
#include "net/rules/control.h"
#include "net/parse/parse.h"

struct plan;
struct proxy;
struct run;

enum {
	QUESTIONS_MAX = 256, // of a run; later ones are answered no
	// From the first connection to the answer: less than a worker holds the connection.
	QUESTION_MILLISECONDS = 28000,
	WHERE_TEXT_MAX = HOST_NAME_BYTES_MAX + 16,
};

struct host_question {
	struct host host;
	uint16_t port;
	char program[OWNER_NAME];
	int64_t since; // steady clock, milliseconds
	bool waits;
	enum answered answer;
};

struct host_questions {
	unsigned count;
	struct host_question all[QUESTIONS_MAX];
};

// A worker's report of waiting connections. True: the answer is known.
bool questions_take(const struct plan *plan, const struct run *run,
		    const struct worker_event *report, enum hold_answer *ret_answer);
struct host_question *questions_next(struct proxy *proxy);
// The oldest first, at most `most`; returns how many.
unsigned questions_list(struct proxy *proxy, struct host_question **all, unsigned most);
unsigned questions_waiting(struct proxy *proxy);
// "host:port", as in a rule.
void questions_where(const struct host_question *question, char where[WHERE_TEXT_MAX]);
