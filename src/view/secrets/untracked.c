// Owns the search for such files, the question whether git tracks one, and how git in the box
// leaves it alone.
#include "view/secrets/untracked.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "git/gitindex.h"
#include "text/sha.h"
#include "view/paths/resolve.h"
#include "view/paths/wishes.h"

// From the top down, the nearest first: packages/web/.env, apps/web/config/.env and no deeper.
enum { DIRECTORIES_MAX = 1000, DEPTH_MAX = 3, FOUND_MAX = 128, ENTRIES_BYTES = 8192 };
enum { FILE_MAX = 1 << 20, INDEX_MAX = 32 << 20, EXCLUDE_MAX = 128 << 10 };

struct found {
	const char *path, *name; // and below the project
	const struct item *item;
	struct identity identity;
	bool listed; // with another content
};

struct untracked_search {
	struct wishes *wishes;
	struct queued {
		const char *path;
		unsigned depth;
	} queue[DIRECTORIES_MAX];
	unsigned queued;
	struct found found[FOUND_MAX];
	unsigned count;
	bool cut;
};

// Nobody's own files are in these.
static bool is_passed_over(const char *name)
{
	static const char *const names[] = { "node_modules", "vendor", "target", "__pycache__" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_equal(name, names[i]))
			return true;
	return name[0] == '.';
}

// Some file systems fold case: .ENV is one of them everywhere.
static const struct item *wanted(const struct wishes *wishes, const char *name)
{
	char lower[256];
	size_t length = strlen(name);
	if (length >= sizeof(lower))
		return NULL;
	for (size_t i = 0; i <= length; i++)
		lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
	list_each (item, &wishes->plan->profile->hide_untracked)
		if (str_match(lower, item->text))
			return item;
	return NULL;
}

// By somebody who wrote its very path after the line that hides it.
static bool is_named(const struct wishes *wishes, const char *path, const struct item *item)
{
	for (unsigned i = 0; i < wishes->count; i++) {
		const struct mount *mount = &wishes->list[i].mount;
		if (!wishes->list[i].wall && !mount->cache &&
		    (mount->kind == MOUNT_BIND || mount->kind == MOUNT_SCRATCH) &&
		    mount->from.order > item->from.order && str_equal(mount->target, path))
			return true;
	}
	return false;
}

static void add_found(struct untracked_search *search, const char *path, const struct item *item)
{
	struct wishes *wishes = search->wishes;
	const char *project = wishes->plan->project;
	struct resolved file;
	int found = ATTEMPT(resolve_path(wishes->resolver, path, &file));
	if (found != 1 || file.identity.type == S_IFDIR || !path_within(file.path, project) ||
	    path_within(file.path, path_below(wishes->plan->scratch, project, ".git")) ||
	    is_named(wishes, file.path, item))
		return;
	search->cut = search->cut || search->count == FOUND_MAX;
	if (search->count < FOUND_MAX)
		search->found[search->count++] =
			(struct found){ file.path, file.path + strlen(project) + 1, item,
					file.identity, false };
}

static void add_entry(struct untracked_search *search, const struct queued *above,
		      const struct sys_entry *entry)
{
	struct arena *arena = search->wishes->arena;
	const char *name = entry->name;
	const struct item *item = wanted(search->wishes, name);
	if (str_equal(name, ".") || str_equal(name, ".."))
		return;
	if (item && entry->type != DT_DIR)
		add_found(search, path_below(arena, above->path, name), item);
	if ((entry->type != DT_DIR && entry->type != DT_UNKNOWN) || above->depth == DEPTH_MAX ||
	    is_passed_over(name))
		return;
	search->cut = search->cut || search->queued == DIRECTORIES_MAX;
	if (search->queued < DIRECTORIES_MAX)
		search->queue[search->queued++] =
			(struct queued){ path_below(arena, above->path, name), above->depth + 1 };
}

// One that cannot be listed could be opened by the box, which may be its owner: it is hidden whole.
static int hide_shut(struct untracked_search *search, const char *path)
{
	struct wishes *wishes = search->wishes;
	struct resolved directory;
	struct stat status;
	if (lstat(path, &status) < 0 || !S_ISDIR(status.st_mode) ||
	    status.st_uid != wishes->plan->uid ||
	    ATTEMPT(resolve_path(wishes->resolver, path, &directory)) != 1)
		return 0;
	const struct item *item = wishes->plan->profile->hide_untracked.first;
	struct mount mask = { .kind = MOUNT_MASK, .access = ACCESS_NOTHING, .from = item->from };
	mask.target = directory.path;
	mask.identity = directory.identity;
	list_add(&wishes->plan->warnings, wishes->arena,
		 arena_text(wishes->arena,
			    "'%s' cannot be searched for '%s' and is hidden as a whole (its mode "
			    "is %04o)",
			    str_shown(path), item->text, (unsigned)status.st_mode & 07777),
		 item->from);
	return wishes_add(wishes, &mask, false);
}

static int search_all(struct untracked_search *search)
{
	_Alignas(struct sys_entry) char entries[ENTRIES_BYTES] __attribute__((uninitialized));
	for (unsigned i = 0; i < search->queued; i++) {
		const struct queued directory = search->queue[i];
		long size;
		autoclose int fd =
			open(directory.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 && errno == EACCES)
			TRY(hide_shut(search, directory.path));
		while (fd >= 0 && (size = sys_getdents(fd, entries, sizeof(entries))) > 0)
			for (long at = 0; at < size;) {
				const struct sys_entry *entry = (const void *)(entries + at);
				at += entry->size;
				add_entry(search, &directory, entry);
			}
	}
	return 0;
}

// As git names a file's content: as it is, and with the line ends that a checkout may have changed.
// Who knows one of the two names knows the content.
static bool has_content(struct arena *arena, const struct gitindex_entry *entry, const char *text,
			size_t length)
{
	char *whole = arena_take(arena, length + 32);
	unsigned char name[SHA256_BYTES];
	for (int round = 0; round < 2; round++) {
		char *body = arena_take(arena, length + 1);
		size_t used = 0;
		for (size_t i = 0; i < length; i++)
			if (round == 0 || text[i] != '\r' || i + 1 == length || text[i + 1] != '\n')
				body[used++] = text[i];
		size_t front = (size_t)snprintf(whole, 32, "blob %zu", used) + 1;
		memcpy(whole + front, body, used);
		if (entry->id_bytes == SHA1_BYTES)
			sha1(whole, front + used, name);
		else
			sha256(whole, front + used, name);
		if (memcmp(name, entry->id, entry->id_bytes) == 0)
			return true;
	}
	return false;
}

static bool is_tracked(struct arena *arena, struct found *found,
		       const struct gitindex_entry *entries, unsigned count)
{
	const char *text;
	size_t length;
	for (unsigned i = 0; i < count; i++) {
		const struct gitindex_entry *entry = &entries[i];
		if (!str_equal(entry->path, found->name))
			continue;
		found->listed = true;
		if (entry->stage == 0 &&
		    file_read(AT_FDCWD, found->path, 0, FILE_MAX, arena, &text, &length) == 1 &&
		    has_content(arena, entry, text, length))
			return true;
	}
	return false;
}

// Leaves those that git does not track.
static void drop_tracked(struct untracked_search *search, const char *index)
{
	const struct gitindex_entry *entries = NULL;
	const char *names[FOUND_MAX], *bytes;
	unsigned count = 0, kept = 0;
	size_t length;
	struct arena *brief = arena_new_of((size_t)128 << 20);
	for (unsigned i = 0; i < search->count; i++)
		names[i] = search->found[i].name;
	if (file_read(AT_FDCWD, index, 0, INDEX_MAX, brief, &bytes, &length) == 1 &&
	    ATTEMPT(gitindex_find(brief, bytes, length, names, search->count, &entries, &count)) <
		    0)
		count = 0;
	for (unsigned i = 0; i < search->count; i++)
		if (!is_tracked(brief, &search->found[i], entries, count))
			search->found[kept++] = search->found[i];
	search->count = kept;
	arena_free(brief);
}

// A line of .git/info/exclude; NULL: none can say it.
static const char *exclude_line(struct arena *arena, const char *name)
{
	char *line = arena_take(arena, 2 * strlen(name) + 3), *end = line;
	size_t length = strlen(name);
	if (strchr(name, '\n') || name[length - 1] == ' ')
		return NULL;
	*end++ = '/';
	for (; *name; name++) {
		if (strchr("*?[\\", *name))
			*end++ = '\\';
		*end++ = *name;
	}
	*end++ = '\n';
	return line;
}

// So that 'git add -A' does not take what stands there for a new file: in the box the list of what
// git leaves alone has these names, too. False: there is no such list.
static bool exclude(struct untracked_search *search, const char *git, int *ret_result)
{
	struct wishes *wishes = search->wishes;
	struct arena *scratch = wishes->plan->scratch;
	struct resolved file;
	const char *text, *lines = "", *path = path_join(scratch, git, "info/exclude");
	size_t length;
	if (ATTEMPT(resolve_path(wishes->resolver, path, &file)) != 1 ||
	    file.identity.type != S_IFREG)
		return false;
	if (file_read(AT_FDCWD, file.path, 0, EXCLUDE_MAX, scratch, &text, &length) != 1 ||
	    strlen(text) != length)
		return false;
	for (unsigned i = 0; i < search->count; i++) {
		const char *line = exclude_line(scratch, search->found[i].name);
		lines = arena_text(scratch, "%s%s", lines, line ? line : "");
	}
	struct mount own = { .kind = MOUNT_TEXT, .access = ACCESS_READ };
	own.from = search->found[0].item->from;
	own.target = file.path;
	own.identity = file.identity;
	own.source = arena_text(wishes->arena, "%s%s# hidden in this box\n%s", text,
				length > 0 && text[length - 1] != '\n' ? "\n" : "", lines);
	*ret_result = wishes_add_wall(wishes, &own);
	return true;
}

static int hide_found(struct untracked_search *search, bool excluded)
{
	struct wishes *wishes = search->wishes;
	struct plan *plan = wishes->plan;
	for (unsigned i = 0; i < search->count; i++) {
		const struct found *found = &search->found[i];
		struct mount mask = { .kind = MOUNT_MASK, .access = ACCESS_NOTHING };
		mask.from = found->item->from;
		mask.target = found->path;
		mask.identity = found->identity;
		mask.absent = plan->tier == TIER_FULL && !plan->nested &&
			      (excluded || found->listed) &&
			      exclude_line(plan->scratch, found->name);
		plan->absent = plan->absent || mask.absent;
		list_add(found->listed ? &plan->altered : &plan->untracked, plan->arena,
			 found->name, found->item->from);
		TRY(wishes_add(wishes, &mask, false));
	}
	return 0;
}

static int hide_all(struct untracked_search *search)
{
	struct plan *plan = search->wishes->plan;
	struct stat status;
	const char *git = path_below(plan->scratch, plan->project, ".git");
	const char *index = plan->index ? plan->index : path_below(plan->scratch, git, "index");
	bool repository = lstat(git, &status) == 0;
	int result = 0;
	drop_tracked(search, index);
	if (search->count == 0)
		return 0;
	if (plan->tier == TIER_LANDLOCK && plan->profile->project == PROJECT_WRITE) {
		list_add(&plan->warnings, plan->arena,
			 arena_text(plan->arena,
				    "tier landlock cannot hide '%s' in a project that is writable: "
				    "it is readable",
				    str_shown(search->found[0].name)),
			 search->found[0].item->from);
		return 0;
	}
	const char *own = path_parent(plan->scratch, index);
	bool excluded = !repository || exclude(search, own, &result) ||
			exclude(search, path_join(plan->scratch, own, "../.."), &result);
	TRY(result);
	return hide_found(search, excluded);
}

int untracked_plan(struct wishes *wishes)
{
	struct plan *plan = wishes->plan;
	const struct item *first = plan->profile->hide_untracked.first;
	if (!first || !plan->project || !wishes_is_seen(wishes, plan->project))
		return 0;
	struct untracked_search *search = arena_take(plan->scratch, sizeof(*search));
	*search = (struct untracked_search){ .wishes = wishes };
	search->queue[search->queued++] = (struct queued){ plan->project, 0 };
	TRY(search_all(search));
	if (search->cut)
		list_add(&plan->warnings, plan->arena,
			 arena_text(plan->arena,
				    "'%s' was searched for in the first %d directories only; hide "
				    "others by name: --hide",
				    first->text, DIRECTORIES_MAX),
			 first->from);
	return search->count > 0 ? hide_all(search) : 0;
}
