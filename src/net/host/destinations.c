// Owns the list of a run's destinations.
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

void seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	       const struct worker_event *report, struct orders *orders)
{
	const struct conn_record *record = &report->record;
	struct owner_search *who = &connections->who;
	struct worker_command told = { .kind = COMMAND_SEEN, .token = report->token };
	bool fresh, allowed = record->verdict == VERDICT_ALLOWED;
	struct name_seen *seen =
		find(allowed ? &connections->allowed : &connections->refused, record, &fresh);
	if (seen && fresh)
		memcpy(seen->program, "?", 2);
	if (seen && fresh && report->kind == EVENT_NEW) {
		owner_find(who, run->init, &record->ends);
		seen->pid = who->found;
		memcpy(seen->program, who->program, OWNER_NAME);
	}
	log_record(plan, connections, record, seen);
	if (report->kind == EVENT_NEW)
		orders_give(orders, &told, NULL, 0);
}

void seen_end(const struct plan *plan, struct connections *connections)
{
	if (connections)
		audit_end(&connections->audit, plan->state);
}
