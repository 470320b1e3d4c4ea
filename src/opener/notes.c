// Owns the record of what the opener did, which the supervisor reads at the end.
#include "opener/bridge.h"

#include <stdio.h>
#include <string.h>

void notes_refusal(struct opener *opener, const struct bridge *bridge, const char *why, bool failed)
{
	struct opener_record *record = opener->record;
	const struct exchange *exchange = &bridge->exchange;
	for (unsigned i = 0; i < OPENER_REFUSALS_MAX; i++) {
		bool free = record->refusals[i].count == 0;
		if (!free && (record->refusals[i].port != exchange->port ||
			      strcmp(record->refusals[i].host, exchange->host.name) != 0 ||
			      strcmp(record->refusals[i].why, why) != 0))
			continue;
		if (free) {
			snprintf(record->refusals[i].host, sizeof(record->refusals[i].host), "%s",
				 exchange->host.name);
			snprintf(record->refusals[i].why, sizeof(record->refusals[i].why), "%s",
				 why);
			record->refusals[i].port = exchange->port;
			record->refusals[i].failed = failed;
		}
		record->refusals[i].count++;
		return;
	}
	record->lost++;
}

void notes_uses(struct opener *opener, struct exchange *exchange)
{
	struct opener_record *record = opener->record;
	for (unsigned secret = 0; secret < opener->ring.count; secret++) {
		if (!(exchange->fresh >> secret & 1))
			continue;
		for (unsigned i = 0; i < OPENER_USES_MAX; i++) {
			if (record->uses[i].times &&
			    (record->uses[i].secret != secret ||
			     strcmp(record->uses[i].host, exchange->host.name) != 0))
				continue;
			record->uses[i].secret = secret;
			snprintf(record->uses[i].host, sizeof(record->uses[i].host), "%s",
				 exchange->host.name);
			record->uses[i].times++;
			break;
		}
	}
	exchange->fresh = 0;
}
