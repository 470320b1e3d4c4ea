// Owns the question whether git tracks such a file, and how git in the box leaves it alone.
#include "view/secrets/hide.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "view/paths/wishes.h"

enum { FILE_MAX = 1 << 20, HASHED_MAX = 8 << 20, INDEX_MAX = 32 << 20, EXCLUDE_MAX = 128 << 10 };

// A file is read once, however often an index lists it, and no more than so many bytes in all: what
// is beyond them is hidden.
static bool is_tracked(struct arena *arena, struct untracked_file *found,
		       const struct gitindex_entry *entries, unsigned count, size_t *hashed)
{
	const char *text;
	size_t length;
	struct gitblob content = { .bytes = 0 };
	for (unsigned i = 0; i < count; i++) {
		const struct gitindex_entry *entry = &entries[i];
		if (!str_equal(entry->path, found->name))
			continue;
		found->listed = true;
		if (entry->stage != 0)
			continue;
		if (content.bytes == 0) {
			if (*hashed > HASHED_MAX || file_read(AT_FDCWD, found->path, 0, FILE_MAX,
							      arena, &text, &length) != 1)
				return false;
			*hashed += length;
			gitblob_name(arena, text, length, entry->id_bytes, &content);
		}
		if (gitblob_is(&content, entry->id))
			return true;
	}
	return false;
}

// Leaves those that git does not track.
static void drop_tracked(struct untracked *files, const char *index)
{
	const struct gitindex_entry *entries = NULL;
	const char *bytes;
	unsigned count = 0, kept = 0, used = 0;
	size_t length, hashed = 0;
	struct arena *brief = arena_new_of((size_t)128 << 20);
	const char **names = arena_take(brief, (files->count + 1) * sizeof(*names));
	for (unsigned i = 0; i < files->count; i++)
		names[i] = files->list[i].name;
	if (file_read(AT_FDCWD, index, 0, INDEX_MAX, brief, &bytes, &length) == 1 &&
	    ATTEMPT(gitindex_find(brief, bytes, length, names, files->count, &entries, &count)) < 0)
		count = 0;
	for (unsigned i = 0; i < files->count; i++) {
		struct untracked_file *found = &files->list[i];
		if (!wishes_is_named(files->wishes, found->path, found->item->from.order) &&
		    !is_tracked(brief, found, entries, count, &hashed)) {
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

// So that 'git add -A' does not take the mask for a new file: in the box the list of what
// git leaves alone has these names, too. False: there is no such list.
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

// A next run finds the file by them.
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
		mask.absent = plan->tier == TIER_FULL && !plan->nested && !found->shut &&
			      (excluded || found->listed) &&
			      exclude_line(plan->scratch, found->name);
		plan->absent = plan->absent || mask.absent;
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
	if (files->unread + files->visible > 0)
		list_add(&plan->warnings, plan->arena,
			 arena_text(plan->arena,
				    "files like '%s' are visible in %u directories that were not "
				    "searched, and %u others; to hide all: --hide '**/%s'",
				    first->text, files->unread, files->visible, first->text),
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

int untracked_plan(struct wishes *wishes)
{
	struct plan *plan = wishes->plan;
	struct untracked files = { .wishes = wishes };
	if (!plan->profile->hide_untracked.first || !plan->project ||
	    !wishes_is_seen(wishes, plan->project))
		return 0;
	files.arena = arena_new_own(UNTRACKED_BYTES);
	int result = untracked_search(&files);
	if (result == 0)
		result = hide_all(&files);
	arena_free(files.arena);
	return result;
}
