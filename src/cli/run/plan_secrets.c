// Owns the lines of a plan about secrets: names, places and hosts, never a value.
#include "cli/run/plan_secrets.h"

#include "base/out.h"
#include "base/str.h"
#include "plan.h"

static const char *const kinds[] = { [SECRET_VARIABLE] = "env", [SECRET_FILE] = "file" };

void plan_secrets_text(struct out *out, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->credential_count; i++) {
		const struct credential *secret = &plan->credentials[i];
		out_text(out, "  secret     %s: a placeholder in", secret->name);
		list_each (item, &secret->variables)
			out_text(out, " %s", item->text);
		out_text(out, "; from %s %s, for", kinds[secret->kind], str_shown(secret->source));
		list_each (item, &secret->hosts)
			out_text(out, " %s", item->text);
		out_text(out, "\n");
	}
	if (plan->roots_path)
		out_text(out, "  trusted    %s, and this box's own certificate\n",
			 plan->roots_path);
}

static void words(struct out *out, const char *name, const struct list *list)
{
	json_open(out, name, '[');
	list_each (item, list)
		json_string(out, NULL, item->text);
	json_close(out, ']');
}

void plan_secrets_json(struct out *out, const struct plan *plan)
{
	json_open(out, "secrets", '[');
	for (unsigned i = 0; i < plan->credential_count; i++) {
		const struct credential *secret = &plan->credentials[i];
		json_open(out, NULL, '{');
		json_string(out, "name", secret->name);
		json_string(out, "kind", kinds[secret->kind]);
		json_string(out, "source", secret->source);
		words(out, "variables", &secret->variables);
		words(out, "hosts", &secret->hosts);
		words(out, "headers", &secret->headers);
		json_flag(out, "only", !secret->others);
		json_close(out, '}');
	}
	json_close(out, ']');
}
