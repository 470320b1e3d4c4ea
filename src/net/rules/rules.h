// The one decision about a destination.
//
// The room net/rules owns what is allowed, and the memory and the messages that the supervisor and
// the worker share. Uses: base nouns net/parse text. Begin with rules_decide().
#pragma once

#include "net/rules/control.h"

struct plan;

// All words are checked already. `more_*`: of `sbx allow` and `sbx deny`.
struct list;
int rules_compile(const struct plan *plan, const struct list *more_allow,
		  const struct list *more_deny, struct rules *rules);

int rules_change(const struct plan *plan, const struct list *more_allow,
		 const struct list *more_deny, struct shared *shared, unsigned generation);

const struct rules *rules_current(const struct shared *shared);

struct refusal {
	const struct rule *deny; // NULL: none allows
	const char *why;
	enum fix fix;
	bool unlisted; // no other rule denies: may be asked for
};
// NULL: none. A wide address rule opens no private networks. A metadata service and this host's
// addresses need an exact rule; the host's loopback has none. `routes`: of local_open(). A denial
// counts for all names that the search list equates. `host` becomes its first allowed long form,
// from domain `form` on (resolv_name); NULL is 0.
const struct rule *rules_decide(const struct rules *rules, const struct resolv *resolv,
				struct host *host, uint16_t port, int routes, unsigned *form,
				struct refusal *ret);
// The rule that denies an address of an allowed name, or NULL.
const struct rule *rules_deny_address(const struct rules *rules, const struct address *address,
				      uint16_t port);

// By "/tcp" in the rule, or [network] raw-port.
bool rules_raw(const struct rules *rules, const struct rule *rule, uint16_t port);

// By "/ech" in a rule, or [network] ech for hosts that the user named.
bool rules_ech(const struct rules *rules, const struct host *host, uint16_t port);

// Public, and not this host's. The address of a name is judged later, whatever the answer.
bool rules_may_ask(const struct host *host, int routes);

bool rules_opened(const struct rules *rules, const struct host *host, uint16_t port);

bool rules_is_loopback(const struct address *address);

uint64_t rules_budgets(const struct rules *rules, const struct host *host, uint16_t port);

// The rule that allows any port of a name, or NULL. Sets `host` and `form` likewise.
const struct rule *rules_know(const struct rules *rules, const struct resolv *resolv,
			      struct host *host, unsigned *form);
bool rules_deny_name(const struct rules *rules, const char *name);
