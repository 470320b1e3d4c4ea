// Owns the protection of directories in the caller's PATH.
#include "view/protect/protect.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "names/names.h"
#include "view/paths/wishes.h"

static bool is_system(const char *path)
{
	static const char *const places[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
					      "/usr/bin",        "/sbin",          "/bin" };
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (str_equal(path, places[i]))
			return true;
	return false;
}

static bool has_place(const struct plan *plan, const char *path)
{
	for (unsigned i = 0; i < plan->place_count; i++)
		if (plan->places[i].role == PLACE_PROGRAMS && str_equal(plan->places[i].path, path))
			return true;
	return false;
}

static int add_entry(struct wishes *wishes, const char *path)
{
	struct resolved way;
	if (is_system(path) || ATTEMPT(resolve_path(wishes->resolver, path, &way)) < 0)
		return 0;
	for (unsigned i = 0; i < way.link_count; i++)
		if (wishes_is_reached(wishes, way.links[i].path))
			TRY(protect_guard(wishes, way.links[i].path, ACT_REPORT));
	if (!wishes_is_reached(wishes, way.path) || has_place(wishes->plan, way.path))
		return 0;
	return place_add(wishes->plan, PLACE_PROGRAMS, way.path, "") ? 0 : -1;
}

static void tell_relative(struct plan *plan, const char *entry)
{
	const char *text = arena_text(plan->arena,
				      "your PATH has '%s', so your shell runs programs of any "
				      "directory that you are in, those that a box made, too; "
				      "remove it from PATH",
				      str_shown(entry));
	list_add(plan->trees[0].fresh ? &plan->warnings : &plan->notes, plan->arena, text,
		 (struct origin){ .file = "PATH" });
}

int programs_protect(struct wishes *wishes, const struct homes *homes)
{
	struct list path = { 0 };
	const char *relative = NULL;
	homes_path(wishes->arena, homes, &path);
	list_each (item, &path) {
		if (item->text[0] == '/')
			TRY(add_entry(wishes, item->text));
		else if (!relative)
			relative = item->text;
	}
	if (relative)
		tell_relative(wishes->plan, relative);
	return 0;
}
