// Owns the list of a run's destinations and the queue of those whose owner is looked for.
#include "net/host/seen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fd.h"
#include "plan.h"
#include "run.h"

struct connections *seen_new(int owners)
{
	struct connections *connections = calloc(1, sizeof(*connections));
	if (connections) {
		owner_new(&connections->who, owners);
		connections->audit.fd = -1;
	}
	return connections;
}

// A worker that is gone is noticed elsewhere.
static int tell(const struct sought *sought)
{
	struct worker_command order = { .kind = COMMAND_SEEN, .token = sought->token };
	if (fd_send(sought->control, &order, sizeof(order), NULL, 0) < 0 && errno == EAGAIN)
		return fail(0, "the proxy does not listen");
	return 0;
}

static void log_record(const struct plan *plan, struct connections *connections,
		       const struct record *record, const struct seen *seen)
{
	audit_take(&connections->audit, plan->state, record, seen ? seen->pid : 0,
		   seen ? seen->program : "?");
}

// Its place, or NULL when all are taken. Those that are refused leave the others theirs.
static struct seen *find(struct seen_list *list, const struct record *record, bool *ret_fresh)
{
	unsigned index = 0;
	while (index < list->count && !record_alike(&list->all[index].record, record))
		index++;
	*ret_fresh = index == list->count;
	if (index == SEEN_MOST) {
		list->more += record->count;
		return NULL;
	}
	struct seen *seen = &list->all[index];
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

int seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	      const struct worker_event *report, int control)
{
	const struct record *record = &report->record;
	bool fresh, allowed = record->verdict == VERDICT_ALLOWED;
	struct seen *seen =
		find(allowed ? &connections->allowed : &connections->refused, record, &fresh);
	struct sought sought = { seen, *record, control, report->token };
	bool waits = report->kind == EVENT_NEW;
	if (seen && fresh && waits && connections->sought_count < SOUGHT_MOST) {
		connections->sought[connections->sought_count++] = sought;
		if (connections->sought_count == 1)
			owner_begin(&connections->who, run->init, &record->ends);
		return 0;
	}
	if (seen && fresh)
		memcpy(seen->program, "?", 2);
	log_record(plan, connections, record, seen);
	return waits ? tell(&sought) : 0;
}

bool seen_seeks(const struct connections *connections)
{
	return connections && connections->sought_count > 0;
}

int seen_look(const struct plan *plan, struct connections *connections)
{
	struct sought *first = connections->sought;
	if (!owner_step(&connections->who))
		return 0;
	first->seen->pid = connections->who.found;
	memcpy(first->seen->program, connections->who.program, OWNER_NAME);
	log_record(plan, connections, &first->record, first->seen);
	int result = tell(first);
	connections->sought_count--;
	memmove(first, first + 1, connections->sought_count * sizeof(*first));
	if (connections->sought_count)
		owner_begin(&connections->who, connections->who.init, &first->record.ends);
	return result;
}

void seen_end(const struct plan *plan, struct connections *connections)
{
	if (connections)
		audit_end(&connections->audit, plan->state);
}
