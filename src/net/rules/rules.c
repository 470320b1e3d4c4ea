// Owns the compiled rules.
#include "net/rules/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "net/rules/local_address.h"
#include "plan.h"

struct shared *shared_new(void)
{
	enum { HEAD = 64 }; // the arena's header
	return arena_take(arena_new_shared(sizeof(struct shared) + HEAD), sizeof(struct shared));
}

static int add_rules(const struct list *words, struct rule *rules, unsigned *count)
{
	list_each (item, words) {
		struct rule *rule = &rules[*count];
		if (*count == RULES_MAX)
			return fail(0, "more than %d rules for the network", RULES_MAX);
		if (!destination_parse(item->text, &rule->destination))
			return fail(0, "'%s' is not a destination", item->text);
		rule->ech = rule->destination.suffix == SUFFIX_ECH;
		snprintf(rule->text, sizeof(rule->text), "%s", item->text);
		++*count;
	}
	return 0;
}

static int add_budgets(const struct list *words, enum budget_kind kind, struct rules *rules)
{
	static const char *const flags[] = {
		[BUDGET_UPLOAD] = "--upload",
		[BUDGET_DOWNLOAD] = "--download",
	};
	list_each (item, words) {
		struct budget *budget = &rules->budgets[rules->budget_count];
		if (rules->budget_count == BUDGETS_MAX)
			return fail(0, "more than %d budgets", BUDGETS_MAX);
		if (!destination_budget(item->text, &budget->destination, &budget->for_all,
					&budget->most))
			return fail(0, "'%s' is not a budget", item->text);
		budget->kind = kind;
		snprintf(budget->text, sizeof(budget->text), "%s %s", flags[kind], item->text);
		rules->budget_count++;
	}
	return 0;
}

static int add_raw_ports(const struct list *words, struct rules *rules)
{
	rules->raw_count = 0;
	list_each (item, words) {
		unsigned long long port;
		if (rules->raw_count == RAW_PORTS_MAX)
			return fail(0, "more than %d raw ports", RAW_PORTS_MAX);
		if (!str_number(item->text, strlen(item->text), 1, 65535, &port))
			return fail(0, "'%s' is not a port", item->text);
		rules->raw_ports[rules->raw_count++] = (uint16_t)port;
	}
	return 0;
}

// Lets ECH pass by the user's rules only: rules of a group have a reason.
static void pass_encrypted(const struct plan *plan, struct rules *rules)
{
	unsigned i = 0;
	list_each (reason, &plan->egress.reasons)
		rules->allow[i++].ech |= reason->text[0] == '\0';
	for (; i < rules->allow_count; i++)
		rules->allow[i].ech = true;
}

static int add_opened(const struct plan *plan, struct rules *rules)
{
	rules->opened_count = 0;
	for (unsigned i = 0; i < plan->credential_count; i++)
		list_each (item, &plan->credentials[i].hosts) {
			if (rules->opened_count == OPENED_MAX)
				return fail(0, "more than %d hosts of secrets", OPENED_MAX);
			if (!destination_parse(item->text, &rules->opened[rules->opened_count++]))
				return fail(0, "'%s' is not a destination", item->text);
		}
	return 0;
}

int rules_compile(const struct plan *plan, const struct list *more_allow,
		  const struct list *more_deny, struct rules *rules)
{
	const struct profile *profile = plan->profile;
	rules->allow_count = rules->deny_count = rules->budget_count = 0;
	rules->private = profile->network_private == TOGGLE_YES;
	rules->ask = plan->ask != ASK_NOBODY;
	rules->fail = profile->dns != DNS_TOLD;
	rules->strict = profile->dns == DNS_STRICT && !rules->ask;
	TRY(add_raw_ports(&profile->raw_ports, rules));
	TRY(add_opened(plan, rules));
	TRY(add_rules(&plan->egress.allow, rules->allow, &rules->allow_count));
	TRY(add_rules(more_allow, rules->allow, &rules->allow_count));
	if (profile->ech == ECH_PASS)
		pass_encrypted(plan, rules);
	TRY(add_rules(&plan->egress.deny, rules->deny, &rules->deny_count));
	TRY(add_rules(more_deny, rules->deny, &rules->deny_count));
	TRY(add_budgets(&profile->upload, BUDGET_UPLOAD, rules));
	return add_budgets(&profile->download, BUDGET_DOWNLOAD, rules);
}

static void copy(const struct rules *from, struct rules *to)
{
	memcpy(to, from, offsetof(struct rules, allow));
	memcpy(to->allow, from->allow, from->allow_count * sizeof(*from->allow));
	memcpy(to->deny, from->deny, from->deny_count * sizeof(*from->deny));
	memcpy(to->budgets, from->budgets, from->budget_count * sizeof(*from->budgets));
	memcpy(to->opened, from->opened, from->opened_count * sizeof(*from->opened));
}

int rules_change(const struct plan *plan, const struct list *more_allow,
		 const struct list *more_deny, struct shared *shared, unsigned generation)
{
	struct rules *fresh = calloc(1, sizeof(*fresh));
	int result = fresh ? rules_compile(plan, more_allow, more_deny, fresh)
			   : fail(ENOMEM, "the proxy's rules");
	if (result == 0) {
		copy(fresh, &shared->rules[generation % 2]);
		atomic_store_explicit(&shared->generation, generation, memory_order_release);
	}
	free(fresh);
	return result;
}

const struct rules *rules_current(const struct shared *shared)
{
	return &shared->rules[atomic_load_explicit(&shared->generation, memory_order_acquire) % 2];
}

static const struct rule *find(const struct rule *rules, unsigned count, const struct host *host,
			       uint16_t port)
{
	for (unsigned i = 0; i < count; i++)
		if (destination_matches(&rules[i].destination, host, port))
			return &rules[i];
	return NULL;
}

bool rules_is_loopback(const struct address *address)
{
	static const struct address any, own = { { [15] = 1 } };
	return (address_is_v4(address) && (address->bytes[12] == 127 || address->bytes[12] == 0)) ||
	       memcmp(address, &any, sizeof(any)) == 0 || memcmp(address, &own, sizeof(own)) == 0;
}

static bool means(const struct rule *rule, const struct address *address, int routes)
{
	enum reach reach = address_reach(address);
	if (rule->destination.prefix == 128)
		return true;
	if (reach == REACH_NEVER ||
	    (reach == REACH_PRIVATE && address_reach(&rule->destination.network) != reach))
		return false;
	return local_ask(routes, address) == LOCAL_NOT;
}

static const struct rule *decide(const struct rules *rules, const struct host *host, uint16_t port,
				 int routes, struct refusal *ret)
{
	bool address = host->kind == HOST_ADDRESS, wide = false;
	const struct rule *allow = NULL;
	*ret = (struct refusal){ .deny = find(rules->deny, rules->deny_count, host, port),
				 .why = "denied by rule" };
	if (ret->deny)
		return NULL;
	if (address && rules_is_loopback(&host->address)) {
		ret->why = "this host itself; a port of it opens by --host-port PORT";
		return NULL;
	}
	for (unsigned i = 0; i < rules->allow_count; i++) {
		const struct rule *rule = &rules->allow[i];
		if (!destination_matches(&rule->destination, host, port))
			continue;
		if (!address || means(rule, &host->address, routes))
			allow = !allow || rule->destination.suffix == SUFFIX_RAW ? rule : allow;
		wide = true;
		if (allow && allow->destination.suffix == SUFFIX_RAW)
			break;
	}
	if (allow)
		return allow;
	ret->why = wide ? "a rule so wide does not open this address" : "not in the allowlist";
	ret->fix = FIX_RULE;
	ret->unlisted = !wide;
	return NULL;
}

static void lengthen(const struct resolv *resolv, struct host *host, unsigned form)
{
	char name[HOST_NAME_BYTES_MAX + 1];
	if (resolv_name(resolv, host->name, form, name))
		memcpy(host->name, name, sizeof(name));
}

const struct rule *rules_decide(const struct rules *rules, const struct resolv *resolv,
				struct host *host, uint16_t port, int routes, unsigned *form,
				struct refusal *ret)
{
	const struct rule *allow = NULL;
	struct host alike = { .kind = HOST_NAME };
	unsigned from = form ? *form : 0, found = 0;
	if (host->kind == HOST_ADDRESS)
		return decide(rules, host, port, routes, ret);
	for (unsigned i = 0; resolv_next(resolv, host->name, &i, alike.name); i++) {
		struct refusal other;
		const struct rule *rule = decide(rules, &alike, port, routes, &other);
		if (i == 0 || other.deny)
			*ret = other;
		if (ret->deny)
			return NULL;
		if (!rule || allow || i / RESOLV_FORMS_MAX < from)
			continue;
		allow = rule;
		found = i / RESOLV_FORMS_MAX;
	}
	if (!allow)
		return NULL;
	lengthen(resolv, host, found);
	if (form)
		*form = found;
	return allow;
}

bool rules_may_ask(const struct host *host, int routes)
{
	return host->kind == HOST_NAME || (address_reach(&host->address) == REACH_PUBLIC &&
					   !rules_is_loopback(&host->address) &&
					   local_ask(routes, &host->address) == LOCAL_NOT);
}

const struct rule *rules_deny_address(const struct rules *rules, const struct address *address,
				      uint16_t port)
{
	struct host host = { .kind = HOST_ADDRESS, .address = *address };
	return find(rules->deny, rules->deny_count, &host, port);
}

bool rules_raw(const struct rules *rules, const struct rule *rule, uint16_t port)
{
	bool raw = rule->destination.suffix == SUFFIX_RAW;
	for (unsigned i = 0; i < rules->raw_count; i++)
		raw = raw || rules->raw_ports[i] == port;
	return raw;
}

bool rules_ech(const struct rules *rules, const struct host *host, uint16_t port)
{
	for (unsigned i = 0; i < rules->allow_count; i++)
		if (rules->allow[i].ech &&
		    destination_matches(&rules->allow[i].destination, host, port))
			return true;
	return false;
}

bool rules_opened(const struct rules *rules, const struct host *host, uint16_t port)
{
	for (unsigned i = 0; i < rules->opened_count; i++)
		if (destination_matches(&rules->opened[i], host, port))
			return true;
	return false;
}

uint64_t rules_budgets(const struct rules *rules, const struct host *host, uint16_t port)
{
	uint64_t bits = 0;
	for (unsigned i = 0; i < rules->budget_count; i++)
		if (rules->budgets[i].for_all ||
		    destination_matches(&rules->budgets[i].destination, host, port))
			bits |= 1ULL << i;
	return bits;
}

bool rules_deny_name(const struct rules *rules, const char *name)
{
	struct host host = { .kind = HOST_NAME };
	memcpy(host.name, name, strlen(name) + 1);
	return find(rules->deny, rules->deny_count, &host, 0);
}

static const struct rule *find_known(const struct rules *rules, const struct host *host)
{
	for (unsigned i = 0; i < rules->allow_count; i++) {
		const struct destination *destination = &rules->allow[i].destination;
		uint16_t port = destination->port_count ? destination->ports[0] : 443;
		if (destination_matches(destination, host, port))
			return &rules->allow[i];
	}
	return NULL;
}

const struct rule *rules_know(const struct rules *rules, const struct resolv *resolv,
			      struct host *host, unsigned *form)
{
	struct host alike = { .kind = HOST_NAME };
	const struct rule *rule = NULL;
	unsigned from = *form;
	for (unsigned i = 0; resolv_next(resolv, host->name, &i, alike.name); i++) {
		if (rules_deny_name(rules, alike.name))
			return NULL;
		if (rule || i / RESOLV_FORMS_MAX < from)
			continue;
		rule = find_known(rules, &alike);
		*form = i / RESOLV_FORMS_MAX;
	}
	if (rule)
		lengthen(resolv, host, *form);
	return rule;
}
