// Owns a run's reports of its connections.

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "net/host/destinations.h"
#include "net/host/proxy.h"
#include "net/setup/netns.h"
#include "report/findings.h"
#include "run.h"
#include "text/destination.h"

void refusals_unheard(const struct proxy *proxy, struct findings *found)
{
	char port[8], count[40], order[16] = "";
	for (unsigned i = 0; proxy->shared && i < DOORS_MAX; i++) {
		const struct publish *at = &proxy->ports[i];
		unsigned unheard = atomic_load(&proxy->shared->unheard[i]);
		bool reversed = proxy->doors[i].reversed;
		snprintf(port, sizeof(port), "%u", at->inside);
		if (unheard)
			snprintf(count, sizeof(count), "%u connection%s", unheard,
				 unheard == 1 ? "" : "s");
		else
			snprintf(count, sizeof(count), "port %u outside stayed closed",
				 at->outside);
		if (reversed)
			snprintf(order, sizeof(order), "%u:%u", at->outside, at->inside);
		if (unheard || reversed)
			findings_add(found, FINDING_UNHEARD, port, count, reversed ? order : "");
	}
}

void refusals_explain(const struct plan *plan, const struct proxy *proxy, struct findings *found)
{
	if (proxy->connections && !proxy->redirected && !proxy->relayed)
		findings_add(found, FINDING_PORTS, "",
			     plan->inside ? "inside a box nothing can be redirected"
					  : "this kernel cannot redirect (nf_tables with TPROXY)",
			     "");
}

void refusals_used(const struct proxy *proxy, struct denials *denials)
{
	char where[HOST_PORT_TEXT_MAX];
	const struct seen_list *list = proxy->connections ? &proxy->connections->allowed : NULL;
	for (unsigned i = 0; list && i < list->count; i++) {
		const struct conn_record *record = &list->all[i].record;
		if (record->rule[0] != '*' || record->rule[1] == '.')
			continue;
		host_port_text(&record->host, record->port, where);
		struct denial *used = denials_add(denials, "used", where, "", list->all[i].program);
		if (!used)
			continue;
		str_put(used->flag, sizeof(used->flag), "allow");
		snprintf(used->value, sizeof(used->value), "%s", where);
	}
}

// Programs that look for a newer version at start, which no variable prevents. `program`: comm.
static const struct {
	const char *program, *host;
} update_checks[] = {
	{ "yarn", "yarnpkg.com" }, // yarn 1: constants.js, SELF_UPDATE_VERSION_URL
	// jupyterlab/handlers/announcements.py
	{ "jupyter-lab", "pypi.org" },
	{ "jupyter-lab", "jupyterlab.github.io" },
	{ "k9s", "api.github.com" }, // internal/view/app.go
	{ "lazygit", "github.com" }, // pkg/updates/updates.go
};

static bool is_update_check(const struct name_seen *seen)
{
	char host[HOST_NAME_BYTES_MAX + 1];
	host_text(&seen->record.host, host);
	for (size_t i = 0; i < sizeof(update_checks) / sizeof(*update_checks); i++)
		if (seen->record.port == 443 && str_equal(update_checks[i].host, host) &&
		    str_equal(update_checks[i].program, seen->program))
			return true;
	return false;
}

// `noted`: the list of denials has this one already, or is full.
enum { NOTED_ELSEWHERE = UINT16_MAX };

static void note_one(const struct plan *plan, struct name_seen *seen, struct denials *denials)
{
	static const enum suffix suffixes[] = { [FIX_RAW] = SUFFIX_RAW, [FIX_ECH] = SUFFIX_ECH };
	const struct conn_record *record = &seen->record;
	char where[HOST_PORT_TEXT_MAX], why[DENIAL_TEXT];
	host_port_text(&record->host, record->port, where);
	bool denied = record->verdict == VERDICT_DENIED;
	const char *flag = record->fix == FIX_NONE ? NULL : "allow";
	const char *closed = flag ? egress_closed(plan, &record->host, record->port, &flag) : NULL;
	snprintf(why, sizeof(why),
		 closed ? "'%s' names another registry, which the box does not see" : "%s",
		 closed ? closed : record->why);
	struct denial *denial =
		denials_add(denials, "connect", where, why, record->port ? seen->program : "");
	seen->noted = NOTED_ELSEWHERE;
	if (!denial)
		return;
	seen->noted = (unsigned short)denials->count;
	str_put(denial->verb, sizeof(denial->verb), denied ? "blocked" : "could not reach");
	denial->count = record->count;
	denial->update_check = denied && is_update_check(seen);
	str_put(denial->flag, sizeof(denial->flag), "%s", flag ? flag : "");
	snprintf(denial->rule, sizeof(denial->rule), "%s", denied ? record->rule : "");
	snprintf(denial->value, sizeof(denial->value), "%s%s",
		 closed ? closed
		 : flag ? where
			: "",
		 closed ? "" : destination_suffix(suffixes[record->fix]));
}

void refusals_tell(const struct plan *plan, const struct run *run, const struct conn_record *record,
		   const struct owner_search *who)
{
	struct name_seen seen = { .record = *record };
	struct denials one = { 0 };
	memcpy(seen.program, who->program, OWNER_NAME);
	note_one(plan, &seen, &one);
	run->denied(run, who->found, record->time, &one.all[0]);
	denials_free(&one);
}

uint64_t refusals_count(const struct proxy *proxy)
{
	const struct seen_list *list = proxy->connections ? &proxy->connections->refused : NULL;
	uint64_t count = list ? list->more : 0;
	for (unsigned i = 0; list && i < list->count; i++)
		count += list->all[i].record.verdict == VERDICT_DENIED;
	return count;
}

void refusals_new(const struct plan *plan, struct proxy *proxy, struct denials *denials)
{
	struct seen_list *list = proxy->connections ? &proxy->connections->refused : NULL;
	for (unsigned i = 0; list && i < list->count; i++)
		if (!list->all[i].noted)
			note_one(plan, &list->all[i], denials);
}

void refusals_report(const struct plan *plan, struct proxy *proxy, struct denials *denials)
{
	const struct seen_list *list = proxy->connections ? &proxy->connections->refused : NULL;
	refusals_new(plan, proxy, denials);
	for (unsigned i = 0; list && i < list->count; i++)
		if (list->all[i].noted != NOTED_ELSEWHERE)
			denials->all[list->all[i].noted - 1].count = list->all[i].record.count;
	denials->lost += list ? list->more : 0;
}
