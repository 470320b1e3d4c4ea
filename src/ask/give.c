// Owns the effect of an answer: a new rule, a reply to waiting connections.
#include "ask/ask.h"

#include "base/base.h"
#include "net/host/control_socket.h"
#include "net/host/proxy.h"
#include "plan.h"
#include "policy/find.h"
#include "run.h"
#include "text/destination.h"

static int keep(const struct plan *plan, const char *where)
{
	enum { TEXTS_BYTES = 4 << 20 };
	struct arena *arena = arena_new_of(TEXTS_BYTES);
	int result = ATTEMPT(answers_keep(arena, plan->state, plan->toplevel, where));
	arena_free(arena);
	return result;
}

// Whether the destination is one host and one port: a box may control the worker, which sent it.
static bool is_plain(const struct host_question *question, const char *where)
{
	struct destination destination;
	if (!destination_parse(where, &destination) || destination.suffix ||
	    destination.port_count != 1)
		return false;
	if (question->host.kind == HOST_NAME)
		return destination.kind == DESTINATION_NAME;
	return destination.kind == DESTINATION_NETWORK && destination.prefix == 128 &&
	       address_reach(&question->host.address) == REACH_PUBLIC;
}

int ask_give(const struct plan *plan, struct proxy *proxy, struct host_question *question,
	     enum reply answer, enum hold_answer why, unsigned *unstored)
{
	char where[HOST_PORT_TEXT_MAX];
	host_port_text(&question->host, question->port, where);
	if (answer != REPLY_NO && !is_plain(question, where))
		answer = REPLY_NO, why = HOLD_REFUSED;
	question->waits = false;
	question->answer = answer;
	bool rule = answer == REPLY_RUN || answer == REPLY_PROJECT;
	if (rule && control_socket_add(proxy, where) == 0) {
		if (answer == REPLY_PROJECT)
			*unstored += keep(plan, where) < 0;
		return proxy_change_rules(plan, proxy);
	}
	if (rule) { // it could not be added
		question->answer = REPLY_NO;
		why = HOLD_TOO_MANY;
	}
	proxy_answer(proxy, &question->host, question->port,
		     answer == REPLY_ONCE ? HOLD_ONCE : why);
	return 0;
}

int ask_conclude(const struct plan *plan, struct run *run, enum ask_end end, enum reply answer)
{
	struct ask *ask = run->ask;
	enum hold_answer why = end == ASK_ANSWERED ? HOLD_REFUSED : HOLD_UNANSWERED;
	ask_child_end(&ask->child);
	ask->failures[end] += end != ASK_ANSWERED && plan->ask == ASK_PROGRAM;
	answer = end == ASK_ANSWERED ? answer : REPLY_NO;
	for (unsigned i = 0; i < ask->count; i++)
		TRY(ask_give(plan, run->proxy, ask->asked[i], answer, why, &ask->unkept));
	ask->count = 0;
	return 0;
}
