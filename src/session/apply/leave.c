// Owns the copying out of a session to the host.
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
#include "git/recognise.h"
#include "names/trusted.h"
#include "session/apply/apply.h"
#include "session/compare/changes.h"
#include "session/store/store.h"
#include "session/store/rights.h"
#include "text/component.h"

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, DEPTH_MAX = 256 };

// A copy to the host, and what of it the host's own programs would run or trust.
struct leaving {
	struct store *store;
	struct arena *arena;
	enum force force;
	struct out *notes;
	unsigned withheld, deep, depth;
	unsigned guarded;  // directories above that are
	const char *place; // of the directory; in a repository of the host's from ".git" on
	// Files that the host's settings name: those of the project, and of repositories in the
	// copy.
	struct mentioned around, nested;
	const char *root, *above; // of the thing: its root, and where in it (NULL: at its top)
	const char *onto, *as;    // of the copy: its directory, and its name there
};
enum { NOTES_MAX = 8 };

static int copy_shown(struct leaving *leaving, const struct shown *from, const char *name, int to,
		      const char *target, const char *path);

static int copy_inside(struct leaving *leaving, const struct shown *below, int to, const char *path)
{
	struct arena *arena = leaving->arena;
	struct entry *entries;
	char **names;
	int count = merged_list(arena, &below->layers, &entries), all = 0;
	TRY(count);
	for (int i = 0; i < count; i++)
		if (!is_whiteout(&entries[i].status))
			TRY(copy_shown(leaving, below, entries[i].name, to, entries[i].name,
				       path_below(arena, path, entries[i].name)));
	if (below->host >= 0)
		TRY(all = names_in(arena, below->host, &names));
	for (int i = 0, at = 0; i < all; i++) {
		while (at < count && strcmp(entries[at].name, names[i]) < 0)
			at++;
		if (at == count || !str_equal(entries[at].name, names[i]))
			TRY(copy_shown(leaving, below, names[i], to, names[i],
				       path_below(arena, path, names[i])));
	}
	return 0;
}

static bool is_own_repository(const struct shown *shown)
{
	return shown->host >= 0 && git_directory(shown->host) != GIT_NONE;
}

// Below what is named: the names that a project's programs look for, and what git reads.
static bool is_guarded(const struct leaving *leaving, int where, const char *name,
		       const struct stat *status)
{
	if (leaving->guarded > 0)
		return true;
	return leaving->depth > 0 &&
	       (trusted_is_protected(path_below(leaving->arena, leaving->place, name)) ||
		repository_breaks(where, name, path_below(leaving->arena, leaving->place, name),
				  status));
}

// In the root of the session.
static const char *path_in_root(const struct leaving *leaving, const char *path)
{
	return leaving->above ? path_below(leaving->arena, leaving->above, path) : path;
}

// Whether settings of the host name what is copied: those of a repository that is copied with it,
// or those of the project where the copy lies in that.
static bool is_mentioned(const struct leaving *leaving, const char *path)
{
	const char *rest = strchr(path, '/');
	if (leaving->depth == 0 || !rest)
		return false;
	return mentioned_has(leaving->store, &leaving->nested, leaving->root,
			     path_in_root(leaving, path)) ||
	       mentioned_has(leaving->store, &leaving->around, leaving->onto,
			     arena_text(leaving->arena, "%s%s", leaving->as, rest));
}

// Whether the session made a thing, or changed it, that the host would run or trust. Directories of
// the host's are entered: what is the host's in them is copied.
static bool is_withheld(const struct leaving *leaving, const struct shown *below, const char *name,
			bool guarded)
{
	if (leaving->force == FORCE_YES)
		return false;
	bool git = component_is_git(name) || repository_is_shown(&below->layers, below->host);
	return (git && !is_own_repository(below)) || (guarded && below->host < 0);
}

static int withhold(struct leaving *leaving, const char *path)
{
	if (!strchr(path, '/'))
		return fail(0,
			    "'%s' is a git repository that the session made or changed, and git "
			    "runs what its settings name; to copy it all the same: --force",
			    str_shown(path));
	if (leaving->withheld++ < NOTES_MAX)
		out_text(leaving->notes, "sbx: not copied: %s\n", str_shown(path));
	return 0;
}

// With `finish`, of a directory whose content is complete: mode and times before that.
static int copy_rights(const struct leaving *leaving, int from, const char *name, int to,
		       const char *target, struct stat *finish)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	autoclose int is = openat(from, name, flags), made = openat(to, target, flags);
	if (is < 0 || made < 0)
		return shown_failed("open", target);
	if (finish) {
		finish->st_mode = rights_without_acl(is, finish->st_mode);
		TRY(copy_finish(to, target, finish));
	}
	return rights_copy(leaving->store, made, is);
}

static int copy_shown(struct leaving *leaving, const struct shown *from, const char *name, int to,
		      const char *target, const char *path)
{
	struct stat status;
	struct shown below = { .host = -1 };
	int where, found = shown_look(from, name, &status, &where), result;
	TRY(found);
	if (!found)
		return fail(0, "'%s' is not there", str_shown(name));
	bool directory = S_ISDIR(status.st_mode);
	if (directory && leaving->depth > DEPTH_MAX) {
		leaving->deep++;
		return 0;
	}
	if (directory)
		TRY(shown_enter(from, name, &below));
	bool guarded = where != from->host && (is_guarded(leaving, where, name, &status) ||
					       (!directory && is_mentioned(leaving, path)));
	if (where != from->host && is_withheld(leaving, &below, name, guarded)) {
		shown_close(&below);
		return withhold(leaving, path);
	}
	int kind = copy_one(where, name, &status, to, target);
	bool file = S_ISREG(status.st_mode) && kind >= 0;
	if (!directory || kind < 0) {
		shown_close(&below);
		TRY(kind); // sockets and devices stay behind
		return file ? copy_rights(leaving, where, name, to, target, NULL) : 0;
	}
	const char *place = leaving->place;
	autoclose int made = openat(to, target, DIRECTORY_FLAGS);
	leaving->place = path_below(leaving->arena, place, name);
	if (is_own_repository(&below))
		leaving->place = ".git";
	else if (below.host >= 0)
		mentioned_add(leaving->store, leaving->root, path_in_root(leaving, path),
			      &leaving->nested);
	leaving->depth++;
	leaving->guarded += guarded;
	result = made < 0 ? shown_failed("open", target) : rights_drop_given(made);
	if (result == 0)
		result = copy_inside(leaving, &below, made, path);
	leaving->guarded -= guarded;
	leaving->depth--;
	leaving->place = place;
	shown_close(&below);
	return result < 0 ? -1 : copy_rights(leaving, where, name, to, target, &status);
}

// Whether a file of that name makes the directory a git directory, which it is not now.
static bool completes_repository(int directory, const char *name)
{
	struct git_parts parts = { 0 };
	bool part = false;
	for (enum git_part each = GIT_HEAD; each < GIT_PARTS; each++) {
		git_look(directory, each, &parts);
		bool this = strcasecmp(name, git_part_names[each]) == 0;
		part = part || this;
		parts.has[each] = parts.has[each] || this;
	}
	return part && git_decide(&parts) != GIT_NONE && git_directory(directory) == GIT_NONE;
}

static int take_out(struct leaving *leaving, struct shown *shown, char *rest, const char *target)
{
	struct stat status;
	const char *name;
	int none = -1;
	TRY(shown_descend(shown, &none, rest, &name));
	bool inside = stat(target, &status) == 0 && S_ISDIR(status.st_mode);
	const char *directory = inside ? target : path_parent(leaving->arena, target),
		   *last = inside ? name : path_name(target);
	leaving->onto = directory;
	leaving->as = last;
	const char *fresh = arena_text(leaving->arena, ".sbx-cp-%d", (int)getpid());
	autoclose int to = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to < 0)
		return shown_failed("open", directory);
	if (leaving->force == FORCE_NO && completes_repository(to, last))
		return fail(0,
			    "'%s' would make '%s' a git repository; to copy it all the same: "
			    "--force",
			    str_shown(last), str_shown(directory));
	int result = copy_shown(leaving, shown, name, to, fresh, name);
	if (result == 0 && fd_rename_new(to, fresh, to, last) < 0)
		result = shown_failed("make", last);
	if (result < 0)
		owned_remove_tree(to, fresh);
	return result;
}

static void tell_left(const struct leaving *leaving, const char *name)
{
	if (leaving->withheld > NOTES_MAX)
		out_text(leaving->notes, "sbx: not copied: %u more\n",
			 leaving->withheld - NOTES_MAX);
	if (leaving->withheld > 0)
		out_text(leaving->notes,
			 "sbx: your own programs would run or trust these files; to copy them all "
			 "the same: sbx session cp --force %s:...\n",
			 name);
	if (leaving->deep > 0)
		out_text(leaving->notes,
			 "sbx: %u directories are more than %d levels deep and were left out\n",
			 leaving->deep, DEPTH_MAX);
}

int transfer_out(struct store *store, const struct held *held, const char *path, const char *target,
		 enum force force, struct out *notes)
{
	struct leaving leaving = {
		.store = store, .arena = store->arena, .force = force, .notes = notes, .place = ""
	};
	struct shown shown;
	char *rest, current[PATH_MAX];
	unsigned root;
	const char *whole = getcwd(current, sizeof(current))
				    ? path_join(store->arena, current, target)
				    : path_clean(store->arena, target);
	TRY(shown_find(store, held, path, &root, &rest));
	if (!rest[0])
		return fail(0, "'%s' is a whole directory of the session; name something in it",
			    path);
	// The settings around a copy, as around a change.
	struct change change = { .root = root, .path = arena_text(store->arena, "%s/.", rest) };
	struct changes changes = { .list = &change, .count = 1 };
	mentioned_find(store, &held->session, &changes, &leaving.around);
	leaving.root = held->session.roots[root].path;
	leaving.above = strchr(rest, '/') ? path_parent(store->arena, rest) : NULL;
	TRY(shown_open(store, &held->session, root, &shown));
	int result = take_out(&leaving, &shown, rest, whole);
	shown_close(&shown);
	if (result == 0)
		tell_left(&leaving, held->name);
	return result;
}
