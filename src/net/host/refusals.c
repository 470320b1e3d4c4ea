// Owns what a run says of its connections when it has ended.
#include <stdio.h>
#include <string.h>

#include "base/denials.h"
#include "base/destination.h"
#include "base/host.h"
#include "base/out.h"
#include "net/host/proxy.h"
#include "net/host/seen.h"
#include "run.h"

void proxy_explain(const struct plan *plan, const struct proxy *proxy, struct out *out)
{
	if (proxy->connections && !proxy->redirected && !proxy->relayed)
		out_text(out,
			 "sbx: %s: of names without ports only usual ones lead out; name the "
			 "others, as in host:8443\n",
			 plan->inside ? "inside a box nothing can be redirected"
				      : "this kernel cannot redirect (nf_tables with TPROXY)");
}

enum { WHERE_MOST = HOST_NAME_MOST + 16 };

static void write_where(const struct record *record, char where[WHERE_MOST])
{
	char host[HOST_NAME_MOST + 1];
	host_text(&record->host, host);
	bool bracket = strchr(host, ':') != NULL, port = record->port != 0;
	snprintf(where, WHERE_MOST,
		 bracket && port ? "[%s]:%u"
		 : port          ? "%s:%u"
				 : "%s",
		 host, record->port);
}

void proxy_used(const struct proxy *proxy, struct denials *denials)
{
	char where[WHERE_MOST];
	const struct seen_list *list = proxy->connections ? &proxy->connections->allowed : NULL;
	for (unsigned i = 0; list && i < list->count; i++) {
		const struct record *record = &list->all[i].record;
		if (record->rule[0] != '*' || record->rule[1] == '.')
			continue;
		write_where(record, where);
		struct denial *used = denials_add(denials, "used", where, list->all[i].program);
		if (!used)
			continue;
		used->flag = "allow-domain";
		snprintf(used->value, sizeof(used->value), "%s", where);
	}
}

void proxy_report(const struct proxy *proxy, struct denials *denials)
{
	static const enum suffix suffixes[] = { [FIX_RAW] = SUFFIX_RAW, [FIX_ECH] = SUFFIX_ECH };
	const struct seen_list *list = proxy->connections ? &proxy->connections->refused : NULL;
	for (unsigned i = 0; list && i < list->count; i++) {
		const struct seen *seen = &list->all[i];
		const struct record *record = &seen->record;
		char where[WHERE_MOST];
		write_where(record, where);
		struct denial *denial = denials_add(denials, "connect", where, seen->program);
		if (!denial)
			continue;
		bool denied = record->verdict == VERDICT_DENIED;
		denial->verb = denied ? "blocked" : "could not reach";
		denial->count = record->count;
		snprintf(denial->why, sizeof(denial->why), "%s", record->why);
		snprintf(denial->rule, sizeof(denial->rule), "%s", denied ? record->rule : "");
		denial->flag = record->fix == FIX_NONE ? NULL : "allow-domain";
		snprintf(denial->value, sizeof(denial->value), "%s%s",
			 record->fix == FIX_NONE ? "" : where,
			 destination_suffix(suffixes[record->fix]));
	}
	denials->lost += list ? list->more : 0;
}
