// Owns the reports on connections, and the budgets.
#include "net/proxy/conn_record.h"

#include <stdio.h>

#include "base/fd.h"
#include "base/base.h"
#include "net/proxy/worker_state.h"
#include "net/rules/rules.h"

enum { FLUSH_MILLISECONDS = 1000 };

void record_flush(struct worker *worker)
{
	if (worker->unsent.count)
		fd_send(worker->control, &worker->unsent, event_size(&worker->unsent), NULL, 0);
	worker->unsent.count = 0;
}

static void report(struct worker *worker, const struct conn_record *record)
{
	struct worker_event *unsent = &worker->unsent;
	if (unsent->count == RECORDS_AT_ONCE)
		record_flush(worker);
	if (unsent->count == 0)
		worker->next_flush = worker->now + FLUSH_MILLISECONDS;
	unsent->records[unsent->count] = *record;
	unsent->records[unsent->count].time = worker->now;
	unsent->records[unsent->count++].count = 1;
}

void record_refused(struct worker *worker, const struct conn_record *record)
{
	struct worker_event *unsent = &worker->unsent;
	for (unsigned i = 0; i < unsent->count; i++)
		if (record_alike(&unsent->records[i], record)) {
			unsent->records[i].count++;
			return;
		}
	report(worker, record);
	if (atomic_load(&worker->shared->watched))
		record_flush(worker);
}

void record_end(struct worker *worker, struct conn *conn)
{
	if (conn->recorded && conn->record.verdict == VERDICT_ALLOWED)
		report(worker, &conn->record);
	conn->recorded = false;
}

static bool is_known(struct worker *worker, const struct conn_record *record)
{
	char text[HOST_NAME_BYTES_MAX + RULE_TEXT_MAX + REASON_MAX + 64];
	char host[HOST_NAME_BYTES_MAX + 1];
	host_text(&record->host, host);
	snprintf(text, sizeof(text), "%d %s %u %s %s", record->verdict, host, record->port,
		 record->rule, record->why);
	uint64_t hash = str_hash(text);
	for (unsigned i = 0; i < worker->known_count; i++)
		if (worker->known[i] == hash)
			return true;
	if (worker->known_count == KNOWN_MAX)
		return true;
	worker->known[worker->known_count++] = hash;
	return false;
}

// Reports the first record of a kind at once: its owner is found only while the client waits.
static void announce(struct worker *worker, struct conn *conn)
{
	struct worker_event event = {
		.kind = EVENT_NEW,
		.count = 1,
		.token = conn_tag(TAG_CLIENT, conn_index(worker, conn), conn->generation),
		.records = { conn->record },
	};
	event.records[0].count = conn->record.verdict != VERDICT_ALLOWED;
	conn->held++;
	fd_send(worker->control, &event, event_size(&event), NULL, 0);
}

void record_conn(struct worker *worker, struct conn *conn, enum conn_verdict verdict,
		 const char *rule, const char *why, enum fix fix)
{
	struct conn_record *record = &conn->record, before = *record;
	bool allowed = verdict == VERDICT_ALLOWED;
	bool same = allowed && conn->recorded && before.verdict == VERDICT_ALLOWED &&
		    before.port == conn->port && host_equal(&before.host, &conn->host);
	if (!same && (verdict != VERDICT_FAILED || before.dialled))
		record_end(worker, conn);
	if (!same)
		*record = (struct conn_record){ .host = conn->host,
						.port = conn->port,
						.explicit_proxy = conn->explicit_proxy,
						.ends = conn->ends };
	conn->recorded = true;
	record->verdict = verdict;
	record->fix = fix;
	record->time = worker->now;
	snprintf(record->rule, sizeof(record->rule), "%s", rule);
	snprintf(record->why, sizeof(record->why), "%s", why);
	if (!is_known(worker, record) || (!allowed && atomic_load(&worker->shared->watched)))
		announce(worker, conn);
	else if (!allowed)
		record_refused(worker, record);
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
	conn->record.dialled = true;
	conn->record.address = *address;
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
	conn->record.up += from == CLIENT ? bytes : 0;
	conn->record.down += from == SERVER ? bytes : 0;
	if (!conn->budgets)
		return TURN_MOVED;
	spend(worker, conn, from == CLIENT ? BUDGET_UPLOAD : BUDGET_DOWNLOAD, bytes);
	if (conn->fd[SERVER] < 0 || !record_over_budget(worker, conn, &budget))
		return TURN_MOVED;
	record_conn(worker, conn, VERDICT_DENIED, budget, "its budget is used up", FIX_NONE);
	return TURN_RESET;
}
