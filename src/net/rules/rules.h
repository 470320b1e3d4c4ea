// The room net/rules owns what is allowed, and the memory and the messages that the supervisor and
// the worker share. Uses: base, nouns, net/parse, text. Begin with rules_decide().
#pragma once

#include "net/rules/control.h"

struct plan;

// `more_*`: destinations from `sbx allow` and `sbx deny`.
struct list;
int rules_compile(const struct plan *plan, const struct list *more_allow,
		  const struct list *more_deny, struct rules *rules);

int rules_change(const struct plan *plan, const struct list *more_allow,
		 const struct list *more_deny, struct shared *shared, unsigned generation);

const struct rules *rules_current(const struct shared *shared);

struct refusal {
	const struct rule *deny; // NULL: no rule allows it
	const char *why;
	enum fix fix;
	bool unlisted; // no rule names it: --ask may ask
};
// Returns the rule that allows `host`, or NULL. A rule for a network opens no metadata service, no
// address of this host, and private addresses only if the network is private. No rule opens the
// loopback. A denial counts for all names that the search list equates. Makes a short `host` its
// first allowed long name, from search domain `*form` on (resolv_name()). `routes`: local_open().
const struct rule *rules_decide(const struct rules *rules, const struct resolv *resolv,
				struct host *host, uint16_t port, int routes, unsigned *form,
				struct refusal *ret);
// Returns the rule that denies an address of an allowed name, or NULL.
const struct rule *rules_deny_address(const struct rules *rules, const struct address *address,
				      uint16_t port);

// Whether all protocols on TCP may pass: by "/tcp" in the rule, or [network] raw-port.
bool rules_raw(const struct rules *rules, const struct rule *rule, uint16_t port);

// Whether encrypted host names (ECH) may pass: by "/ech" in a rule, or [network] ech.
bool rules_ech(const struct rules *rules, const struct host *host, uint16_t port);

// Whether --ask may ask: a name, or a public address that is not this host's.
bool rules_may_ask(const struct host *host, int routes);

bool rules_opened(const struct rules *rules, const struct host *host, uint16_t port);

bool rules_is_loopback(const struct address *address);

uint64_t rules_budgets(const struct rules *rules, const struct host *host, uint16_t port);

// Returns a rule that allows some port of a name, or NULL.
const struct rule *rules_know(const struct rules *rules, const struct resolv *resolv,
			      struct host *host, unsigned *form);
bool rules_deny_name(const struct rules *rules, const char *name);
