// One question to the program of --ask-program: one process for each, one line of JSON on
// its stdin, one on its stdout, and then it is killed with all that it began.
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "outside/outside.h"
#include "net/parse/parse.h"

struct plan;
struct host_question;
struct run;

// What became of a question.
enum ask_end {
	ASK_PENDING,
	ASK_ANSWERED,
	ASK_NOT_STARTED,
	ASK_SILENT,    // until the question's time was over
	ASK_DIED,      // without an answer
	ASK_MALFORMED, // or too long
	ASK_UNOFFERED, // an answer that was not offered
	ASK_ENDS
};

struct ask_child {
	pid_t pid; // of its keeper; 0: none runs
	int pidfd, answer;
	bool project; // was offered
	char line[ANSWER_BYTES_MAX + 2];
	size_t used;
};

// -1 when it cannot be started.
int ask_child_start(const struct plan *plan, const struct run *run,
		    const struct ask_program *program, const struct host_question *question,
		    struct ask_child *child);
// Reads what there is.
enum ask_end ask_child_read(struct ask_child *child, enum answered *ret_answer);
void ask_child_end(struct ask_child *child);
