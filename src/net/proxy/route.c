// Owns the decision where a connection goes on, and the dial that follows from it.
#include "net/proxy/route.h"

#include <string.h>

#include "net/proxy/dial.h"
#include "net/proxy/flow.h"
#include "net/proxy/record.h"
#include "net/proxy/state.h"
#include "net/rules/rules.h"
#include "net/setup/synthetic.h"

bool route_to(struct worker *worker, struct conn *conn, const struct host *host, uint16_t port)
{
	const struct rules *rules = rules_current(worker->shared);
	struct refusal refusal;
	const char *budget;
	conn->host = *host;
	conn->port = port;
	// A client that resolves for itself and then asks the explicit proxy.
	if (host->kind == HOST_ADDRESS && names_is_synthetic(&host->address)) {
		const char *name = names_find(worker->shared, &host->address);
		if (name) {
			conn->host = (struct host){ .kind = HOST_NAME };
			memcpy(conn->host.name, name, sizeof(conn->host.name));
		}
	}
	const struct rule *allow = rules_decide(rules, &conn->host, port, worker->routes, &refusal);
	if (!allow) {
		conn->record = record_conn(worker, conn, VERDICT_DENIED,
					   refusal.deny ? refusal.deny->text : "", refusal.why,
					   refusal.fix);
		return false;
	}
	conn->rule = *allow;
	conn->raw = conn->host.kind == HOST_ADDRESS || rules_raw(rules, allow, port);
	conn->budgets = rules_budgets(rules, &conn->host, port);
	conn->record = record_conn(worker, conn, VERDICT_ALLOWED, allow->text, "", FIX_NONE);
	if (record_over_budget(worker, conn, &budget)) {
		conn->record = record_conn(worker, conn, VERDICT_DENIED, budget,
					   "its budget is used up", FIX_NONE);
		return false;
	}
	dial_begin(worker, conn);
	return true;
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
	conn->burst = true;
	conn->flow[CLIENT].allowance = 0;
	flow_clear(&conn->flow[SERVER], UNLIMITED_PASS);
	if (conn->dialing == DIAL_OPEN)
		conn_deadline(worker, conn, LASTING_MILLISECONDS);
}
