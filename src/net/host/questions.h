// Destinations that are not listed and are asked for, each once in a run: its answer is remembered.
// Who answers, and how, is ask/ask.h's.
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
	QUESTIONS_MAX = 256, // of a run; for what comes then the answer is no
	// From the first connection to the last moment of an answer: less than a worker holds it.
	QUESTION_MILLISECONDS = 28000,
};

struct host_question {
	struct host host;
	uint16_t port;
	char program[OWNER_NAME]; // as the box says
	int64_t since;            // milliseconds of the steady clock, as is
	bool waits;               // for an answer
	enum answered answer;     // once it does not
};

struct host_questions {
	unsigned count;
	struct host_question all[QUESTIONS_MAX];
};

// A worker's word that connections wait. True when the answer is known.
bool questions_take(const struct plan *plan, const struct run *run,
		    const struct worker_event *report, enum hold_answer *ret_answer);
// The one that waits longest, or NULL.
struct host_question *questions_next(struct proxy *proxy);
// These, the longest first, at most `most`; returns how many.
unsigned questions_list(struct proxy *proxy, struct host_question **all, unsigned most);
// How many of these there are.
unsigned questions_waiting(struct proxy *proxy);
