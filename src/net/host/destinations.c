// Owns the list of a run's destinations and the queue of those whose owner is looked for.
#include "net/host/destinations.h"

#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "run.h"

struct connections *seen_new(int owners, const char *project)
{
	struct connections *connections = calloc(1, sizeof(*connections));
	if (connections) {
		owner_new(&connections->who, owners);
		connections->audit.fd = -1;
		connections->audit.project = project;
	}
	return connections;
}

static void tell(const struct sought *sought)
{
	struct worker_command order = { .kind = COMMAND_SEEN, .token = sought->token };
	orders_give(sought->orders, &order, NULL, 0);
}

static void log_record(const struct plan *plan, struct connections *connections,
		       const struct conn_record *record, const struct name_seen *seen)
{
	audit_take(&connections->audit, plan->state, record, seen ? seen->pid : 0,
		   seen ? seen->program : "?");
}

// Its place, or NULL when all are taken. Those that are refused leave the others theirs.
static struct name_seen *find(struct seen_list *list, const struct conn_record *record,
			      bool *ret_fresh)
{
	unsigned index = 0;
	while (index < list->count && !record_alike(&list->all[index].record, record))
		index++;
	*ret_fresh = index == list->count;
	if (index == SEEN_MAX) {
		list->more += record->count;
		return NULL;
	}
	struct name_seen *seen = &list->all[index];
	if (*ret_fresh) {
		seen->record = *record;
		list->count++;
	} else {
		seen->record.count += record->count;
		seen->record.up += record->up;
		seen->record.down += record->down;
	}
	return seen;
}

static void add_sought(const struct run *run, struct connections *connections,
		       const struct sought *sought)
{
	connections->sought[connections->sought_count++] = *sought;
	if (connections->sought_count == 1)
		owner_begin(&connections->who, run->init, &sought->record.ends);
}

void seen_seek(const struct run *run, struct connections *connections,
	       struct host_question *question, const struct conn_record *record)
{
	struct sought sought = { NULL, question, *record, NULL, 0 };
	memcpy(question->program, "?", 2);
	question->known = connections->sought_count == SOUGHT_MAX;
	if (!question->known)
		add_sought(run, connections, &sought);
}

static void found(const struct plan *plan, struct connections *connections, struct sought *sought)
{
	const struct owner_search *who = &connections->who;
	if (sought->question) {
		if (who->program[0])
			memcpy(sought->question->program, who->program, OWNER_NAME);
		sought->question->known = true;
		return;
	}
	sought->seen->pid = who->found;
	memcpy(sought->seen->program, who->program, OWNER_NAME);
	sought->seen->known = true;
	log_record(plan, connections, &sought->record, sought->seen);
	tell(sought);
}

void seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	       const struct worker_event *report, struct orders *orders)
{
	const struct conn_record *record = &report->record;
	bool fresh, allowed = record->verdict == VERDICT_ALLOWED;
	struct name_seen *seen =
		find(allowed ? &connections->allowed : &connections->refused, record, &fresh);
	struct sought sought = { seen, NULL, *record, orders, report->token };
	bool waits = report->kind == EVENT_NEW;
	if (seen && fresh && waits && connections->sought_count < SOUGHT_MAX) {
		add_sought(run, connections, &sought);
		return;
	}
	if (seen && fresh) {
		memcpy(seen->program, "?", 2);
		seen->known = true;
	}
	log_record(plan, connections, record, seen);
	if (waits)
		tell(&sought);
}

bool seen_seeks(const struct connections *connections)
{
	return connections && connections->sought_count > 0;
}

void seen_look(const struct plan *plan, struct connections *connections)
{
	struct sought *first = connections->sought;
	if (!owner_step(&connections->who))
		return;
	found(plan, connections, first);
	connections->sought_count--;
	memmove(first, first + 1, connections->sought_count * sizeof(*first));
	if (connections->sought_count)
		owner_begin(&connections->who, connections->who.init, &first->record.ends);
}

void seen_end(const struct plan *plan, struct connections *connections)
{
	if (connections)
		audit_end(&connections->audit, plan->state);
}
