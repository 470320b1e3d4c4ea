// Owns the list of questions.

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "net/host/destinations.h"
#include "net/host/proxy.h"
#include "plan.h"
#include "run.h"

static struct host_question *find(struct host_questions *questions, const struct host *host,
				  uint16_t port)
{
	for (unsigned i = 0; i < questions->count; i++)
		if (questions->all[i].port == port && host_equal(&questions->all[i].host, host))
			return &questions->all[i];
	return NULL;
}

static void begin(const struct run *run, struct host_question *question,
		  const struct conn_record *record)
{
	struct owner_search *who = &run->proxy->connections->who;
	question->host = record->host;
	question->port = record->port;
	question->since = steady_now();
	question->waits = true;
	owner_find(who, run->init, &record->ends);
	memcpy(question->program, *who->program ? who->program : "?", OWNER_NAME);
}

bool questions_take(const struct plan *plan, const struct run *run,
		    const struct worker_event *report, enum hold_answer *ret_answer)
{
	const struct conn_record *record = &report->records[0];
	struct host_questions *questions = &run->proxy->connections->questions;
	struct host_question *question = find(questions, &record->host, record->port);
	if (plan->ask == ASK_NOBODY || (!question && questions->count == QUESTIONS_MAX)) {
		*ret_answer = HOLD_TOO_MANY;
		return true;
	}
	if (question && !question->waits && question->answer == REPLY_NO) {
		*ret_answer = HOLD_REFUSED;
		return true;
	}
	// The question waits for an answer, or new rules that allow the host are on their way.
	if (question && (question->waits || question->answer != REPLY_ONCE))
		return false;
	if (!question)
		question = &questions->all[questions->count++];
	begin(run, question, record);
	return false;
}

struct host_question *questions_next(struct proxy *proxy)
{
	struct host_question *next;
	return questions_list(proxy, &next, 1) ? next : NULL;
}

unsigned questions_list(struct proxy *proxy, struct host_question **all, unsigned most)
{
	struct host_questions *questions =
		proxy->connections ? &proxy->connections->questions : NULL;
	unsigned count = 0;
	for (unsigned i = 0; questions && i < questions->count; i++) {
		struct host_question *question = &questions->all[i];
		unsigned place = count;
		if (!question->waits)
			continue;
		for (; place > 0 && all[place - 1]->since > question->since; place--)
			if (place < most)
				all[place] = all[place - 1];
		if (place < most)
			all[place] = question;
		count += count < most;
	}
	return count;
}
