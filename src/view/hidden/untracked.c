// Owns the hiding of files with secrets that git does not track.
#include "view/hidden/hide.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/gitindex.h"
#include "view/paths/wishes.h"

struct untracked_file {
	const char *path, *name;
	const char *link;
	const struct item *item;
	struct identity identity;
	unsigned links;
	bool listed; // git's index has the path with another content
	bool shut;   // an unreadable directory, hidden as a whole
};

struct untracked {
	struct wishes *wishes;
	struct arena *arena;
	struct untracked_file *list;
	unsigned count, room;
	unsigned visible;
};

// UNTRACKED_MAX counts hidden files and their links. UNORDERED_MAX files with all links fit.
enum { UNTRACKED_MAX = 1024, ASKED_MAX = 4096, UNORDERED_MAX = UNTRACKED_MAX / 41 };
#define UNTRACKED_BYTES ((size_t)512 << 20)
enum { FILE_MAX = 1 << 20, HASHED_MAX = 8 << 20, INDEX_MAX = 32 << 20, EXCLUDE_MAX = 128 << 10 };

// True if git tracks this content. Hashes up to HASHED_MAX bytes: the rest counts as untracked.
static bool is_tracked(struct arena *arena, struct untracked_file *found,
		       const struct rows *entries, size_t *hashed)
{
	const char *text;
	size_t length;
	struct gitblob content = { .bytes = 0 };
	rows_each (row, entries) {
		unsigned name = row->number >> 8; // length of a hash that precedes the name
		if ((name != SHA1_BYTES && name != SHA256_BYTES) || row->length <= name ||
		    !str_equal(row->text + name, found->name))
			continue;
		found->listed = true;
		if ((row->number & 0xff) != 0)
			continue;
		if (content.bytes == 0) {
			if (*hashed > HASHED_MAX || file_read(AT_FDCWD, found->path, 0, FILE_MAX,
							      arena, &text, &length) != 1)
				return false;
			*hashed += length;
			gitblob_name(arena, text, length, name, &content);
		}
		if (name == content.bytes && gitblob_is(&content, (const unsigned char *)row->text))
			return true;
	}
	return false;
}

static void drop_tracked(struct untracked *files, const char *index)
{
	struct rows entries = { NULL, 0 };
	unsigned kept = 0, used = 0;
	size_t hashed = 0;
	struct arena *brief = arena_new_of((size_t)128 << 20);
	const char **names = arena_take(brief, (files->count + 1) * sizeof(*names));
	for (unsigned i = 0; i < files->count; i++)
		names[i] = files->list[i].name;
	if (files->count > 0 &&
	    (ATTEMPT(git_ask_index(brief, index, INDEX_MAX, names, files->count, &entries)) < 0 ||
	     rows_text(&entries, ROW_UNCLEAR)))
		entries.count = 0;
	for (unsigned i = 0; i < files->count; i++) {
		struct untracked_file *found = &files->list[i];
		if (!wishes_is_named(files->wishes, found->path, found->item->from.order) &&
		    !is_tracked(brief, found, &entries, &hashed)) {
			used += 1 + found->links;
			if (used <= UNTRACKED_MAX)
				files->list[kept++] = *found;
			else
				files->visible++;
		}
	}
	files->count = kept;
	arena_free(brief);
}

// Returns a line for .git/info/exclude, or NULL when none can express the name.
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

// Adds the names to the box's copy of .git/info/exclude: 'git add -A' then skips the masks. Returns
// false if there is no list.
static bool exclude(struct untracked *files, const char *git, int *ret_result)
{
	struct wishes *wishes = files->wishes;
	struct arena *scratch = wishes->plan->scratch;
	struct resolved file;
	const char *text, *path = path_join(scratch, git, "info/exclude");
	struct out lines = { 0 };
	size_t length;
	if (ATTEMPT(resolve_path(wishes->resolver, path, &file)) != 1 ||
	    file.identity.type != S_IFREG)
		return false;
	if (file_read(AT_FDCWD, file.path, 0, EXCLUDE_MAX, scratch, &text, &length) != 1 ||
	    strlen(text) != length)
		return false;
	for (unsigned i = 0; i < files->count; i++) {
		const struct untracked_file *one = &files->list[i];
		const char *line = one->shut ? NULL : exclude_line(scratch, one->name);
		out_text(&lines, "%s", line ? line : "");
	}
	struct mount own = { .kind = MOUNT_TEXT, .access = ACCESS_READ };
	own.from = files->list[0].item->from;
	own.target = file.path;
	own.identity = file.identity;
	own.source = arena_text(wishes->arena, "%s%s# hidden in this box\n%s", text,
				length > 0 && text[length - 1] != '\n' ? "\n" : "",
				lines.text ? lines.text : "");
	out_free(&lines);
	*ret_result = wishes_add_wall(wishes, &own);
	return true;
}

// Keeps symlinks to the file, by which the next run finds it.
static int keep_links(struct wishes *wishes, const struct untracked_file *found)
{
	struct resolved way;
	return found->link && ATTEMPT(resolve_path(wishes->resolver, found->link, &way)) == 1
		       ? wishes_keep_links(wishes, &way, 0, found->item->from)
		       : 0;
}

static const char *shut_text(struct arena *arena, const struct untracked_file *found)
{
	struct stat status;
	if (lstat(found->path, &status) < 0)
		status.st_mode = 0;
	return arena_text(arena,
			  "'%s' cannot be searched for '%s' and is hidden as a whole (its mode "
			  "is %04o)",
			  str_shown(found->path), found->item->text,
			  (unsigned)status.st_mode & 07777);
}

static int hide_found(struct untracked *files, bool excluded)
{
	struct wishes *wishes = files->wishes;
	struct plan *plan = wishes->plan;
	for (unsigned i = 0; i < files->count; i++) {
		const struct untracked_file *found = &files->list[i];
		struct mount mask = { .kind = MOUNT_MASK, .access = ACCESS_NOTHING };
		mask.from = found->item->from;
		mask.target = found->path;
		mask.identity = found->identity;
		mask.dangling = plan->tier == TIER_FULL && !plan->nested && !found->shut &&
				(excluded || found->listed) &&
				exclude_line(plan->scratch, found->name);
		plan->dangling = plan->dangling || mask.dangling;
		if (found->shut)
			list_add(&plan->warnings, plan->arena, shut_text(plan->arena, found),
				 found->item->from);
		else
			list_add(found->listed ? &plan->altered : &plan->untracked, plan->arena,
				 found->name, found->item->from);
		TRY(wishes_add(wishes, &mask, false));
		TRY(keep_links(wishes, found));
	}
	return 0;
}

static void tell_visible(const struct untracked *files)
{
	struct plan *plan = files->wishes->plan;
	const struct item *first = plan->profile->hide_untracked.first;
	list_add(&plan->notes, plan->arena,
		 arena_text(plan->arena,
			    "files like '%s' are hidden in the top three levels of the project; "
			    "deeper ones are visible",
			    first->text),
		 first->from);
	if (files->visible > 0)
		list_add(&plan->warnings, plan->arena,
			 arena_text(plan->arena,
				    "more files like '%s' than can be hidden: %u are visible; to "
				    "hide all: --hide '**/%s'",
				    first->text, files->visible, first->text),
			 first->from);
}

static int hide_all(struct untracked *files)
{
	struct plan *plan = files->wishes->plan;
	struct stat status;
	const char *git = path_below(plan->scratch, plan->project, ".git");
	const char *index = plan->index ? plan->index : path_below(plan->scratch, git, "index");
	bool repository = lstat(git, &status) == 0;
	int result = 0;
	drop_tracked(files, index);
	tell_visible(files);
	if (files->count == 0)
		return 0;
	if (plan->tier == TIER_LANDLOCK && plan->profile->project == PROJECT_WRITE) {
		list_add(&plan->warnings, plan->arena,
			 arena_text(plan->arena,
				    "tier landlock cannot hide '%s' in a project that is writable: "
				    "it is readable",
				    str_shown(files->list[0].name)),
			 files->list[0].item->from);
		return 0;
	}
	const char *own = path_parent(plan->scratch, index);
	bool excluded = !repository || exclude(files, own, &result) ||
			exclude(files, path_join(plan->scratch, own, "../.."), &result);
	TRY(result);
	return hide_found(files, excluded);
}

static void add(struct untracked *files, const struct item *item, const char *met, bool shut)
{
	struct wishes *wishes = files->wishes;
	const char *project = wishes->plan->project;
	const char *path = arena_copy(wishes->arena, met, strlen(met));
	struct resolved file;
	int found = ATTEMPT(resolve_path(wishes->resolver, path, &file));
	if (found < 0 && !shut) // the file's directory has no x bit
		add(files, item, path_parent(files->arena, met), true);
	if (found <= 0 || (file.identity.type == S_IFDIR) != shut ||
	    !path_within(file.path, project) || str_equal(file.path, project) ||
	    path_within(file.path, path_below(files->arena, project, ".git")) ||
	    wishes_is_hidden(wishes, file.path))
		return;
	for (unsigned i = 0; shut && i < files->count; i++)
		if (str_equal(files->list[i].path, file.path))
			return;
	files->list = arena_grow(files->arena, files->list, files->count, &files->room,
				 sizeof(*files->list));
	files->list[files->count++] =
		(struct untracked_file){ .path = file.path,
					 .name = file.path + strlen(project) + 1,
					 .link = file.link_count > 0 ? path : NULL,
					 .item = item,
					 .identity = file.identity,
					 .links = file.link_count,
					 .shut = shut };
}

struct aged {
	struct pattern_match match;
	int64_t born; // birth time, which a box cannot set
};

static int by_age(const void *left, const void *right)
{
	const struct aged *one = left, *two = right;
	return one->born < two->born ? -1 : one->born > two->born;
}

static void search(struct untracked *files)
{
	const struct pattern_match *matches;
	struct sys_statx status;
	unsigned count = pattern_near(files->wishes, files->arena,
				      &files->wishes->plan->profile->hide_untracked, &matches);
	struct aged *aged = arena_take(files->arena, (count + 1) * sizeof(*aged));
	for (unsigned i = 0; i < count; i++) {
		aged[i] = (struct aged){ .match = matches[i] };
		if (count > UNORDERED_MAX &&
		    sys_statx(AT_FDCWD, matches[i].path, SYS_STATX_BIRTH, &status) == 0)
			aged[i].born = status.birth_seconds * (int64_t)1000000000 +
				       status.birth_nanoseconds;
	}
	if (count > UNORDERED_MAX)
		qsort(aged, count, sizeof(*aged), by_age);
	for (unsigned i = 0; i < count && i < ASKED_MAX; i++)
		add(files, aged[i].match.item, aged[i].match.path, aged[i].match.whole);
	files->visible = count > ASKED_MAX ? count - ASKED_MAX : 0;
}

int untracked_plan(struct wishes *wishes)
{
	struct plan *plan = wishes->plan;
	struct untracked files = { .wishes = wishes };
	if (!plan->profile->hide_untracked.first || !plan->project ||
	    !wishes_is_seen(wishes, plan->project))
		return 0;
	files.arena = arena_new_of(UNTRACKED_BYTES);
	search(&files);
	int result = hide_all(&files);
	arena_free(files.arena);
	return result;
}
