// Owns what is remembered of connections, and the budgets.
#include "net/proxy/conn_record.h"

#include <stdio.h>

#include "base/fd.h"
#include "net/proxy/worker_state.h"
#include "net/rules/rules.h"

enum { FLUSH_MILLISECONDS = 1000 };

static void send_record(struct worker *worker, int index, enum worker_event_kind kind,
			uint64_t token)
{
	struct conn_record *record = &worker->records[index];
	struct worker_event report = { .kind = kind, .record = *record, .token = token };
	fd_send(worker->control, &report, sizeof(report), NULL, 0);
	record->count = record->visit_count = 0;
	record->batch++;
	record->up = record->down = 0;
	worker->dirty[index] = false;
}

static void send_dirty(struct worker *worker, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		if (worker->dirty[i])
			send_record(worker, (int)i, EVENT_RECORD, 0);
}

void record_flush(struct worker *worker)
{
	if (worker->any_dirty) {
		send_dirty(worker, 0, worker->record_count);
		send_dirty(worker, RECORDS_MAX, RECORDS_MAX + worker->used);
		send_dirty(worker, RECORDS_ALL - 1, RECORDS_ALL);
	}
	worker->any_dirty = false;
}

// Reported within a second: by then it is known where it went, and what passed.
static void soil(struct worker *worker, int index)
{
	if (!worker->any_dirty)
		worker->next_flush = worker->now + FLUSH_MILLISECONDS;
	worker->dirty[index] = worker->any_dirty = true;
}

// A place that nobody else's record takes while the connection lasts: of the destination, or, when
// there are too many of them, the connection's own.
static unsigned find_place(struct worker *worker, const struct conn *conn,
			   const struct conn_record *like, bool *ret_fresh)
{
	unsigned index = 0;
	while (index < worker->record_count && !record_alike(&worker->records[index], like))
		index++;
	*ret_fresh = index == worker->record_count;
	if (index < RECORDS_MAX) {
		worker->record_count += *ret_fresh;
		return index;
	}
	index = conn ? RECORDS_MAX + conn_index(worker, conn) : RECORDS_ALL - 1;
	*ret_fresh = !record_alike(&worker->records[index], like);
	if (*ret_fresh && worker->dirty[index])
		send_record(worker, (int)index, EVENT_RECORD, 0);
	return index;
}

int record_add(struct worker *worker, struct conn *conn, const struct conn_record *like)
{
	bool fresh;
	unsigned index = find_place(worker, conn, like, &fresh);
	struct conn_record *record = &worker->records[index];
	if (fresh)
		*record = *like;
	if (record->visit_count == VISITS_MAX)
		send_record(worker, (int)index, EVENT_RECORD, 0);
	record->count++;
	record->ends = like->ends;
	soil(worker, (int)index);
	// At once, and the client waits: whose it is can only be found while it does. Not for the
	// rest: who asks for a thousand names is known by then.
	if (fresh && index < RECORDS_MAX && conn) {
		uint64_t token = conn_tag(TAG_CLIENT, conn_index(worker, conn), conn->generation);
		bool counts = record->verdict != VERDICT_ALLOWED;
		record->count -= !counts; // it is reported with where it went
		conn->held++;
		send_record(worker, (int)index, EVENT_NEW, token);
		record->count += !counts;
		worker->dirty[index] = !counts;
	}
	if (conn && record->verdict == VERDICT_ALLOWED) {
		conn->visit = record->visit_count++;
		conn->visit_batch = record->batch;
		record->visits[conn->visit] = (struct visit){ .time = worker->now };
	}
	return (int)index;
}

int record_conn(struct worker *worker, struct conn *conn, enum conn_verdict verdict,
		const char *rule, const char *why, enum fix fix)
{
	struct conn_record record = { .host = conn->host,
				      .port = conn->port,
				      .verdict = verdict,
				      .fix = fix,
				      .explicit_proxy = conn->explicit_proxy,
				      .ends = conn->ends };
	snprintf(record.rule, sizeof(record.rule), "%s", rule);
	snprintf(record.why, sizeof(record.why), "%s", why);
	return record_add(worker, conn, &record);
}

static void spend(struct worker *worker, const struct conn *conn, enum budget_kind kind,
		  uint64_t amount)
{
	const struct rules *rules = rules_current(worker->shared);
	for (unsigned i = 0; i < rules->budget_count; i++)
		if ((conn->budgets >> i & 1) && rules->budgets[i].kind == kind)
			atomic_fetch_add_explicit(&worker->shared->spent[i], amount,
						  memory_order_relaxed);
}

void record_address(struct worker *worker, struct conn *conn, const struct address *address)
{
	struct host at = { .kind = HOST_ADDRESS, .address = *address };
	struct conn_record *record = conn->record >= 0 ? &worker->records[conn->record] : NULL;
	conn->dialled = true;
	conn->dialled_to = *address;
	if (record && record->verdict == VERDICT_ALLOWED && record->batch == conn->visit_batch) {
		record->visits[conn->visit].dialled = true;
		record->visits[conn->visit].address = *address;
	}
	if (conn->by_proxy || conn->host.kind != HOST_NAME)
		return;
	conn->budgets |= rules_budgets(rules_current(worker->shared), &at, conn->port);
}

bool record_over_budget(struct worker *worker, struct conn *conn, const char **ret_text)
{
	const struct rules *rules = rules_current(worker->shared);
	for (unsigned i = 0; i < rules->budget_count; i++) {
		if (!(conn->budgets >> i & 1))
			continue;
		*ret_text = rules->budgets[i].text;
		if (atomic_load_explicit(&worker->shared->spent[i], memory_order_relaxed) >
		    rules->budgets[i].most)
			return true;
	}
	return false;
}

enum turn record_bytes(struct worker *worker, struct conn *conn, enum peer_side from,
		       uint64_t bytes)
{
	const char *budget;
	if (conn->record >= 0 && worker->records[conn->record].verdict == VERDICT_ALLOWED) {
		struct conn_record *record = &worker->records[conn->record];
		record->up += from == CLIENT ? bytes : 0;
		record->down += from == SERVER ? bytes : 0;
		soil(worker, conn->record);
	}
	if (!conn->budgets)
		return TURN_MOVED;
	spend(worker, conn, from == CLIENT ? BUDGET_UPLOAD : BUDGET_DOWNLOAD, bytes);
	if (conn->fd[SERVER] < 0 || !record_over_budget(worker, conn, &budget))
		return TURN_MOVED;
	record_conn(worker, conn, VERDICT_DENIED, budget, "its budget is used up", FIX_NONE);
	return TURN_RESET;
}
