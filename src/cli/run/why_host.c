// Owns the answers of sbx why about hosts and ports.
#include "cli/run/why.h"

#include <fcntl.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "run/run_command.h"
#include "net/rules/local_address.h"
#include "net/rules/rules.h"
#include "net/setup/netns.h"
#include "policy/find.h"
#include "text/destination.h"

static void why_allowed(struct box *box, const char *text, struct why *why)
{
	const struct item *reason = box->plan.egress.reasons.first;
	list_each (item, &box->plan.egress.allow) {
		if (str_equal(item->text, text)) {
			why->line = why_line(box, &item->from);
			out_text(&why->text, " (%s%s%s; %s)", str_shown(text),
				 reason->text[0] ? ": " : "", str_shown(reason->text),
				 str_shown(why->line));
			return;
		}
		reason = reason->next;
	}
	out_text(&why->text, " (%s)", str_shown(text));
}

// Answers for loopback. A box reaches only single ports of the host's.
static void why_loopback(struct box *box, const char *word, uint16_t port, struct why *why)
{
	list_each (item, &box->profile.loopback) {
		unsigned long long opened = 0;
		if (str_number(item->text, strlen(item->text), 1, 65535, &opened) &&
		    opened == port) {
			why->verdict = "host";
			why->line = why_line(box, &item->from);
			out_text(&why->text, "%s, port %u, is the host's (%s)\n", word, port,
				 str_shown(why->line));
			return;
		}
	}
	const char *number = arena_text(box->arena, "%u", port);
	why->verdict = box->plan.own_network ? "own" : "unreachable";
	out_text(&why->text, "%s, port %u, %s\n", word, port,
		 box->plan.own_network ? "is the box's own" : "cannot be reached");
	why_fix(why, "to reach the host's:", "--host-port", number, number);
}

static int why_rules(struct box *box, const char *word, const struct host *host, uint16_t port,
		     struct why *why)
{
	struct rules *rules = arena_take(box->arena, sizeof(*rules));
	struct list none = { 0 };
	struct host called = *host;
	struct refusal refusal;
	struct resolv resolv;
	char text[FILE_UNSIZED];
	size_t length = 0;
	autoclose int routes = local_open();
	if (ATTEMPT(file_read_into(AT_FDCWD, "/etc/resolv.conf", FILE_LINK | FILE_PART, text,
				   sizeof(text), &length)) < 0)
		length = 0;
	resolv_parse(text, length, &resolv);
	TRY(rules_compile(&box->plan, &none, &none, rules));
	const struct rule *rule =
		rules_decide(rules, &resolv, &called, port, routes, NULL, &refusal);
	out_text(&why->text, "%s, port %u, ", word, port);
	why->verdict = rule ? "reachable" : refusal.deny ? "denied" : "unreachable";
	if (rule) {
		out_text(&why->text, "can be reached");
		why_allowed(box, rule->text, why);
		out_text(&why->text, "\n");
	} else if (refusal.deny) {
		why->line = refusal.deny->text;
		out_text(&why->text, "is denied (%s)\n", str_shown(refusal.deny->text));
	} else {
		const char *flag, *closed = egress_closed(&box->plan, host, port, &flag);
		out_text(&why->text, "cannot be reached: %s\n", refusal.why);
		if (closed) {
			out_text(&why->text,
				 "'%s' names another registry, which the box does not see\n",
				 str_shown(closed));
			why_fix(why, "to show all of it:", arena_text(box->arena, "--%s", flag),
				closed, closed);
			return 0;
		}
		why_fix(why, "to reach it:", "--allow", word, word);
		const char *group = groups_find(word);
		const char *named = arena_text(box->arena, "@%s", word);
		if (!group && groups_has(named))
			group = named;
		if (group)
			why_fix(why, "with its group:", "--allow", group, group);
	}
	return 0;
}

static const struct item *listed(const struct list *words, const struct host *host, uint16_t port)
{
	struct destination destination;
	list_each (item, words)
		if (destination_parse(item->text, &destination) &&
		    destination_matches(&destination, host, port))
			return item;
	return NULL;
}

// In mode host the BPF guard judges addresses: no name is resolved here.
static void why_guard(struct box *box, const char *word, const struct host *host, uint16_t port,
		      struct why *why)
{
	const struct item *deny = listed(&box->profile.deny, host, port);
	const struct item *line = deny ? deny : listed(&box->profile.allow, host, port);
	out_text(&why->text, "%s, port %u, ", word, port);
	why->line = line ? why_line(box, &line->from) : NULL;
	why->verdict = host->kind == HOST_NAME ? "by-address"
		       : deny                  ? "denied"
		       : line                  ? "reachable"
					       : "unreachable";
	if (host->kind == HOST_NAME) {
		out_text(&why->text,
			 "is a name: in mode host the guard judges the address that it leads to\n");
	} else if (line) {
		out_text(&why->text, "%s (%s; %s)\n", deny ? "is denied" : "can be reached",
			 str_shown(line->text), str_shown(why->line));
	} else {
		out_text(&why->text, "cannot be reached: not in the allowlist\n");
		why_fix(why, "to reach it:", "--allow", word, word);
	}
}

static void why_as_host(const char *word, struct why *why)
{
	why->verdict = "reachable";
	out_text(&why->text, "%s can be reached as on the host (mode host)\n", word);
}

int why_host(struct box *box, const char *word, struct why *why)
{
	struct host host;
	uint16_t port = 443;
	if (!host_parse_port(word, strlen(word), &host, &port))
		return fail(0, "'%.80s' is not a host; for a file, write a '/': ./%.80s",
			    str_shown(word), str_shown(word));
	switch (box->profile.network) {
	case NETWORK_NONE:
		why->verdict = "unreachable";
		out_text(&why->text, "%s cannot be reached: the network is off (mode none)\n",
			 word);
		why_fix(why, "to reach it:", "--network proxy --allow", word, word);
		return 0;
	case NETWORK_HOST:
		if (box->profile.guard == TOGGLE_YES)
			why_guard(box, word, &host, port, why);
		else
			why_as_host(word, why);
		return 0;
	case NETWORK_PROXY:
		break;
	}
	if (host.kind == HOST_ADDRESS ? rules_is_loopback(&host.address)
				      : str_equal(host.name, "localhost"))
		why_loopback(box, word, port, why);
	else
		TRY(why_rules(box, word, &host, port, why));
	return 0;
}
