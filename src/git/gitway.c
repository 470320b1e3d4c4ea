// Owns the reading of git's addresses, and where a branch goes by them.
#include "git/gitway.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "git/gitconfig.h"

enum { ADDRESSES_MAX = 16 }; // of one remote

static bool is_part(const char *name, const char *kind, const char *middle, const char *part)
{
	size_t front = strlen(kind), length = strlen(middle);
	return strncmp(name, kind, front) == 0 && strncmp(name + front, middle, length) == 0 &&
	       str_equal(name + front + length, part);
}

const char *gitway_part(const struct gitconfig *config, const char *kind, const char *middle,
			const char *part, unsigned number)
{
	for (unsigned i = 0; i < config->count; i++)
		if (is_part(config->entries[i].name, kind, middle, part) && number-- == 0)
			return config->entries[i].value;
	return NULL;
}

static const char *last_part(const struct gitconfig *config, const char *kind, const char *middle,
			     const char *part)
{
	for (unsigned i = config->count; i-- > 0;)
		if (is_part(config->entries[i].name, kind, middle, part))
			return config->entries[i].value;
	return NULL;
}

struct way_text {
	const char *text;
	size_t length;
};

struct git_address {
	enum transport { HTTPS, SSH, GIT, HTTP, PATH } transport;
	struct way_text user, host; // of a host with its port
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

// "https://user@host:1/path", "user@host:path" and "/path". Git takes "a::b" and an unknown scheme
// for the name of a helper program, and a leading '-' for an option.
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

static bool same_text(struct way_text a, struct way_text b)
{
	return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

// Without what the same repository is written with or without. Of two by ssh a leading '/' counts.
static struct way_text path_of(const struct git_address *address, bool rooted)
{
	struct way_text path = { address->path, strlen(address->path) };
	size_t lead = address->path[0] == ':' ? 1 : 0;
	if (!rooted)
		lead += address->path[lead] == '/';
	path.text += lead;
	path.length -= lead;
	while (path.length > 0 && path.text[path.length - 1] == '/')
		path.length--;
	if (path.length > 4 && memcmp(path.text + path.length - 4, ".git", 4) == 0)
		path.length -= 4;
	return path;
}

// The same repository of the same host, and no less secure.
static bool same_place(const char *before, const char *after)
{
	struct git_address was, is;
	if (str_equal(before, after))
		return true;
	if (!read_address(before, &was) || !read_address(after, &is) ||
	    (is.transport != was.transport &&
	     (was.transport == PATH || (is.transport != HTTPS && is.transport != SSH))))
		return false;
	bool both = was.transport == is.transport;
	if (is.transport == SSH && !same_text(was.user, is.user) &&
	    (was.transport == SSH || !same_text(is.user, (struct way_text){ "git", 3 })))
		return false;
	return same_text(was.host, is.host) && same_text(path_of(&was, both), path_of(&is, both));
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

// The name in "remote.NAME.url", or NULL.
static const char *remote_in(struct arena *arena, const char *name)
{
	const char *last = strrchr(name, '.');
	if (!str_starts(name, "remote.") || last < name + strlen("remote."))
		return NULL;
	return arena_text(arena, "%.*s", (int)(last - name - 7), name + strlen("remote."));
}

// remotes_remote_for_branch() in git's remote.c.
const char *gitway_default(struct arena *arena, const struct gitconfig *config)
{
	const char *only = NULL;
	for (unsigned i = 0; i < config->count; i++) {
		const char *name = config->entries[i].name;
		if (!str_starts(name, "remote.") || (only && str_starts(name + 7, only) &&
						     strrchr(name, '.') == name + 7 + strlen(only)))
			continue;
		const char *remote = remote_in(arena, name);
		if (remote && only) {
			only = "origin";
			break;
		}
		only = remote ? remote : only;
	}
	return only && gitway_part(config, "remote.", only, ".url", 0) ? only : NULL;
}

const char *gitway_remote(const struct gitconfig *config, const char *branch, bool push,
			  const char *otherwise)
{
	const char *remote = push ? last_part(config, "branch.", branch, ".pushremote") : NULL;
	if (!remote && push)
		remote = gitconfig_value(config, "remote.pushdefault");
	if (!remote)
		remote = last_part(config, "branch.", branch, ".remote");
	if (!remote)
		remote = otherwise;
	return remote && !str_equal(remote, ".") ? remote : NULL;
}

// A name without an address is one itself.
static const char *address_at(const struct gitconfig *config, const char *remote, bool push,
			      unsigned number)
{
	bool own = push && gitway_part(config, "remote.", remote, ".pushurl", 0);
	const char *address =
		gitway_part(config, "remote.", remote, own ? ".pushurl" : ".url", number);
	return address || number > 0 ? address : remote;
}

bool gitway_same(const struct gitconfig *before, const char *was, const struct gitconfig *after,
		 const char *is, bool push)
{
	if (!was || !is) // what goes nowhere any more sends nothing
		return true;
	for (unsigned i = 0; i < ADDRESSES_MAX; i++) {
		const char *a = address_at(before, was, push, i),
			   *b = address_at(after, is, push, i);
		if (!a || !b)
			return !a && !b;
		if (!same_place(a, b))
			return false;
	}
	return false;
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

bool gitway_may_lead(struct arena *arena, const struct gitconfig *before, const char *name,
		     const char *value, bool made)
{
	struct git_address address, old;
	const char *middle = gitway_middle(arena, name), *was = gitconfig_value(before, name);
	bool remote = str_starts(name, "remote."), had = made;
	if (!read_address(value, &address) || (remote && !gitway_is_name(middle)) ||
	    (!remote && was && !same_place(was, value)))
		return false;
	for (unsigned i = 0; i < before->count && !had; i++)
		had = str_starts(before->entries[i].name, "remote.") &&
		      str_equal(before->entries[i].value, value);
	if (was && read_address(was, &old))
		had = had || old.transport == address.transport;
	return had || (address.transport != HTTP && address.transport != PATH) ||
	       (!remote && address.transport == PATH);
}
