// Owns what is remembered of connections, and the budgets.
#include <stdio.h>

#include "base/fd.h"
#include "base/str.h"
#include "net/rules.h"
#include "net/worker.h"

enum { FLUSH_MILLISECONDS = 1000 };

static void send_record(struct worker *worker, int index, enum report_kind kind)
{
	struct report report = { .kind = kind, .record = worker->records[index] };
	struct record *record = &worker->records[index];
	fd_send(worker->control, &report, sizeof(report), NULL, 0);
	record->count = 0;
	record->up = record->down = 0;
	worker->dirty[index] = false;
}

void record_flush(struct worker *worker)
{
	for (unsigned i = 0; worker->any_dirty && i < worker->record_count; i++)
		if (worker->dirty[i])
			send_record(worker, (int)i, REPORT_RECORD);
	worker->any_dirty = false;
	worker->next_flush = worker->now + FLUSH_MILLISECONDS;
}

bool record_alike(const struct record *left, const struct record *right)
{
	return left->verdict == right->verdict && left->port == right->port &&
	       host_equal(&left->host, &right->host) && str_equal(left->why, right->why) &&
	       str_equal(left->rule, right->rule);
}

int record_add(struct worker *worker, const struct record *like)
{
	unsigned index = 0;
	while (index < worker->record_count && !record_alike(&worker->records[index], like))
		index++;
	// The last place is for all that find no other.
	if (index == RECORDS_MOST) {
		index = RECORDS_MOST - 1;
		record_flush(worker);
		worker->record_count = index;
	}
	struct record *record = &worker->records[index];
	bool fresh = index == worker->record_count;
	if (fresh) {
		*record = *like;
		worker->record_count = index + 1;
	}
	record->count++;
	record->source = like->source;
	worker->dirty[index] = true;
	worker->any_dirty = true;
	// At once, and waited for: whose it was can only be found while the program waits, too. Not
	// for the rest: who asks for a thousand names is known by then.
	bool waited = fresh && index < RECORDS_MOST - 1;
	if (waited) {
		worker->unseen++;
		send_record(worker, (int)index, REPORT_NEW);
	}
	while (waited && worker->unseen)
		worker_take_order(worker);
	return (int)index;
}

int record_slot(struct worker *worker, const struct slot *slot, enum verdict verdict,
		const char *rule, const char *why, bool by_rule)
{
	struct record record = { .host = slot->host,
				 .port = slot->port,
				 .verdict = verdict,
				 .by_rule = by_rule,
				 .explicit_proxy = slot->explicit_proxy,
				 .source = slot->source };
	snprintf(record.rule, sizeof(record.rule), "%s", rule);
	snprintf(record.why, sizeof(record.why), "%s", why);
	return record_add(worker, &record);
}

static void spend(struct worker *worker, const struct slot *slot, enum budget_kind kind,
		  uint64_t amount)
{
	const struct rules *rules = rules_current(worker->shared);
	for (unsigned i = 0; i < rules->budget_count; i++)
		if ((slot->budgets >> i & 1) && rules->budgets[i].kind == kind)
			atomic_fetch_add_explicit(&worker->shared->spent[i], amount,
						  memory_order_relaxed);
}

void record_address(struct worker *worker, struct slot *slot, const struct address *address)
{
	struct host at = { .kind = HOST_ADDRESS, .address = *address };
	if (slot->record >= 0) {
		worker->records[slot->record].dialled = true;
		worker->records[slot->record].address = *address;
	}
	if (slot->by_proxy || slot->host.kind != HOST_NAME)
		return;
	uint64_t budgets = slot->budgets;
	slot->budgets = rules_budgets(rules_current(worker->shared), &at, slot->port) & ~budgets;
	spend(worker, slot, BUDGET_CONNECTIONS, 1);
	slot->budgets |= budgets;
}

bool record_over_budget(struct worker *worker, struct slot *slot, const char **ret_text)
{
	const struct rules *rules = rules_current(worker->shared);
	spend(worker, slot, BUDGET_CONNECTIONS, slot->fd[SERVER] < 0);
	for (unsigned i = 0; i < rules->budget_count; i++) {
		if (!(slot->budgets >> i & 1) || rules->budgets[i].kind == BUDGET_RATE)
			continue;
		*ret_text = rules->budgets[i].text;
		if (atomic_load_explicit(&worker->shared->spent[i], memory_order_relaxed) >
		    rules->budgets[i].most)
			return true;
	}
	return false;
}

void record_bytes(struct worker *worker, struct slot *slot, enum side from, uint64_t bytes)
{
	const char *budget;
	if (slot->record >= 0 && worker->records[slot->record].verdict == VERDICT_ALLOWED) {
		struct record *record = &worker->records[slot->record];
		record->up += from == CLIENT ? bytes : 0;
		record->down += from == SERVER ? bytes : 0;
		worker->dirty[slot->record] = true;
		worker->any_dirty = true;
	}
	if (!slot->budgets)
		return;
	spend(worker, slot, from == CLIENT ? BUDGET_UPLOAD : BUDGET_DOWNLOAD, bytes);
	spend(worker, slot, BUDGET_RATE, bytes);
	if (slot->fd[SERVER] >= 0 && record_over_budget(worker, slot, &budget)) {
		record_slot(worker, slot, VERDICT_DENIED, budget, "its budget is used up", false);
		slot_reset(worker, slot);
	}
}

// A rate is bytes per second since the first connection, with a second's worth in advance.
bool record_must_wait(struct worker *worker, const struct slot *slot)
{
	const struct rules *rules = rules_current(worker->shared);
	for (unsigned i = 0; slot->budgets && i < rules->budget_count; i++) {
		const struct budget *budget = &rules->budgets[i];
		if (!(slot->budgets >> i & 1) || budget->kind != BUDGET_RATE)
			continue;
		double seconds = 1 + (double)(worker->now - worker->rate_start) / 1000;
		uint64_t spent =
			atomic_load_explicit(&worker->shared->spent[i], memory_order_relaxed);
		if ((double)spent > (double)budget->most * seconds)
			return true;
	}
	return false;
}
