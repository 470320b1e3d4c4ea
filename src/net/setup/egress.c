// Owns the plan of the box's way out: ports, warnings, the upstream proxy.
#include "net/setup/netns.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/base.h"
#include "base/fd.h"
#include "net/rules/rules.h"
#include "net/rules/shared.h"
#include "plan.h"
#include "text/destination.h"

static const uint16_t usual_ports[] = { 80, 443, 22, 9418, 5432, 3306, 6379 };

static void add_port(uint16_t *ports, unsigned *count, unsigned most, uint16_t port)
{
	for (unsigned i = 0; i < *count; i++)
		if (ports[i] == port)
			return;
	if (*count < most)
		ports[(*count)++] = port;
}

static void list_ports(struct plan *plan)
{
	struct egress *egress = &plan->egress;
	list_each (item, &plan->profile->allow) {
		struct destination destination;
		if (item->text[0] == '@' || !destination_parse(item->text, &destination))
			continue;
		for (unsigned i = 0; i < destination.port_count; i++)
			add_port(egress->ports, &egress->port_count, NETNS_PORTS_MAX,
				 destination.ports[i]);
	}
	for (size_t i = 0; i < sizeof(usual_ports) / sizeof(*usual_ports); i++)
		add_port(egress->ports, &egress->port_count, NETNS_PORTS_MAX, usual_ports[i]);
}

static void add_publish(struct egress *egress, const struct publish *publish)
{
	for (unsigned i = 0; i < egress->publish_count; i++)
		if (egress->publish[i].inside == publish->inside &&
		    egress->publish[i].outside == publish->outside)
			return;
	egress->publish[egress->publish_count++] = *publish;
}

static int list_doors(struct plan *plan)
{
	struct egress *egress = &plan->egress;
	list_each (item, &plan->profile->loopback) {
		if (egress->loopback_count == NETNS_LOOPBACK_MAX)
			return fail(0, "%smore than %d ports of the loopback",
				    origin_text(plan->arena, item->from), NETNS_LOOPBACK_MAX);
		uint16_t port = (uint16_t)atoi(item->text);
		if (port == NETNS_PORT || port == NETNS_DNS_PORT)
			return fail(0, "%sport %u of the box's loopback is sbx's own",
				    origin_text(plan->arena, item->from), port);
		add_port(egress->loopback, &egress->loopback_count, NETNS_LOOPBACK_MAX, port);
	}
	list_each (item, &plan->profile->publish) {
		struct publish publish;
		if (egress->publish_count == NETNS_LOOPBACK_MAX)
			return fail(0, "%smore than %d published ports",
				    origin_text(plan->arena, item->from), NETNS_LOOPBACK_MAX);
		destination_publish(item->text, &publish.inside, &publish.outside);
		add_publish(egress, &publish);
	}
	return 0;
}

static const struct item *for_one_host(const struct list *budgets)
{
	struct destination destination;
	bool for_all;
	uint64_t most;
	list_each (item, budgets)
		if (destination_budget(item->text, &destination, &for_all, &most) && !for_all)
			return item;
	return NULL;
}

static void tell_unkept(struct plan *plan)
{
	const struct profile *profile = plan->profile;
	bool host = profile->network == NETWORK_HOST, guard = profile->guard == TOGGLE_YES;
	const struct item *allowed = profile->allow.last; // items of the command line come last
	const struct {
		const char *key;
		const struct item *unkept;
	} rows[] = {
		{ "allow", host || !allowed || allowed->from.line ? NULL : allowed },
		{ "deny", host && !guard ? profile->deny.first : NULL },
		{ "upload", !host   ? NULL
			    : guard ? for_one_host(&profile->upload)
				    : profile->upload.first },
		{ "download", !host   ? NULL
			      : guard ? for_one_host(&profile->download)
				      : profile->download.first },
		{ "host-port", host ? NULL : profile->loopback.first },
		{ "publish", profile->publish.first },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].unkept)
			list_add(&plan->warnings, plan->arena,
				 arena_text(plan->arena,
					    "%s%s %s has no effect in mode %s: it needs --network "
					    "proxy",
					    origin_text(plan->arena, rows[i].unkept->from),
					    rows[i].key, rows[i].unkept->text,
					    host ? "host" : "none"),
				 rows[i].unkept->from);
}

int egress_refuse_own(const char *origin, const char *text, const struct destination *rule)
{
	enum { V4_EIGHT = 96 + 8 };
	bool own = rule->kind == DESTINATION_NETWORK
			   ? rule->prefix >= V4_EIGHT && rules_is_loopback(&rule->network)
			   : rule->kind != DESTINATION_ANY &&
				     (host_within(rule->name, "localhost") ||
				      str_equal(rule->name, "host.docker.internal"));
	char port[8] = "PORT";
	if (rule->port_count)
		snprintf(port, sizeof(port), "%u", rule->ports[0]);
	return !own ? 0
		    : fail(0,
			   "%s%s is the box itself; for a port of this machine, as localhost: "
			   "--host-port %s",
			   origin, text, port);
}

static int check_odd_rules(struct plan *plan)
{
	struct destination rule;
	list_each (item, &plan->profile->allow) {
		const char *origin = origin_text(plan->arena, item->from);
		if (item->text[0] == '@' || !destination_parse(item->text, &rule))
			continue;
		TRY(egress_refuse_own(origin, item->text, &rule));
		if (rule.kind == DESTINATION_BELOW && !strchr(rule.name, '.'))
			list_add(&plan->warnings, plan->arena,
				 arena_text(plan->arena, "%sallow %s opens every name below '%s'",
					    origin, item->text, rule.name),
				 item->from);
	}
	return 0;
}

int egress_plan(struct plan *plan)
{
	plan->egress.on = plan->profile->network == NETWORK_PROXY;
	if (!plan->egress.on) {
		tell_unkept(plan);
		return 0;
	}
	TRY(check_odd_rules(plan));
	plan->egress.proxy = "http://" NETNS_OWN_V4 ":3128";
	list_ports(plan);
	return list_doors(plan);
}

int egress_count(const struct plan *plan)
{
	const struct profile *profile = plan->profile;
	unsigned budgets = list_count(&profile->upload) + list_count(&profile->download);
	if (list_count(&plan->egress.allow) + RULES_ADDED_MAX > RULES_MAX ||
	    list_count(&plan->egress.deny) + RULES_ADDED_MAX > RULES_MAX)
		return fail(0, "more than %d rules for the network", RULES_MAX - RULES_ADDED_MAX);
	return budgets > BUDGETS_MAX ? fail(0, "more than %d budgets", BUDGETS_MAX) : 0;
}

const char *egress_closed(const struct plan *plan, const struct host *host, uint16_t port,
			  const char **ret_flag)
{
	struct destination public;
	list_each (item, &plan->egress.closed) {
		if (!destination_parse(item->text, &public) ||
		    !destination_matches(&public, host, port))
			continue;
		*ret_flag = item->from.file[0] == '/' ? "read" : "pass-env";
		return item->from.file;
	}
	return NULL;
}

static const char *value_of(char *const *environment, const char *name)
{
	size_t length = strlen(name);
	for (char *const *entry = environment; *entry; entry++)
		if (strncasecmp(*entry, name, length) == 0 && (*entry)[length] == '=' &&
		    (*entry)[length + 1])
			return *entry + length + 1;
	return NULL;
}

static void tell_unseen(struct plan *plan)
{
	struct destination destination;
	list_each (item, &plan->egress.deny)
		if (destination_parse(item->text, &destination) &&
		    destination.kind == DESTINATION_NETWORK)
			list_add(&plan->warnings, plan->arena,
				 arena_text(plan->arena,
					    "%sdeny %s applies to addresses, not to names that "
					    "lead there: your own proxy resolves them; to resolve "
					    "them here: --upstream none",
					    origin_text(plan->arena, item->from), item->text),
				 item->from);
}

// Makes the outer box's proxy the upstream proxy. Inside a box NETNS_OWN_V4 is local, which bind()
// tests. The outer proxy answers there at NETNS_PORT, even without redirection.
static void go_by_box(struct plan *plan)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(NETNS_PORT) };
	const struct sockaddr *address = (const struct sockaddr *)&own;
	autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, NETNS_OWN_V4, &own.sin_addr);
	if (fd < 0 || connect(fd, address, sizeof(own)) < 0) {
		list_add(&plan->warnings, plan->arena,
			 "the outer box has no network, so this one has none; start the outer one "
			 "with --network proxy",
			 (struct origin){ .file = "network" });
		return;
	}
	fd_close(&fd);
	own.sin_port = 0;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, address, sizeof(own)) < 0)
		return;
	plan->egress.behind_box = true;
	plan->egress.upstream = arena_text(plan->arena, "http://" NETNS_OWN_V4 ":%d", NETNS_PORT);
}

int egress_upstream(struct plan *plan, char *const *environment)
{
	static const char *const names[] = { "https_proxy", "all_proxy", "http_proxy" };
	struct egress *egress = &plan->egress;
	const char *url = plan->profile->upstream;
	if (!egress->on || (url && str_equal(url, "none")))
		return 0;
	for (size_t i = 0; !url && i < sizeof(names) / sizeof(*names); i++)
		url = value_of(environment, names[i]);
	if (!url && plan->inside && plan->egress.allow.first)
		go_by_box(plan);
	if (!url)
		return 0;
	if (strstr(url, "://") && !str_starts(url, "http://")) {
		list_add(&plan->warnings, plan->arena,
			 "your proxy is not an http:// proxy and is not used; give --upstream "
			 "http://host:port, or --upstream none",
			 (struct origin){ .file = "upstream" });
		return 0;
	}
	const char *excepted = value_of(environment, "no_proxy");
	if (strlen(url) > EGRESS_URL_MAX)
		return fail(0, "the address of your proxy is longer than %d bytes: --upstream none",
			    EGRESS_URL_MAX);
	// no_proxy must not be cut: hosts at its end would go through the proxy.
	if (excepted && strlen(excepted) > EGRESS_NO_PROXY_MAX)
		return fail(0, "no_proxy is longer than %d bytes: shorten it, or --upstream none",
			    EGRESS_NO_PROXY_MAX);
	egress->upstream = arena_copy(plan->arena, url, strlen(url));
	tell_unseen(plan);
	egress->no_proxy = excepted ? arena_copy(plan->arena, excepted, strlen(excepted)) : NULL;
	return 0;
}

bool egress_excepted(const char *no_proxy, const struct host *to, uint16_t to_port)
{
	struct piece rest = { no_proxy, strlen(no_proxy) }, part;
	while ((part = piece_word(&rest, ", ")).length > 0) {
		struct destination destination;
		struct host host;
		uint16_t port = 0;
		char word[HOST_NAME_BYTES_MAX + 1];
		if (piece_is(part, "*"))
			return true;
		if (!str_put(word, sizeof(word), "%.*s", (int)part.length, part.at))
			continue;
		size_t dot = part.length > 2 && str_starts(word, "*.")
				     ? 2
				     : part.length > 1 && word[0] == '.';
		bool network = strchr(word, '/') && destination_parse(word, &destination);
		if (network && destination_matches(&destination, to, to_port))
			return true;
		if (!network && host_parse_port(word + dot, part.length - dot, &host, &port) &&
		    (!port || port == to_port) &&
		    (host.kind == HOST_NAME && to->kind == HOST_NAME
			     ? host_within(to->name, host.name)
			     : host_equal(&host, to)))
			return true;
	}
	return false;
}
