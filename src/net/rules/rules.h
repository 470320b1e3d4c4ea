// The one decision about a destination.
//
// The room net/rules owns what is allowed, and the memory and the messages that the supervisor and
// the worker share. Uses: base nouns net/parse text. Begin with rules_decide().
#pragma once

#include "net/rules/control.h"

struct plan;

// Fills a table from the plan's words, all of which were checked when they were read; `more_allow`
// and `more_deny` are those that `sbx allow` and `sbx deny` added. Fails when there are too many.
struct list;
int rules_compile(const struct plan *plan, const struct list *more_allow,
		  const struct list *more_deny, struct rules *rules);

// The same into the memory that the worker writes, and in force there; `generation` is one more
// than before, beginning with 0.
int rules_change(const struct plan *plan, const struct list *more_allow,
		 const struct list *more_deny, struct shared *shared, unsigned generation);

const struct rules *rules_current(const struct shared *shared);

// Why a destination is refused.
struct refusal {
	const struct rule *deny; // the rule that denies, NULL where none allows
	const char *why;
	enum fix fix;  // a rule for this very destination would allow it
	bool unlisted; // and nothing else is in its way: it may be asked for
};
// The rule that allows a destination, or NULL. A literal address needs one that means it: a wide
// one does not open private networks; only the very address opens a metadata service and this host
// itself, and nothing its loopback. `routes` is local_open's. Of names that mean the same by the
// host's search list a denial of one counts for all, and a rule for one serves the name that is
// called. `host` becomes its first long form that is allowed, from domain `form` on, which becomes
// its number (resolv_name); NULL is 0.
const struct rule *rules_decide(const struct rules *rules, const struct resolv *resolv,
				struct host *host, uint16_t port, int routes, unsigned *form,
				struct refusal *ret);
// The rule that denies an address to which an allowed name leads, or NULL.
const struct rule *rules_deny_address(const struct rules *rules, const struct address *address,
				      uint16_t port);

// Whether what is allowed may be spoken to in a protocol that is not read: by "/tcp" in the rule,
// or at a port of such a protocol ([network] raw-port).
bool rules_raw(const struct rules *rules, const struct rule *rule, uint16_t port);

// Whether a TLS hello to what is allowed may hide a second name (encrypted client hello): by "/ech"
// in a rule, or by [network] ech for what the user named.
bool rules_ech(const struct rules *rules, const struct host *host, uint16_t port);

// Whether an address may be asked for: public, and none of this host's. Of a name this is judged by
// where it leads, whatever the answer was. `routes` is local_open's.
bool rules_may_ask(const struct host *host, int routes);

// Whether TLS to this host is opened, as it is one of a secret.
bool rules_opened(const struct rules *rules, const struct host *host, uint16_t port);

// 127.0.0.0/8, ::1 and what leads there.
bool rules_is_loopback(const struct address *address);

// A bit for each budget that counts what goes there.
uint64_t rules_budgets(const struct rules *rules, const struct host *host, uint16_t port);

// The rule by which any port of a name is allowed, or NULL; the same of `host` and `form`.
const struct rule *rules_know(const struct rules *rules, const struct resolv *resolv,
			      struct host *host, unsigned *form);
// Whether all ports of exactly this name are denied.
bool rules_deny_name(const struct rules *rules, const char *name);
