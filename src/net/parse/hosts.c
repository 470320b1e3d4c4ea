// Owns the reading of hosts(5) and resolv.conf(5).
#include "net/parse/parse.h"

#include <string.h>

#include "base/base.h"

struct hosts_line {
	const char *at, *end;
};

static bool next_line(const char **text, const char *end, struct hosts_line *ret)
{
	if (*text >= end)
		return false;
	const char *newline = memchr(*text, '\n', (size_t)(end - *text));
	ret->at = *text;
	ret->end = newline ? newline : end;
	*text = newline ? newline + 1 : end;
	for (const char *at = ret->at; at < ret->end; at++)
		if (*at == '#' || *at == ';')
			ret->end = at;
	return true;
}

static size_t next_word(struct hosts_line *line, const char **ret)
{
	while (line->at < line->end && strchr(" \t\r", *line->at))
		line->at++;
	*ret = line->at;
	while (line->at < line->end && !strchr(" \t\r", *line->at))
		line->at++;
	return (size_t)(line->at - *ret);
}

static bool host_at(const char *text, size_t length, uint32_t at, struct host *ret)
{
	struct hosts_line line = { text + at, text + length };
	const char *word;
	const char *newline = memchr(line.at, '\n', (size_t)(line.end - line.at));
	line.end = newline ? newline : line.end;
	size_t size = next_word(&line, &word), part = 0;
	while (part < size && word[part] != '#' && word[part] != ';')
		part++;
	return host_parse(word, part, ret);
}

unsigned hosts_read(const char *text, size_t length, struct hosts_entry *entries, unsigned most)
{
	unsigned count = 0;
	struct hosts_line line;
	for (const char *at = text; next_line(&at, text + length, &line);) {
		const char *word;
		struct host host;
		size_t size = next_word(&line, &word);
		uint32_t begin = (uint32_t)(word - text);
		if (size == 0 || !host_parse(word, size, &host) || host.kind != HOST_ADDRESS)
			continue;
		while ((size = next_word(&line, &word)) > 0 && count < most)
			if (host_parse(word, size, &host) && host.kind == HOST_NAME)
				entries[count++] =
					(struct hosts_entry){ (uint32_t)str_hash(host.name), begin,
							      (uint32_t)(word - text) };
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

static void take_search(struct hosts_line *line, struct resolv *resolv)
{
	const char *word;
	struct host host;
	resolv->search_count = 0;
	for (size_t size = next_word(line, &word); size > 0; size = next_word(line, &word)) {
		if (resolv->search_count == RESOLV_SEARCH_MAX || !host_parse(word, size, &host) ||
		    host.kind != HOST_NAME)
			continue;
		memcpy(resolv->search[resolv->search_count++], host.name, sizeof(host.name));
	}
}

static void take_options(struct hosts_line *line, struct resolv *resolv)
{
	enum { NDOTS_MAX = 15 };
	const char *word;
	unsigned long long dots;
	for (size_t size = next_word(line, &word); size > 0; size = next_word(line, &word))
		if (size > 6 && memcmp(word, "ndots:", 6) == 0 &&
		    str_number(word + 6, size - 6, 0, NDOTS_MAX, &dots))
			resolv->ndots = (unsigned)dots;
}

void resolv_parse(const char *text, size_t length, struct resolv *ret)
{
	struct resolv resolv = { .ndots = 1 };
	struct hosts_line line;
	for (const char *at = text; next_line(&at, text + length, &line);) {
		const char *word;
		struct host host;
		size_t size = next_word(&line, &word);
		if ((size == 6 && memcmp(word, "search", 6) == 0) ||
		    (size == 6 && memcmp(word, "domain", 6) == 0)) {
			take_search(&line, &resolv);
		} else if (size == 7 && memcmp(word, "options", 7) == 0) {
			take_options(&line, &resolv);
		} else if (size == 10 && memcmp(word, "nameserver", 10) == 0) {
			size = next_word(&line, &word);
			if (resolv.server_count < RESOLV_SERVERS_MAX &&
			    host_parse(word, size, &host) && host.kind == HOST_ADDRESS)
				resolv.servers[resolv.server_count++] = host.address;
		}
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
