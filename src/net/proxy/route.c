// Owns the decision about a connection's destination, and the wait for a person's answer.
#include "net/proxy/route.h"

#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "net/parse/parse.h"
#include "net/proxy/deny.h"
#include "net/proxy/dial.h"
#include "net/proxy/flow.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/worker_state.h"
#include "net/rules/rules.h"
#include "net/setup/netns.h"

enum { HELD_MAX = 512, HOLD_MILLISECONDS = 30000 };

static bool is_held_for(const struct conn *conn, const struct host *host, uint16_t port)
{
	return conn && conn->dialing == DIAL_HELD && conn->port == port &&
	       host_equal(&conn->host, host);
}

// Holds the connection for an answer. Only the first to a destination asks. Returns false if too
// many wait.
static bool hold(struct worker *worker, struct conn *conn)
{
	struct worker_event report = { .kind = EVENT_ASK, .count = 1 };
	unsigned count = 0;
	bool asked = false;
	for (uint32_t i = 0; i < worker->used && count < HELD_MAX; i++) {
		const struct conn *other = conn_at(worker, i);
		count += other && other->dialing == DIAL_HELD;
		asked = asked || is_held_for(other, &conn->host, conn->port);
	}
	if (count == HELD_MAX)
		return false;
	report.records[0] = (struct conn_record){ .host = conn->host,
						  .port = conn->port,
						  .verdict = VERDICT_DENIED,
						  .explicit_proxy = conn->explicit_proxy,
						  .ends = conn->ends,
						  .count = 1 };
	if (!asked && fd_send(worker->control, &report, event_size(&report), NULL, 0) < 0)
		return false;
	conn->dialing = DIAL_HELD;
	conn->recorded = false;
	conn->rule = (struct rule){ 0 };
	conn_deadline(worker, conn, HOLD_MILLISECONDS);
	return true;
}

static bool admit_by(struct worker *worker, struct conn *conn, const struct rule *allow)
{
	const struct rules *rules = rules_current(worker->shared);
	const char *budget;
	conn->rule = *allow;
	conn->raw =
		conn->host.kind == HOST_ADDRESS || (rules_raw(rules, allow, conn->port) &&
						    !rules_opened(rules, &conn->host, conn->port));
	conn->budgets = rules_budgets(rules, &conn->host, conn->port);
	record_conn(worker, conn, VERDICT_ALLOWED, allow->text, "", FIX_NONE);
	if (record_over_budget(worker, conn, &budget)) {
		record_conn(worker, conn, VERDICT_DENIED, budget, "its budget is used up",
			    FIX_NONE);
		return false;
	}
	dial_begin(worker, conn);
	return true;
}

bool route_to(struct worker *worker, struct conn *conn, const struct host *host, uint16_t port)
{
	const struct rules *rules = rules_current(worker->shared);
	struct refusal refusal;
	conn->host = *host;
	conn->port = port;
	conn->once = false;
	if (host->kind == HOST_ADDRESS && names_is_synthetic(&host->address)) {
		struct host name = { .kind = HOST_NAME };
		names_leave(worker->shared, &conn->place);
		conn->place = names_enter(worker->shared, &host->address, name.name);
		if (conn->place)
			conn->host = name;
	}
	memcpy(conn->called, conn->host.name, sizeof(conn->called));
	conn->form = 0;
	conn->unlisted = conn->proving = conn->proved = conn->made_up = false;
	const struct rule *allow = rules_decide(rules, &worker->resolv, &conn->host, port,
						worker->routes, &conn->form, &refusal);
	if (allow)
		return admit_by(worker, conn, allow);
	const char *why = refusal.why;
	if (rules->ask && refusal.unlisted && rules_may_ask(&conn->host, worker->routes)) {
		if (hold(worker, conn))
			return true;
		why = "not in the allowlist, and too many connections wait for an answer";
	}
	record_conn(worker, conn, VERDICT_DENIED, refusal.deny ? refusal.deny->text : "", why,
		    refusal.fix);
	return false;
}

static void answer_denied(struct worker *worker, struct conn *conn)
{
	snprintf(conn->problem, sizeof(conn->problem), "%s", conn->record.why);
	conn->dialing = DIAL_NONE;
	if (conn->state == CONN_DIAL && conn->socks)
		deny_socks(worker, conn, SOCKS_DENIED);
	else if (conn->state == CONN_DIAL || conn->state == CONN_REQUEST ||
		 conn->state == CONN_EXCHANGE)
		deny_http(worker, conn, 403);
	else
		deny_begin(worker, conn, conn->problem);
}

static void refuse_held(struct worker *worker, struct conn *conn, const char *rule, const char *why,
			enum fix fix)
{
	record_conn(worker, conn, VERDICT_DENIED, rule, why, fix);
	answer_denied(worker, conn);
}

static void admit(struct worker *worker, struct conn *conn, const struct rule *allow)
{
	conn_deadline(worker, conn, 0);
	if (!admit_by(worker, conn, allow))
		answer_denied(worker, conn);
}

static void take_answer(struct worker *worker, struct conn *conn, enum hold_answer answer)
{
	static const char *const reasons[] = {
		[HOLD_REFUSED] = "not in the allowlist, and the answer was no",
		[HOLD_UNANSWERED] = "not in the allowlist, and nobody answered in time",
		[HOLD_TOO_MANY] = "not in the allowlist, and too much was asked for",
		[HOLD_ONCE] = "",
	};
	struct rule once = { .text = "answer: once" };
	if (answer == HOLD_ONCE) {
		conn->once = true;
		admit(worker, conn, &once);
	} else {
		refuse_held(worker, conn, "", reasons[answer], FIX_RULE);
	}
}

void route_answered(struct worker *worker, const struct worker_command *order)
{
	for (uint32_t i = 0; i < worker->used; i++) {
		struct conn *conn = conn_at(worker, i);
		if (!conn || conn->dialing != DIAL_HELD || conn->port != order->port ||
		    !host_equal(&conn->host, &order->host))
			continue;
		take_answer(worker, conn, order->answer);
		conn_wake(worker, conn);
	}
}

void route_judge(struct worker *worker, struct conn *conn)
{
	struct refusal refusal;
	const struct rule *allow =
		rules_decide(rules_current(worker->shared), &worker->resolv, &conn->host,
			     conn->port, worker->routes, &conn->form, &refusal);
	if (allow)
		admit(worker, conn, allow);
	else if (!refusal.unlisted)
		refuse_held(worker, conn, refusal.deny ? refusal.deny->text : "", refusal.why,
			    refusal.fix);
	conn_wake(worker, conn);
}

// If the name does not exist with this search domain, continues with the next allowed one. Rules
// and search list may have changed.
void route_resolved(struct worker *worker, struct conn *conn)
{
	struct host host = conn->host;
	struct refusal refusal;
	unsigned form = conn->form + 1;
	if (dial_proves(worker, conn))
		return;
	if (host.kind == HOST_NAME)
		memcpy(host.name, conn->called, sizeof(host.name));
	const struct rule *allow = rules_decide(rules_current(worker->shared), &worker->resolv,
						&host, conn->port, worker->routes, &form, &refusal);
	bool next = conn->form && !conn->by_proxy && !conn->address_count &&
		    conn->existence != NAME_EXISTS;
	if (refusal.deny) {
		refuse_held(worker, conn, refusal.deny->text, refusal.why, refusal.fix);
		return;
	}
	if (next) {
		conn->host = host;
		conn->form = form;
		conn->recorded = false;
	}
	if (next && allow) {
		admit(worker, conn, allow);
		return;
	}
	conn->unlisted = next && conn->existence == NAME_MISSING;
	dial_resolved(worker, conn);
}

void route_expired(struct worker *worker, struct conn *conn)
{
	take_answer(worker, conn, HOLD_UNANSWERED);
}

void route_tunnel(struct worker *worker, struct conn *conn)
{
	conn->state = CONN_TUNNEL;
	conn->keeping = false;
	flow_clear(&conn->flow[CLIENT], UNLIMITED_PASS);
	flow_clear(&conn->flow[SERVER], UNLIMITED_PASS);
	if (conn->dialing == DIAL_OPEN)
		conn_deadline(worker, conn, LASTING_MILLISECONDS);
}

void route_inspect(struct worker *worker, struct conn *conn)
{
	conn->state = CONN_INSPECT;
	conn->keeping = conn->request_like = false;
	conn_read_anew(conn);
	conn->burst = true;
	conn->flow[CLIENT].allowance = 0;
	flow_clear(&conn->flow[SERVER], UNLIMITED_PASS);
	if (conn->dialing == DIAL_OPEN)
		conn_deadline(worker, conn, LASTING_MILLISECONDS);
}
