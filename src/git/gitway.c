// Owns the reading of git's addresses.
#include "git/git.h"

#include <stddef.h>
#include <string.h>

#include "base/base.h"
#include "git/gitconfig.h"

const char *gitway_url(struct arena *arena, const struct gitconfig *config, const char *remote)
{
	const struct gitconfig_entry *entry =
		gitconfig_next(config, arena_text(arena, "remote.%s.url", remote), NULL);
	return entry ? entry->value : NULL;
}

struct way_text {
	const char *text;
	size_t length;
};

struct git_address {
	enum transport { HTTPS, SSH, GIT, HTTP, PATH } transport;
	struct way_text user, host;
	const char *path;
};

static bool has_only(struct way_text text, const char *further)
{
	for (size_t i = 0; i < text.length; i++) {
		char c = text.text[i];
		bool plain =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (!plain && !strchr(further, c))
			return false;
	}
	return text.length > 0 && text.text[0] != '-';
}

static bool is_host(struct way_text host)
{
	const char *colon = memchr(host.text, ':', host.length);
	struct way_text name = { host.text, colon ? (size_t)(colon - host.text) : host.length };
	struct way_text port = { host.text + name.length + 1, host.length - name.length - 1 };
	return has_only(name, ".-_") && (!colon || strspn(port.text, "0123456789") == port.length);
}

// Refuses what git runs as a helper program ("a::b", unknown schemes), and options ('-').
static bool read_address(const char *text, struct git_address *ret_address)
{
	static const struct {
		const char *scheme;
		enum transport transport;
	} rows[] = { { "https://", HTTPS },
		     { "ssh://", SSH },
		     { "git://", GIT },
		     { "http://", HTTP },
		     { "file:///", PATH } };
	struct git_address address = { .transport = SSH };
	const char *mark = strstr(text, "://");
	size_t front = 0;
	if (!str_printable(text) || strstr(text, "::"))
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (str_starts(text, rows[i].scheme)) {
			address.transport = rows[i].transport;
			front = strlen(rows[i].scheme);
		}
	if (text[0] == '/' || address.transport == PATH) {
		address.transport = PATH;
		address.path = text + (front ? front - 1 : 0);
		*ret_address = address;
		return !strstr(address.path, "/../");
	}
	size_t length = strcspn(text + front, front ? "/" : ":/");
	address.host = (struct way_text){ text + front, length };
	address.path = text + front + length;
	const char *at = memchr(text + front, '@', length);
	if (at) {
		address.user = (struct way_text){ text + front, (size_t)(at - text) - front };
		address.host = (struct way_text){ at + 1, length - address.user.length - 1 };
	}
	*ret_address = address;
	return (front ? address.path[0] == '/' : !mark && address.path[0] == ':') &&
	       address.path[1] && address.path[1] != '-' && is_host(address.host) &&
	       (!at || has_only(address.user, "._~%+-:"));
}

bool gitway_is_far(const char *text)
{
	struct git_address address;
	return read_address(text, &address) &&
	       (address.transport == HTTPS || address.transport == SSH);
}

const char *gitway_host(struct arena *arena, const char *text)
{
	struct git_address address;
	if (!read_address(text, &address) || address.transport == PATH)
		return text;
	return arena_text(arena, "%.*s", (int)address.host.length, address.host.text);
}

const char *gitway_middle(struct arena *arena, const char *name)
{
	const char *first = strchr(name, '.') + 1, *last = strrchr(name, '.');
	return last < first ? "" : arena_text(arena, "%.*s", (int)(last - first), first);
}

bool gitway_is_name(const char *name)
{
	return has_only((struct way_text){ name, strlen(name) }, "._-") && name[0] != '.';
}

// Follows remotes_remote_for_branch() in git's remote.c.
const char *gitway_default(struct arena *arena, const struct gitconfig *config)
{
	const char *only = NULL;
	for (unsigned i = 0; i < config->count; i++) {
		const char *name = config->entries[i].name,
			   *remote = str_starts(name, "remote.") ? gitway_middle(arena, name) : "";
		if (remote[0])
			only = only && !str_equal(only, remote) ? "origin" : remote;
	}
	return only && gitway_url(arena, config, only) ? only : "";
}

bool gitway_may_lead(const char *name, const char *value, bool made)
{
	struct git_address address;
	return read_address(value, &address) &&
	       (made || (address.transport != HTTP && address.transport != PATH) ||
		(address.transport == PATH && str_starts(name, "submodule.")));
}
