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
	}
	return seen;
}

static void take_one(const struct plan *plan, const struct run *run,
		     struct connections *connections, const struct conn_record *record, bool first)
{
	struct owner_search *who = &connections->who;
	bool fresh, allowed = record->verdict == VERDICT_ALLOWED;
	if (allowed && !record->port) {
		audit_take(&connections->audit, plan->state, record, 0, "?",
			   &connections->unlogged_questions);
		return;
	}
	struct name_seen *seen =
		find(allowed ? &connections->allowed : &connections->refused, record, &fresh);
	bool heard = !allowed && run->watched;
	who->found = 0;
	memcpy(who->program, "?", 2);
	if (first && (heard || (seen && fresh)))
		owner_find(who, run->init, &record->ends);
	if (heard)
		refusals_tell(plan, run, record, who);
	if (seen && fresh) {
		seen->pid = who->found;
		memcpy(seen->program, who->program, OWNER_NAME);
	}
	audit_take(&connections->audit, plan->state, record, seen ? seen->pid : 0,
		   seen ? seen->program : "?",
		   seen ? &seen->unlogged : &connections->unlogged[record->verdict]);
}

void seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	       const struct worker_event *report, struct orders *orders)
{
	struct worker_command seen = { .kind = COMMAND_SEEN, .token = report->token };
	for (unsigned i = 0; i < report->count; i++)
		take_one(plan, run, connections, &report->records[i], report->kind == EVENT_NEW);
	if (report->kind == EVENT_NEW)
		orders_give(orders, &seen, NULL, 0);
}

static void end_list(struct connections *connections, const struct seen_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		audit_rest(&connections->audit, &list->all[i].record, &list->all[i].unlogged);
}

void seen_end(const struct plan *plan, struct connections *connections)
{
	if (!connections)
		return;
	end_list(connections, &connections->allowed);
	end_list(connections, &connections->refused);
	for (enum conn_verdict verdict = 0; verdict < VERDICTS; verdict++)
		audit_rest(&connections->audit,
			   &(struct conn_record){ .verdict = verdict,
						  .why = "more than are listed singly" },
			   &connections->unlogged[verdict]);
	audit_rest(&connections->audit,
		   &(struct conn_record){ .verdict = VERDICT_ALLOWED,
					  .why = "more names were asked for" },
		   &connections->unlogged_questions);
	audit_end(&connections->audit, plan->state);
}
