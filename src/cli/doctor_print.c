// Owns the form of what doctor prints, and its check of PATH.
#include "cli/doctor_print.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "report/print_fields.h"
#include "run/run_command.h"
#include "run/steps.h"

static const char *const states[] = {
	[FINDING_WORKS] = "ok", [FINDING_MISSING] = "MISSING", [FINDING_WEAK] = "weak"
};

static void result(struct out *out, const unsigned counts[])
{
	unsigned missing = counts[FINDING_MISSING], weak = counts[FINDING_WEAK];
	if (missing)
		out_text(out, "Result: no box can be made here: %u of the layers %s missing.\n",
			 missing, missing == 1 ? "is" : "are");
	else if (weak)
		out_text(out, "Result: boxes work here; %u %s could be better, marked weak.\n",
			 weak, weak == 1 ? "thing" : "things");
	else
		out_text(out, "Result: boxes work here, with every layer.\n");
}

int doctor_print(const struct wall *walls, unsigned count, bool json, int fd)
{
	struct out out = { .json = json };
	unsigned counts[FINDING_WEAK + 1] = { 0 };
	print_begin(&out, "doctor", "walls");
	for (const struct wall *at = walls; at < walls + count; at++) {
		counts[at->state]++;
		print_one(&out, SHOWN("state", states[at->state], "", -8, " "),
			  SHOWN("wall", at->wall, "", -18, " "),
			  SHOWN("detail", at->detail, "", 0, ""),
			  SHOWN("fix", at->fix, "\n                            fix: ", 0, ""),
			  WORDS("\n"));
	}
	print_end(&out, "walls");
	if (!json)
		result(&out, counts);
	return out_flush(&out, fd) < 0 || counts[FINDING_MISSING] ? STATUS_FAILURE : STATUS_OK;
}

enum { TOOLS_MAX = 5, ENTRIES_MAX = 4096, PLACES_MAX = 3 };

struct lacking {
	struct arena *arena;
	const struct plan *plan;
	const char *path;
	struct out tools, places; // `places`: for the fix
	const char *first;
	unsigned count, place_count;
};

static bool is_unseen(const struct lacking *lacking, const char *directory)
{
	struct out place = { 0 };
	unsigned count = program_unseen(lacking->plan, directory, &place);
	out_free(&place);
	return count > 0;
}

// True if PATH finds another program `name` in a directory that a box has.
static bool is_elsewhere(const struct lacking *lacking, const char *name)
{
	char place[PATH_MAX];
	for (const char *list = lacking->path; path_list_next(&list, place);)
		if (access(path_below(lacking->arena, place, name), X_OK) == 0 &&
		    !is_unseen(lacking, place))
			return true;
	return false;
}

static void look_into(struct lacking *lacking, const char *place)
{
	struct dirent *entry;
	unsigned before = lacking->count, entries = 0;
	DIR *directory = opendir(place);
	const char *quoted = quote_fix(lacking->arena, place);
	while (directory && quoted && entries++ < ENTRIES_MAX && (entry = readdir(directory))) {
		const char *name = quote_fix(lacking->arena, entry->d_name);
		if (entry->d_name[0] == '.' || !name || entry->d_type == DT_DIR ||
		    faccessat(dirfd(directory), entry->d_name, X_OK, 0) < 0 ||
		    is_elsewhere(lacking, entry->d_name))
			continue;
		if (lacking->count++ < TOOLS_MAX)
			out_text(&lacking->tools, "%s%s", lacking->count > 1 ? ", " : "", name);
		if (!lacking->first)
			lacking->first = arena_text(lacking->arena, "%s", name);
	}
	if (directory)
		closedir(directory);
	if (lacking->count > before && lacking->place_count++ < PLACES_MAX)
		out_text(&lacking->places, " -r %s", quoted);
}

const char *doctor_path(struct arena *arena, const struct plan *plan, const char *path,
			const char **ret_fix)
{
	struct lacking lacking = { .arena = arena, .plan = plan, .path = path };
	char place[PATH_MAX];
	while (path_list_next(&path, place))
		if (is_unseen(&lacking, place))
			look_into(&lacking, place);
	if (lacking.count == 0)
		return NULL;
	const char *more = lacking.count > TOOLS_MAX
				   ? arena_text(arena, " and %u more", lacking.count - TOOLS_MAX)
				   : "";
	const char *number = lacking.count == 1 ? "one" : arena_text(arena, "%u", lacking.count);
	const char *detail = arena_text(arena, "a box does not have %s of your programs: %s%s",
					number, lacking.tools.text, more);
	*ret_fix = arena_text(arena, "sbx run%s -- %s", lacking.places.text, lacking.first);
	out_free(&lacking.tools);
	out_free(&lacking.places);
	return detail;
}
