// The one decision about a destination.
//
// The room net/rules owns what is allowed, and the memory and the messages that the supervisor and
// the worker share. Uses: base nouns net/parse text. Begin with rules_decide().
#pragma once

#include "net/rules/control.h"

struct plan;

// All words were checked when they were read. `more_*`: of `sbx allow` and `sbx deny`.
struct list;
int rules_compile(const struct plan *plan, const struct list *more_allow,
		  const struct list *more_deny, struct rules *rules);

// `generation` is one more than before, from 0.
int rules_change(const struct plan *plan, const struct list *more_allow,
		 const struct list *more_deny, struct shared *shared, unsigned generation);

const struct rules *rules_current(const struct shared *shared);

struct refusal {
	const struct rule *deny; // NULL: none allows
	const char *why;
	enum fix fix;
	bool unlisted; // nothing else is in its way: it may be asked for
};
// NULL: none. A wide address rule opens no private networks; a metadata service and this host need
// their very address, its loopback has none. `routes` is local_open's. Of names that mean the same
// by the search list a denial counts for all. `host` becomes its first allowed long form, from
// domain `form` on (resolv_name); NULL is 0.
const struct rule *rules_decide(const struct rules *rules, const struct resolv *resolv,
				struct host *host, uint16_t port, int routes, unsigned *form,
				struct refusal *ret);
// The rule that denies an address to which an allowed name leads, or NULL.
const struct rule *rules_deny_address(const struct rules *rules, const struct address *address,
				      uint16_t port);

// "/tcp" in the rule, or a port of [network] raw-port.
bool rules_raw(const struct rules *rules, const struct rule *rule, uint16_t port);

// "/ech" in a rule, or [network] ech for what the user named.
bool rules_ech(const struct rules *rules, const struct host *host, uint16_t port);

// Public, and not this host's. A name is judged by where it leads, whatever the answer was.
bool rules_may_ask(const struct host *host, int routes);

// One of a secret.
bool rules_opened(const struct rules *rules, const struct host *host, uint16_t port);

bool rules_is_loopback(const struct address *address);

uint64_t rules_budgets(const struct rules *rules, const struct host *host, uint16_t port);

// The rule by which any port of a name is allowed, or NULL; the same of `host` and `form`.
const struct rule *rules_know(const struct rules *rules, const struct resolv *resolv,
			      struct host *host, unsigned *form);
bool rules_deny_name(const struct rules *rules, const char *name);
