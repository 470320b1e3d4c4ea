// Owns the table in which the opener and the SSH agent note their refusals.
#include "report/findings.h"

#include <stdio.h>

#include "base/base.h"

void refused_set(struct refused *ret, enum refused_kind kind, const char *what, const char *why)
{
	*ret = (struct refused){ .kind = kind };
	snprintf(ret->what, sizeof(ret->what), "%s", what);
	snprintf(ret->why, sizeof(ret->why), "%s", why);
}

void refused_note(struct refused_table *table, const struct refused *refused)
{
	if (refused->kind == REFUSED_NOTHING)
		return;
	for (unsigned i = 0; i < table->count && i < REFUSED_MAX; i++) {
		struct refused *known = &table->all[i];
		if (known->kind == refused->kind && str_equal(known->what, refused->what)) {
			known->count++;
			return;
		}
	}
	if (table->count >= REFUSED_MAX) {
		table->lost++;
		return;
	}
	table->all[table->count] = *refused;
	table->all[table->count++].count = 1;
}

bool refused_denial(struct refused refused, struct denial *ret)
{
	static const char *const kinds[REFUSED_KINDS] = {
		[REFUSED_SECRET] = "secret",
		[REFUSED_AGENT] = "agent",
		[REFUSED_SIGNATURE] = "signature",
	};
	static const char *const flags[REFUSED_FLAGS] = {
		[REFUSED_AGENT_HOST] = "agent-host",
		[REFUSED_AGENT_KEY] = "agent-key",
		[REFUSED_AGENT_SIGN] = "agent-sign",
	};
	if (refused.kind >= REFUSED_KINDS || !kinds[refused.kind] || refused.flag >= REFUSED_FLAGS)
		return false;
	refused.what[sizeof(refused.what) - 1] = '\0';
	refused.why[sizeof(refused.why) - 1] = '\0';
	refused.value[sizeof(refused.value) - 1] = '\0';
	*ret = (struct denial){ .count = refused.count };
	str_put(ret->kind, sizeof(ret->kind), "%s", kinds[refused.kind]);
	snprintf(ret->what, sizeof(ret->what), "%s", str_shown(refused.what));
	snprintf(ret->why, sizeof(ret->why), "%s", str_shown(refused.why));
	str_put(ret->verb, sizeof(ret->verb), refused.failed ? "could not reach" : "blocked");
	str_put(ret->flag, sizeof(ret->flag), "%s", flags[refused.flag] ? flags[refused.flag] : "");
	snprintf(ret->value, sizeof(ret->value), "%s", str_shown(refused.value));
	return true;
}

void refused_collect(const struct refused_table *table, struct denials *denials)
{
	struct denial denial;
	for (unsigned i = 0; table && i < table->count && i < REFUSED_MAX; i++)
		if (refused_denial(table->all[i], &denial))
			denials_add_copy(denials, &denial);
	denials->lost += table ? table->lost : 0;
}
