// An answer, given to the connections that wait for it.
#pragma once

#include "net/host/questions.h"

struct plan;
struct proxy;

// `why` is for an answer of no. What may not be opened is refused, whatever the answer was:
// question->answer says what it came to. `unstored` counts answers of the project that could not be
// written down: they hold in this run all the same. -1 with the error said when the proxy is gone.
int ask_give(const struct plan *plan, struct proxy *proxy, struct host_question *question,
	     enum answered answer, enum hold_answer why, unsigned *unstored);
