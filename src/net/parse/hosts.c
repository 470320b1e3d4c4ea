// Owns the reading of hosts(5) and resolv.conf(5).
#include "net/parse/parse.h"

#include <string.h>

#include "base/base.h"

static const char blanks[] = " \t\r";

// Returns a line without its comment.
static struct piece next_line(struct piece *rest)
{
	struct piece line = piece_until(rest, '\n');
	line = piece_until(&line, '#');
	return piece_until(&line, ';');
}

static bool next_host(struct piece *line, struct host *ret)
{
	struct piece word = piece_word(line, blanks);
	return host_parse(word.at, word.length, ret);
}

static bool host_at(const char *text, size_t length, uint32_t at, struct host *ret)
{
	struct piece rest = { text + at, length - at }, line = next_line(&rest);
	return next_host(&line, ret);
}

unsigned hosts_read(const char *text, size_t length, struct hosts_entry *entries, unsigned most)
{
	unsigned count = 0;
	struct piece rest = { text, length }, word;
	while (rest.length > 0) {
		struct host host;
		struct piece line = next_line(&rest), begin = piece_word(&line, blanks);
		if (!host_parse(begin.at, begin.length, &host) || host.kind != HOST_ADDRESS)
			continue;
		while ((word = piece_word(&line, blanks)).length > 0 && count < most)
			if (host_parse(word.at, word.length, &host) && host.kind == HOST_NAME)
				entries[count++] =
					(struct hosts_entry){ (uint32_t)str_hash(host.name),
							      (uint32_t)(begin.at - text),
							      (uint32_t)(word.at - text) };
	}
	return count;
}

unsigned hosts_find(const char *text, size_t length, const struct hosts_entry *entries,
		    unsigned count, const char *name, struct address *addresses, unsigned most)
{
	uint32_t hash = (uint32_t)str_hash(name), last = UINT32_MAX;
	unsigned found = 0;
	struct host host;
	for (unsigned i = 0; i < count && found < most; i++) {
		const struct hosts_entry *entry = &entries[i];
		if (entry->hash != hash || entry->line == last ||
		    !host_at(text, length, entry->word, &host) || strcmp(host.name, name) != 0 ||
		    !host_at(text, length, entry->line, &host))
			continue;
		last = entry->line;
		addresses[found++] = host.address;
	}
	return found;
}

static void take_search(struct piece line, struct resolv *resolv)
{
	struct piece word;
	struct host host;
	resolv->search_count = 0;
	while ((word = piece_word(&line, blanks)).length > 0)
		if (resolv->search_count < RESOLV_SEARCH_MAX &&
		    host_parse(word.at, word.length, &host) && host.kind == HOST_NAME)
			memcpy(resolv->search[resolv->search_count++], host.name,
			       sizeof(host.name));
}

static void take_options(struct piece line, struct resolv *resolv)
{
	enum { NDOTS_MAX = 15 };
	struct piece word;
	unsigned long long dots;
	while ((word = piece_word(&line, blanks)).length > 0)
		if (piece_is(piece_until(&word, ':'), "ndots") &&
		    str_number(word.at, word.length, 0, NDOTS_MAX, &dots))
			resolv->ndots = (unsigned)dots;
}

void resolv_parse(const char *text, size_t length, struct resolv *ret)
{
	struct resolv resolv = { .ndots = 1 };
	struct piece rest = { text, length };
	while (rest.length > 0) {
		struct host host;
		struct piece line = next_line(&rest), word = piece_word(&line, blanks);
		if (piece_is(word, "search") || piece_is(word, "domain"))
			take_search(line, &resolv);
		else if (piece_is(word, "options"))
			take_options(line, &resolv);
		else if (piece_is(word, "nameserver") && resolv.server_count < RESOLV_SERVERS_MAX &&
			 next_host(&line, &host) && host.kind == HOST_ADDRESS)
			resolv.servers[resolv.server_count++] = host.address;
	}
	struct host own;
	if (resolv.server_count == 0 && host_parse("127.0.0.1", strlen("127.0.0.1"), &own))
		resolv.servers[resolv.server_count++] = own.address;
	*ret = resolv;
}

bool resolv_is_short(const struct resolv *resolv, const char *name)
{
	unsigned dots = 0;
	for (; *name; name++)
		dots += *name == '.';
	return dots < resolv->ndots;
}

bool resolv_name(const struct resolv *resolv, const char *name, unsigned domain,
		 char ret[HOST_NAME_BYTES_MAX + 1])
{
	const char *behind = domain ? resolv->search[domain - 1] : "";
	size_t length = strlen(name), more = strlen(behind) + (domain > 0);
	if (domain > resolv->search_count || length + more > HOST_NAME_BYTES_MAX)
		return false;
	memcpy(ret, name, length);
	if (domain)
		ret[length++] = '.';
	memcpy(ret + length, behind, strlen(behind) + 1);
	return true;
}

static bool find_form(const struct resolv *resolv, const char *name, unsigned number,
		      char ret[HOST_NAME_BYTES_MAX + 1])
{
	unsigned add = number / RESOLV_FORMS_MAX, cut = number % RESOLV_FORMS_MAX;
	if ((add && !resolv_is_short(resolv, name)) || cut > resolv->search_count ||
	    !resolv_name(resolv, name, add, ret))
		return false;
	if (!cut)
		return true;
	const char *domain = resolv->search[cut - 1];
	size_t length = strlen(ret), less = strlen(domain) + 1;
	if (length <= less || !host_within(ret, domain))
		return false;
	ret[length - less] = '\0';
	return resolv_is_short(resolv, ret);
}

bool resolv_next(const struct resolv *resolv, const char *name, unsigned *number,
		 char ret[HOST_NAME_BYTES_MAX + 1])
{
	while (*number < RESOLV_ALIKE_MAX && !find_form(resolv, name, *number, ret))
		++*number;
	return *number < RESOLV_ALIKE_MAX;
}

bool resolv_same(const struct resolv *resolv, const struct host *left, const struct host *right)
{
	char alike[HOST_NAME_BYTES_MAX + 1];
	bool names = left->kind == HOST_NAME && right->kind == HOST_NAME;
	bool same = host_equal(left, right);
	for (unsigned i = 0; names && !same && resolv_next(resolv, left->name, &i, alike); i++)
		same = str_equal(alike, right->name);
	return same;
}
