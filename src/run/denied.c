// Owns the words of denials.
#include "run/denied.h"

#include <string.h>

#include "base/denials.h"
#include "base/out.h"
#include "base/str.h"
#include "plan.h"
#include "policy/keys.h"

static const struct key *key_of(const struct denial *denial)
{
	return denial->flag ? key_find_flag(VERB_RUN, denial->flag, strlen(denial->flag)) : NULL;
}

static const char *what_of(const struct denial *denial)
{
	if (str_equal(denial->kind, "write"))
		return "writing ";
	return str_equal(denial->kind, "execute") ? "running " : "";
}

static void begin(const struct denial *denial, struct out *out)
{
	out_text(out, "sbx: %s %s%s", denial->verb, what_of(denial), denial->what);
	if (denial->program[0])
		out_text(out, " (%s)", denial->program);
	if (denial->count > 1)
		out_text(out, ", %u times", denial->count);
	out_text(out, ": %s", denial->why);
	if (denial->rule[0])
		out_text(out, " (%s)", denial->rule);
}

static void tell_lost(const struct denials *denials, struct out *out)
{
	if (denials->lost)
		out_text(out, "sbx: %llu more refusals are not told apart\n",
			 (unsigned long long)denials->lost);
}

void denied_text(const struct denials *denials, struct out *out)
{
	for (unsigned i = 0; i < denials->count; i++) {
		const struct denial *denial = &denials->all[i];
		begin(denial, out);
		if (denial->flag)
			out_text(out, "; to allow: --%s %s", denial->flag, denial->value);
		out_text(out, "\n");
	}
	tell_lost(denials, out);
}

void denied_model(const struct plan *plan, const struct denials *denials, struct out *out)
{
	bool any = false;
	for (unsigned i = 0; i < denials->count; i++) {
		const struct denial *denial = &denials->all[i];
		const struct key *key = key_of(denial);
		begin(denial, out);
		if (key)
			out_text(out, "; the user could allow it: [%s] %s = %s", key->section,
				 key->name, denial->value);
		any = any || key;
		out_text(out, "\n");
	}
	tell_lost(denials, out);
	if (!any)
		return;
	out_text(out, "sbx: this is the user's policy, not a fault: go on without it, or ask the "
		      "user to add the "
		      "line to ");
	// A profile is named, or a file by its path.
	if (strchr(plan->profile_name, '/'))
		out_text(out, "%s\n", plan->profile_name);
	else
		out_text(out, "%s/%s.ini\n", plan->config, plan->profile_name);
}

void denied_json(const struct denials *denials, struct out *out)
{
	json_open(out, "denied", '[');
	for (unsigned i = 0; i < denials->count; i++) {
		const struct denial *denial = &denials->all[i];
		const struct key *key = key_of(denial);
		json_open(out, NULL, '{');
		json_string(out, "kind", denial->kind);
		json_string(out, "what", denial->what);
		json_string(out, "program", denial->program);
		json_number(out, "count", denial->count);
		json_string(out, "why", denial->why);
		json_string(out, "rule", denial->rule);
		if (key) {
			json_string(out, "flag", key->flag);
			json_string(out, "section", key->section);
			json_string(out, "key", key->name);
			json_string(out, "value", denial->value);
		}
		json_close(out, '}');
	}
	json_close(out, ']');
}
