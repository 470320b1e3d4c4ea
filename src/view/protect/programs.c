// Owns the guards of directories in which the caller's shell finds programs.
#include "view/protect/protect.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "names/trusted.h"
#include "view/paths/wishes.h"

// Nobody but root makes a link in these.
static bool is_system(const char *path)
{
	static const char *const places[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
					      "/usr/bin",        "/sbin",          "/bin" };
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (str_equal(path, places[i]))
			return true;
	return false;
}

// The project's top, and one like it, has many other files: its programs are compared one by one.
static void list_programs(struct wishes *wishes, struct guard *guard)
{
	struct stat status;
	autoclose int fd = open(guard->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	entries_each (entry, fd)
		if (fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    (S_ISLNK(status.st_mode) ||
		     (S_ISREG(status.st_mode) && (status.st_mode & 0111))))
			list_add(&guard->known, wishes->arena,
				 arena_copy(wishes->arena, entry->name, strlen(entry->name)),
				 (struct origin){ 0 });
}

static bool has_guard(const struct plan *plan, const char *path)
{
	for (unsigned i = 0; i < plan->guard_count; i++)
		if (plan->guards[i].kind >= GUARD_PROGRAMS && str_equal(plan->guards[i].path, path))
			return true;
	return false;
}

static int guard_directory(struct wishes *wishes, const char *path, bool top)
{
	struct plan *plan = wishes->plan;
	top = top || nested_is_tree(plan, path);
	if (!wishes_is_reached(wishes, path) || has_guard(plan, path))
		return 0;
	struct guard *guard = &plan->guards[plan->guard_count];
	TRY(protect_guard(wishes, path, top ? GUARD_PROGRAMS_TOP : GUARD_PROGRAMS));
	if (top)
		list_programs(wishes, guard);
	return 0;
}

static int guard_entry(struct wishes *wishes, const char *directory, const char *entry)
{
	struct resolved way;
	const char *path = directory ? path_join(wishes->arena, directory, entry) : entry;
	if (is_system(path) || ATTEMPT(resolve_path(wishes->resolver, path, &way)) < 0)
		return 0;
	for (unsigned i = 0; i < way.link_count; i++)
		if (wishes_is_reached(wishes, way.links[i].path))
			TRY(protect_guard(wishes, way.links[i].path, GUARD_REPORTED));
	return guard_directory(wishes, way.path, directory && str_equal(path, directory));
}

static void tell_relative(struct plan *plan, const char *entry)
{
	const char *text = arena_text(plan->arena,
				      "your PATH has '%s', so your shell runs programs of any "
				      "directory that you are in, those that a box made, too; "
				      "remove it from PATH",
				      str_shown(entry));
	list_add(plan->searched[0].fresh ? &plan->warnings : &plan->notes, plan->arena, text,
		 (struct origin){ .file = "PATH" });
}

int programs_protect(struct wishes *wishes, const struct homes *homes)
{
	struct plan *plan = wishes->plan;
	struct list path = { 0 };
	const char *relative = NULL;
	homes_path(wishes->arena, homes, &path);
	list_each (item, &path) {
		if (item->text[0] == '/') {
			TRY(guard_entry(wishes, NULL, item->text));
			continue;
		}
		relative = relative ? relative : item->text;
		if (plan->project)
			TRY(guard_entry(wishes, plan->project, item->text[0] ? item->text : "."));
		if (plan->current)
			TRY(guard_entry(wishes, plan->current, item->text[0] ? item->text : "."));
	}
	if (relative) {
		plan->path = path;
		tell_relative(plan, relative);
	}
	return 0;
}
