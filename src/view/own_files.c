// Owns the files that the box has in place of the host's: hosts, resolv.conf, certificates,
// sudoers, ssh_config.d, and the file of code that `sbx code` runs.
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "view/paths/wishes.h"

static int add_text(struct wishes *wishes, const char *path, const char *text)
{
	struct resolved resolved;
	struct mount mount = { .kind = MOUNT_TEXT,
			       .access = ACCESS_READ,
			       .optional = true,
			       .target = path,
			       .source = text,
			       .from = { .file = "network", .order = ORDER_FLAGS } };
	int found = resolve_path(wishes->resolver, path, &resolved);
	if (found < 0)
		return -1;
	if (found) {
		mount.target = resolved.path;
		mount.identity = resolved.identity;
	}
	return wishes_add(wishes, &mount, false);
}

// Leaves out the host's addresses, which would bypass the proxy, and its search list, which would
// query names that nobody typed.
int own_hosts(struct wishes *wishes)
{
	const char *name = wishes->plan->profile->hostname;
	TRY(add_text(wishes, "/etc/resolv.conf", "nameserver 127.0.0.1\n"));
	return add_text(
		wishes, "/etc/hosts",
		arena_text(wishes->arena,
			   "127.0.0.1 localhost%s%s\n::1 localhost ip6-localhost ip6-loopback\n",
			   name ? " " : "", name ? name : ""));
}

// Returns the kernel's text with the box's limit as the memory, and without other processes'
// caches.
static const char *meminfo_text(struct arena *arena, const char *real, uint64_t limit)
{
	static const char *const caches[] = { "Buffers",  "Cached",       "SwapCached", "Active",
					      "Inactive", "SReclaimable", "Shmem" };
	const char *text = "";
	for (const char *line = real, *end; (end = strchr(line, '\n')); line = end + 1) {
		int name = (int)strcspn(line, ":\n");
		bool memory = str_starts(line, "Mem");
		bool cache = false;
		for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++)
			cache = cache || str_starts(line, caches[i]);
		text = memory || cache
			       ? arena_text(arena, "%s%.*s: %15llu kB\n", text, name, line,
					    memory ? (unsigned long long)(limit >> 10) : 0ULL)
			       : arena_text(arena, "%s%.*s\n", text, (int)(end - line), line);
	}
	return text;
}

int own_meminfo(struct wishes *wishes)
{
	const struct plan *plan = wishes->plan;
	const struct limits *limits = &plan->profile->limits;
	struct mount file = { .kind = MOUNT_TEXT,
			      .access = ACCESS_READ,
			      .target = "/proc/meminfo",
			      .from = { .file = "memory", .order = ORDER_FLAGS } };
	char real[4096];
	if (limits->memory == UNLIMITED || (limits->soft & LIMIT_BIT(memory)) || plan->nested ||
	    plan->tier != TIER_FULL || file_kernel(AT_FDCWD, file.target, real, sizeof(real)) == 0)
		return 0;
	file.source = meminfo_text(wishes->arena, real, limits->memory);
	return wishes_add(wishes, &file, false);
}

int own_snippet(struct wishes *wishes)
{
	struct mount code = { .kind = MOUNT_TEXT,
			      .access = ACCESS_READ,
			      .from = { .file = "code", .order = ORDER_FLAGS } };
	code.target = wishes->plan->snippet.path;
	code.source = wishes->plan->snippet.text;
	return code.target ? wishes_add(wishes, &code, false) : 0;
}

int own_zshrc(struct wishes *wishes)
{
	const struct plan *plan = wishes->plan;
	struct mount file = { .kind = MOUNT_TEXT,
			      .access = ACCESS_READ,
			      .source = "# The box's own: your ~/.zshrc is not in it.\n",
			      .from = { .file = "zsh" } };
	const struct mount *home = wishes_seen(wishes, plan->real_home);
	file.target = path_below(wishes->arena, plan->real_home, ".zshrc");
	if (!plan->command || !plan->command[0] || plan->tier != TIER_FULL ||
	    !str_equal(path_name(plan->command[0]), "zsh") || !home || home->kind != MOUNT_TMPFS ||
	    wishes_seen(wishes, file.target) != home)
		return 0;
	return wishes_add(wishes, &file, false);
}

int roots_plan(struct wishes *wishes)
{
	const struct plan *plan = wishes->plan;
	struct resolved resolved;
	struct mount roots = { .kind = MOUNT_TEXT,
			       .access = ACCESS_READ,
			       .from = { .file = "secret", .order = ORDER_FLAGS } };
	if (!plan->roots_path)
		return 0;
	int found = resolve_path(wishes->resolver, plan->roots_path, &resolved);
	TRY(found);
	if (!found)
		return fail(0, "'%s' is not there any more", plan->roots_path);
	roots.target = resolved.path;
	roots.identity = resolved.identity;
	roots.source = plan->trusted ? plan->trusted : plan->roots;
	return wishes_add(wishes, &roots, false);
}

int sudo_plan(struct wishes *wishes)
{
	struct resolved resolved;
	struct mount rules = { .kind = MOUNT_TEXT,
			       .access = ACCESS_READ,
			       .mode = 0440,
			       .source = "root ALL=(ALL:ALL) NOPASSWD: ALL\n",
			       .from = { .file = "as-root", .order = ORDER_FLAGS } };
	if (!wishes->plan->as_root)
		return 0;
	int found = resolve_path(wishes->resolver, "/etc/sudoers", &resolved);
	if (found <= 0 || resolved.identity.type != S_IFREG)
		return found < 0 ? -1 : 0;
	rules.target = resolved.path;
	rules.identity = resolved.identity;
	return wishes_add_wall(wishes, &rules);
}

enum { FILES_MAX = 64, BYTES_MAX = 64 << 10 };

// Its files are copied: ssh(1) rejects those of an unknown owner (ssh_config(5)).
static const char directory[] = "/etc/ssh/ssh_config.d";

static const char *copy_of(struct arena *arena, const struct resolved *file)
{
	struct stat status;
	const char *text;
	size_t length;
	autoclose int fd = file_open(AT_FDCWD, file->path, 0, &status);
	if (fd < 0 || status.st_dev != file->identity.device ||
	    status.st_ino != file->identity.inode || status.st_uid != 0 ||
	    (status.st_mode & (S_IWGRP | S_IWOTH | S_IROTH)) != S_IROTH ||
	    file_read_open(fd, &status, BYTES_MAX, arena, &text, &length) != 1 ||
	    strlen(text) != length)
		return NULL;
	return text;
}

static int add(struct wishes *wishes, const char *name)
{
	struct mount own = { .kind = MOUNT_TEXT,
			     .access = ACCESS_READ,
			     .from = { .file = "owners", .order = ~0U } };
	struct resolved file;
	int found = ATTEMPT(
		resolve_path(wishes->resolver, path_below(wishes->arena, directory, name), &file));
	if (found != 1 || file.identity.type != S_IFREG || !wishes_is_seen(wishes, file.path))
		return 0;
	own.target = file.path;
	own.identity = file.identity;
	own.source = copy_of(wishes->arena, &file);
	return own.source ? wishes_add(wishes, &own, false) : 0;
}

enum { INCLUDES_MAX = 64, INCLUDE_DEPTH = 4 };

static int include_text(struct wishes *wishes, const char *text, struct origin from,
			unsigned depth);

// Shows a small text file that has no key, unless a box could have made a link on the way.
static int include_file(struct wishes *wishes, const char *path, struct origin from, unsigned depth)
{
	struct resolved file;
	const char *text;
	size_t length;
	if (depth > INCLUDE_DEPTH || !path_within(path, wishes->plan->real_home) ||
	    ATTEMPT(resolve_path(wishes->resolver, path, &file)) != 1 ||
	    planted_is(wishes, &file) ||
	    ATTEMPT(file_read(AT_FDCWD, file.path, 0, BYTES_MAX, wishes->arena, &text, &length)) !=
		    1 ||
	    strstr(text, "PRIVATE KEY"))
		return 0;
	TRY(depth > 0 ? wishes_add_path(wishes, path, from, ACCESS_READ) : 0);
	return include_text(wishes, text, from, depth + 1);
}

// Relative patterns are below ~/.ssh (ssh_config(5), Include).
static int include_pattern(struct wishes *wishes, const char *pattern, struct origin from,
			   unsigned depth)
{
	const char *home = wishes->plan->real_home;
	glob_t found;
	int result = 0;
	if (str_starts(pattern, "~/"))
		pattern = path_below(wishes->arena, home, pattern + 2);
	else if (pattern[0] != '/')
		pattern =
			path_below(wishes->arena, path_below(wishes->arena, home, ".ssh"), pattern);
	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc && i < INCLUDES_MAX && result >= 0; i++)
		result = include_file(wishes, path_clean(wishes->arena, found.gl_pathv[i]), from,
				      depth);
	globfree(&found);
	return result;
}

// Gives the box an empty directory in place of the caller's ssh control sockets.
static int control_directory(struct wishes *wishes, const char *word, struct origin from)
{
	struct resolved resolved;
	struct mount own = {
		.kind = MOUNT_TMPFS, .access = ACCESS_WRITE, .mode = 0700, .from = from
	};
	const char *home = wishes->plan->real_home, *ours = path_below(wishes->arena, home, ".ssh");
	if (str_starts(word, "~/"))
		word = path_below(wishes->arena, home, word + 2);
	const char *path = path_parent(wishes->arena, path_clean(wishes->arena, word));
	if (!path_within(path, ours) || str_equal(path, ours) || wishes->plan->session ||
	    ATTEMPT(resolve_path(wishes->resolver, path, &resolved)) != 1 ||
	    resolved.identity.type != S_IFDIR || !str_equal(resolved.path, path))
		return 0;
	own.target = path;
	own.identity = resolved.identity;
	return wishes_add(wishes, &own, false);
}

// A line has a keyword in any letter case, then words, which may be quoted.
static int include_line(struct wishes *wishes, char *line, struct origin from, unsigned depth)
{
	static const char include[] = "include", control[] = "controlpath";
	line += strspn(line, " \t");
	size_t length = strcspn(line, " \t=");
	bool path = length == strlen(control) && strncasecmp(line, control, length) == 0;
	if (!path && (length != strlen(include) || strncasecmp(line, include, length) != 0))
		return 0;
	for (char *at = line + length; *(at += strspn(at, " \t=\r"));) {
		bool quoted = *at == '"';
		char *word = at + quoted, *end = word + strcspn(word, quoted ? "\"" : " \t\r");
		at = end + (*end != '\0');
		*end = '\0';
		TRY(path ? control_directory(wishes, word, from)
			 : include_pattern(wishes, word, from, depth));
	}
	return 0;
}

static int include_text(struct wishes *wishes, const char *text, struct origin from, unsigned depth)
{
	char *lines = arena_copy(wishes->arena, text, strlen(text)), *rest = NULL;
	for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		TRY(include_line(wishes, line, from, depth));
	return 0;
}

int own_includes(struct wishes *wishes, const struct item *item)
{
	const char *path;
	if (!str_ends(item->text, "/.ssh/config") ||
	    ATTEMPT(resolve_expand(wishes->arena, &wishes->places, item, &path)) != 1)
		return 0;
	return include_file(wishes, path, item->from, 0);
}

int owners_plan(struct wishes *wishes)
{
	const struct plan *plan = wishes->plan;
	unsigned count = 0;
	if (plan->uid == 0 || plan->as_root || plan->tier != TIER_FULL ||
	    !wishes_is_seen(wishes, directory) || wishes_is_lasting(wishes, directory))
		return 0;
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entries_each (entry, fd)
		if (str_ends(entry->name, ".conf") && count++ < FILES_MAX)
			TRY(add(wishes, entry->name));
	return 0;
}
