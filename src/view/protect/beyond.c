// Owns the question which directories outside of a project are parts of its repository.
#include "view/protect/beyond.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/path.h"
#include "base/quote.h"
#include "base/str.h"
#include "git/gitconfig.h"
#include "git/recognise.h"
#include "names/elsewhere.h"
#include "view/paths/outer.h"
#include "view/paths/project.h"
#include "view/paths/wishes.h"

// By objects.c of git: so many lists after each other.
enum { ALTERNATES_BYTES = 16384, ALTERNATES_DEPTH = 5 };

// The one line of a pointer file such as .git, commondir or gitdir; NULL when it is none.
const char *beyond_pointer(struct arena *arena, const char *path, const char *prefix)
{
	char text[GIT_POINTER_MAX] __attribute__((uninitialized));
	const char *leads = git_read_pointer(AT_FDCWD, path, prefix, text);
	return leads ? arena_copy(arena, leads, strlen(leads)) : NULL;
}

bool beyond_leads_to(struct wishes *wishes, const char *directory, const char *pointer,
		     const char *wanted)
{
	struct resolved resolved;
	if (!pointer)
		return false;
	int found = ATTEMPT(resolve_path(wishes->resolver,
					 path_join(wishes->arena, directory, pointer), &resolved));
	return found == 1 && str_equal(resolved.path, wanted);
}

const char *beyond_worktree(struct wishes *wishes, const char *directory)
{
	struct gitconfig config;
	const char *text, *path = path_below(wishes->arena, directory, "config");
	struct identity link;
	size_t length;
	outer_copy(wishes->arena, path, &link, &path); // else it is the file itself
	if (file_read(AT_FDCWD, path, 0, GITCONFIG_BYTES_MAX, wishes->arena, &text, &length) <= 0)
		return NULL;
	if (ATTEMPT(gitconfig_parse(wishes->arena, text, length, &config)) < 0)
		return NULL;
	return gitconfig_value(&config, "core.worktree");
}

int beyond_lacks(struct wishes *wishes, const char *file, const char *why)
{
	list_add(&wishes->plan->notes, wishes->arena,
		 arena_text(wishes->arena, "the repository that '%s' names is not in the box: %s",
			    file, why),
		 (struct origin){ .file = "protect" });
	return 0;
}

int beyond_allowed(struct wishes *wishes, const char *file, const struct resolved *directory)
{
	struct plan *plan = wishes->plan;
	struct arena *arena = wishes->arena;
	const char *path = directory->path;
	struct origin from = { .file = "protect" };
	const char *why = project_refusal(plan, path);
	if (wishes_is_seen(wishes, path) || !plan->toplevel || strchr(path, '\n'))
		return 0;
	if (!why && elsewhere_has(arena, plan->state, plan->toplevel, path)) {
		TRY(wishes_add_links(wishes, directory, from));
		return 1;
	}
	if (why)
		list_add(&plan->notes, arena,
			 arena_text(arena,
				    "the directory that '%s' names is not in the box: '%s' %s",
				    file, path, why),
			 from);
	else
		list_add(plan->terse ? &plan->notes : &plan->warnings, arena,
			 arena_text(arena,
				    "'%s' leads git to '%s', which is not in the box; to give it "
				    "to boxes of this project: sbx profile trust %s",
				    file, path, quote_word(arena, path)),
			 from);
	return 0;
}

static bool holds_objects(struct wishes *wishes, const char *path)
{
	return str_equal(path_name(path), "objects") &&
	       (faccessat(AT_FDCWD, path_below(wishes->arena, path, "pack"), F_OK, 0) == 0 ||
		faccessat(AT_FDCWD, path_below(wishes->arena, path, "info"), F_OK, 0) == 0);
}

static int add_alternates(struct wishes *wishes, const char *file, struct origin from,
			  unsigned depth)
{
	struct arena *arena = wishes->arena;
	const char *text, *objects = path_parent(arena, path_parent(arena, file));
	struct resolved directory;
	size_t length;
	if (depth == ALTERNATES_DEPTH ||
	    file_read(AT_FDCWD, file, 0, ALTERNATES_BYTES, arena, &text, &length) <= 0)
		return 0;
	for (size_t size; *text; text += size + (text[size] == '\n')) {
		size = strcspn(text, "\n");
		struct mount bind = { .kind = MOUNT_BIND, .access = ACCESS_READ, .from = from };
		const char *named = arena_text(arena, "%.*s", (int)size, text);
		if (size == 0 || strchr("#\"", named[0]) ||
		    ATTEMPT(resolve_path(wishes->resolver, path_join(arena, objects, named),
					 &directory)) != 1 ||
		    directory.identity.type != S_IFDIR || !holds_objects(wishes, directory.path))
			continue;
		int allowed = beyond_allowed(wishes, file, &directory);
		TRY(allowed);
		bind.source = bind.target = directory.path;
		bind.identity = directory.identity;
		if (allowed)
			TRY(wishes_add(wishes, &bind, false));
		if (allowed)
			TRY(add_alternates(wishes,
					   path_below(arena, directory.path, "info/alternates"),
					   from, depth + 1));
	}
	return 0;
}

int beyond_alternates(struct wishes *wishes, const char *file, struct origin from)
{
	return add_alternates(wishes, file, from, 0);
}
