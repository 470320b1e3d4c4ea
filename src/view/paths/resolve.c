// Owns the resolving of written paths to real ones. Reads the file system, changes nothing.
#include "view/paths/wishes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "names/names.h"

static char *expand_variables(struct arena *arena, const struct places *places, const char *text,
			      const char **ret_name)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	char *result = arena_copy(arena, "", 0);
	while (*text) {
		size_t plain = strcspn(text, "$");
		result = arena_text(arena, "%s%.*s", result, (int)plain, text);
		text += plain;
		if (*text != '$')
			break;
		size_t length = strspn(++text, letters);
		const char *value = homes_value(places->environment, text, length);
		if (!value || !value[0]) {
			*ret_name = arena_copy(arena, text, length);
			return NULL;
		}
		result = arena_text(arena, "%s%s", result, value);
		text += length;
	}
	return result;
}

int resolve_expand(struct arena *arena, const struct places *places, const struct item *item,
		   const char **ret_path)
{
	const char *text = item->text, *unset = NULL;
	bool optional = text[0] == '?', flag = item->from.line == 0;
	text += optional;
	if (strchr(text, '$'))
		text = expand_variables(arena, places, text, &unset);
	if (!text)
		return optional ? 0
				: fail(0,
				       "%s$%s is not set; prefix the path with '?' if it may be "
				       "missing",
				       origin_text(arena, item->from), unset);
	if (str_equal(text, "~") || str_starts(text, "~/"))
		*ret_path = path_join(arena, places->home, text[1] ? text + 2 : ".");
	else if (text[0] == '/')
		*ret_path = path_clean(arena, text);
	else if (flag)
		*ret_path = path_join(arena, places->current, text);
	else if (places->project)
		*ret_path = path_join(arena, places->project, text);
	else
		return 0;
	return 1;
}

enum { SLOTS_FIRST = 512, LISTED_PATH_MAX = 512, LISTED_BYTES = 32768, FILTER_BITS = 1 << 16 };

struct resolve_entry {
	const char *path;
	int error;
	// A Bloom filter of a listed directory's names; NULL: it is not listed. A false positive
	// costs one lstat().
	uint64_t *filter;
	struct identity identity;
	const char *text;
};

struct resolver {
	struct arena *arena, *scratch;
	unsigned used, slots; // slots: a power of two; at most three quarters are used
	struct resolve_entry *entries;
	const char *listed; // the first listed directory: the home, where most lookups are
	const uint64_t *listed_filter;
	size_t listed_length;
	unsigned listed_hash;
};

struct resolver *resolver_new(struct arena *arena, struct arena *scratch)
{
	struct resolver *resolver = arena_take(scratch, sizeof(*resolver));
	resolver->arena = arena;
	resolver->scratch = scratch;
	resolver->slots = SLOTS_FIRST;
	resolver->entries = arena_take(scratch, SLOTS_FIRST * sizeof(struct resolve_entry));
	return resolver;
}

static void look_at_link(struct resolver *resolver, struct resolve_entry *entry)
{
	char text[4096] __attribute__((uninitialized));
	ssize_t size = readlink(entry->path, text, sizeof(text));
	if (size < 0)
		entry->error = errno;
	else
		entry->text = arena_copy(resolver->arena, text, (size_t)size);
}

static void look(struct resolver *resolver, struct resolve_entry *entry)
{
	struct stat status;
	if (lstat(entry->path, &status) < 0) {
		entry->error = errno;
		return;
	}
	entry->identity =
		(struct identity){ status.st_dev, status.st_ino, status.st_mode & S_IFMT };
	if (S_ISLNK(status.st_mode))
		look_at_link(resolver, entry);
}

static const unsigned HASH_EMPTY = 2166136261U, HASH_PRIME = 16777619U;
static unsigned hash_more(unsigned hash, char byte)
{
	return (hash ^ (unsigned char)byte) * HASH_PRIME;
}

static struct resolve_entry *slot_at(const struct resolver *resolver, const char *path,
				     unsigned hash)
{
	unsigned last = resolver->slots - 1;
	struct resolve_entry *entry = &resolver->entries[hash & last];
	while (entry->path && !str_equal(entry->path, path))
		entry = &resolver->entries[++hash & last];
	return entry;
}

static struct resolve_entry *slot_of(const struct resolver *resolver, const char *path)
{
	unsigned hash = HASH_EMPTY;
	for (const char *byte = path; *byte; byte++)
		hash = hash_more(hash, *byte);
	return slot_at(resolver, path, hash);
}

static void grow(struct resolver *resolver)
{
	const struct resolve_entry *old = resolver->entries;
	unsigned count = resolver->slots;
	resolver->slots *= 2;
	resolver->entries = arena_take(resolver->scratch, resolver->slots * sizeof(*old));
	for (unsigned i = 0; i < count; i++)
		if (old[i].path)
			*slot_of(resolver, old[i].path) = old[i];
}

static struct resolve_entry *add(struct resolver *resolver, const char *path)
{
	if (++resolver->used * 4 > resolver->slots * 3)
		grow(resolver);
	struct resolve_entry *entry = slot_of(resolver, path);
	entry->path = arena_copy(resolver->arena, path, strlen(path));
	return entry;
}

static unsigned hash_of(const char *name, size_t length)
{
	unsigned hash = HASH_EMPTY;
	for (size_t i = 0; i < length; i++)
		hash = hash_more(hash, name[i]);
	return (hash ^ hash >> 16) % FILTER_BITS;
}

static bool is_in(const uint64_t *filter, const char *name, size_t length)
{
	unsigned bit = hash_of(name, length);
	return filter[bit / 64] >> bit % 64 & 1;
}

static bool is_missing(const struct resolver *resolver, const char *path)
{
	char parent[LISTED_PATH_MAX];
	const char *name = path_name(path);
	size_t length = (size_t)(name - path - 1);
	if (length == 0 || length >= sizeof(parent))
		return false;
	memcpy(parent, path, length);
	parent[length] = '\0';
	const uint64_t *filter = slot_of(resolver, parent)->filter;
	return filter && !is_in(filter, name, strlen(name));
}

static const struct resolve_entry *entry_of(struct resolver *resolver, const char *path)
{
	struct resolve_entry *entry = slot_of(resolver, path);
	bool fresh = !entry->path;
	if (fresh) {
		bool missing = is_missing(resolver, path);
		entry = add(resolver, path);
		entry->error = missing ? ENOENT : 0;
	}
	if (fresh && !entry->error)
		look(resolver, entry);
	return entry;
}

// Whether the cache proves that the path is missing: its first name without an entry is not in its
// directory's listing. False after a symlink.
bool resolver_lacks(const struct resolver *resolver, const char *path)
{
	char part[LISTED_PATH_MAX] __attribute__((uninitialized));
	size_t length = strlen(path), known = resolver->listed_length;
	bool listed = resolver->listed && strncmp(path, resolver->listed, known) == 0 &&
		      path[known] == '/';
	size_t from = listed ? known + 1 : 1;
	const uint64_t *filter = listed ? resolver->listed_filter : NULL;
	unsigned hash = listed ? resolver->listed_hash : HASH_EMPTY;
	if (length >= sizeof(part))
		return false;
	if (listed)
		memcpy(part, path, known);
	for (size_t i = from; i <= length; i++) {
		part[i - 1] = path[i - 1];
		hash = hash_more(hash, path[i - 1]);
		if (path[i] != '/' && path[i] != '\0')
			continue;
		part[i] = '\0';
		const struct resolve_entry *entry = slot_at(resolver, part, hash);
		if (!entry->path)
			return filter && !is_in(filter, path + from, i - from);
		if (entry->text || entry->error)
			return entry->error == ENOENT;
		filter = entry->filter;
		from = i + 1;
	}
	return false;
}

static void list_names(struct resolver *resolver, const char *directory)
{
	static _Alignas(struct sys_entry) char entries[LISTED_BYTES];
	long size = -1;
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct resolve_entry *own = slot_of(resolver, directory);
	if (fd < 0 || !own->path || own->filter)
		return;
	uint64_t *filter = arena_take(resolver->scratch, FILTER_BITS / 8);
	while ((size = sys_getdents(fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size;) {
			const struct sys_entry *entry = (const void *)(entries + at);
			unsigned bit = hash_of(entry->name, strlen(entry->name));
			at += entry->size;
			filter[bit / 64] |= (uint64_t)1 << bit % 64;
		}
	if (size != 0)
		return;
	own->filter = filter;
	if (resolver->listed)
		return;
	resolver->listed = own->path;
	resolver->listed_filter = filter;
	resolver->listed_length = strlen(own->path);
	resolver->listed_hash = HASH_EMPTY;
	for (const char *byte = own->path; *byte; byte++)
		resolver->listed_hash = hash_more(resolver->listed_hash, *byte);
}

struct resolve_walk {
	char done[4096];
	size_t used;
	const char *rest;
};

static int take_name(struct resolve_walk *walk)
{
	size_t length = strcspn(walk->rest, "/");
	const char *name = walk->rest;
	walk->rest += length + (name[length] == '/');
	if (length == 0 || (length == 1 && name[0] == '.'))
		return 0;
	if (length == 2 && name[0] == '.' && name[1] == '.') {
		while (walk->used > 0 && walk->done[--walk->used] != '/')
			;
		return 0;
	}
	if (walk->used + length + 2 > sizeof(walk->done))
		return -1;
	walk->done[walk->used++] = '/';
	memcpy(walk->done + walk->used, name, length);
	walk->used += length;
	walk->done[walk->used] = '\0';
	return 1;
}

// Resolves one component at a time, as each symlink is made again in the box.
int resolve_path(struct resolver *resolver, const char *path, struct resolved *ret_resolved)
{
	struct resolve_walk walk __attribute__((uninitialized));
	walk.used = 0;
	walk.rest = path;
	ret_resolved->link_count = 0;
	ret_resolved->identity = (struct identity){ .type = S_IFDIR };
	ret_resolved->path = path;
	while (*walk.rest) {
		size_t before = walk.used;
		int taken = take_name(&walk);
		if (taken == 0)
			continue;
		if (taken < 0)
			return fail(ENAMETOOLONG, "'%s'", path);
		const struct resolve_entry *entry = entry_of(resolver, walk.done);
		if (entry->error == ENOENT || entry->error == ENOTDIR) {
			ret_resolved->identity = (struct identity){ 0 };
			ret_resolved->path = path_join(resolver->arena, walk.done, walk.rest);
			return 0;
		}
		ret_resolved->path = entry->path;
		if (entry->error)
			return fail(entry->error, "'%s'", walk.done);
		ret_resolved->identity = entry->identity;
		if (!entry->text)
			continue;
		if (ret_resolved->link_count == LINKS_MAX)
			return fail(ELOOP, "'%s'", path);
		ret_resolved->links[ret_resolved->link_count++] =
			(struct link){ entry->path, entry->text };
		walk.rest = arena_text(resolver->arena, "%s/%s", entry->text, walk.rest);
		walk.used = entry->text[0] == '/' ? 0 : before;
	}
	ret_resolved->path =
		arena_copy(resolver->arena, walk.used ? walk.done : "/", walk.used ? walk.used : 1);
	return 1;
}

const char *resolve_real(struct resolver *resolver, const char *path)
{
	struct resolved resolved;
	if (ATTEMPT(resolve_path(resolver, path, &resolved)) >= 0)
		return resolved.path;
	if (str_equal(path, "/"))
		return path;
	const char *parent = resolve_real(resolver, path_parent(resolver->arena, path));
	return path_below(resolver->arena, parent, path_name(path));
}

void resolver_list_home(struct resolver *resolver, struct arena *arena, const char *home)
{
	static const char *const places[] = { "", "/.config", "/.local/share" };
	struct resolved resolved;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *path = arena_text(arena, "%s%s", home, places[i]);
		int found = ATTEMPT(resolve_path(resolver, path, &resolved));
		if (found == 1 && str_equal(resolved.path, path) &&
		    resolved.identity.type == S_IFDIR)
			list_names(resolver, path);
	}
}
