// Owns the opener's record of refusals and uses. The supervisor reads it at the end.
#include "secrets/opener/bridge.h"

#include <stdio.h>
#include <string.h>

void notes_refusal(struct opener *opener, const struct bridge *bridge, const char *why, bool failed)
{
	const struct exchange *exchange = &bridge->exchange;
	struct refused refused;
	char what[HOST_NAME_BYTES_MAX + 8];
	snprintf(what, sizeof(what), "%s:%u", exchange->host.name, exchange->port);
	refused_set(&refused, REFUSED_SECRET, what, why);
	refused.failed = failed;
	refused_note(&opener->record->refused, &refused);
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
