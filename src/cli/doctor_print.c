// Owns the form of what doctor prints, and its check of PATH.
#include "cli/doctor_print.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/out.h"
#include "base/quote.h"
#include "base/str.h"
#include "report/answer_fields.h"
#include "run/program.h"

enum { COLUMN = 28, WIDTH_MIN = 48, WIDTH_MAX = 120 };

static const struct {
	const char *word, *color;
} states[] = {
	[FINDING_WORKS] = { "ok", "\033[32m" },
	[FINDING_MISSING] = { "MISSING", "\033[1;31m" },
	[FINDING_WEAK] = { "weak", "\033[33m" },
};

// Columns of a terminal, 0: it is none.
static int width_of(int fd)
{
	struct winsize size;
	if (!isatty(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 80;
	return size.ws_col < WIDTH_MIN   ? WIDTH_MIN
	       : size.ws_col > WIDTH_MAX ? WIDTH_MAX
					 : size.ws_col;
}

// no-color.org: any value that is not empty.
static bool is_colored(enum color_wish wish, int width)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
	if (wish != COLOR_AUTO)
		return wish == COLOR_ALWAYS;
	return width > 0 && !(no && no[0]) && terminal && !str_equal(terminal, "dumb");
}

// What is not seen on a terminal is shown; the colours around it are ours.
static void detail(struct out *out, const char *text, int width)
{
	struct out plain = { 0 };
	if (width)
		out_folded(&plain, width, COLUMN, COLUMN, text);
	else
		out_text(&plain, "%s\n", text);
	out_visible(out, plain.text, plain.used);
	out_free(&plain);
}

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

int doctor_print_json(const struct finding *findings, unsigned count, int fd)
{
	struct out out = { .json = true };
	answer_begin(&out, "doctor", "walls");
	for (const struct finding *at = findings; at < findings + count; at++)
		answer_one(&out, MEMBER("wall", at->wall), MEMBER("state", states[at->state].word),
			   MEMBER("detail", at->detail), MEMBER("fix", at->fix));
	answer_end(&out, "walls");
	return out_flush(&out, fd);
}

int doctor_print(const struct finding *findings, unsigned count, enum color_wish color, int fd)
{
	struct out out = { 0 };
	unsigned counts[FINDING_WEAK + 1] = { 0 };
	int width = width_of(fd);
	bool colored = is_colored(color, width);
	for (const struct finding *at = findings; at < findings + count; at++) {
		counts[at->state]++;
		out_text(&out, "%s%-8s%s %-18s ", colored ? states[at->state].color : "",
			 states[at->state].word, colored ? "\033[0m" : "", at->wall);
		detail(&out, at->detail, width);
		if (at->fix) {
			out_text(&out, "%*sfix: ", COLUMN, "");
			detail(&out, at->fix, at->is_command ? 0 : width);
		}
	}
	out_text(&out, "%s", colored ? "\033[1m" : "");
	result(&out, counts);
	out_text(&out, "%s", colored ? "\033[0m" : "");
	return out_write(&out, fd);
}

enum { TOOLS_MAX = 5, ENTRIES_MAX = 4096, PLACES_MAX = 3 };

struct lacking {
	struct arena *arena;
	const struct plan *plan;
	const char *path;
	struct out tools, places; // for the line, and for the fix
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

// Another of that name, in a place that a box has.
static bool is_elsewhere(const struct lacking *lacking, const char *name)
{
	for (const char *at = lacking->path; *at; at += *at == ':') {
		size_t length = strcspn(at, ":");
		const char *place = arena_copy(lacking->arena, at, length);
		at += length;
		if (place[0] == '/' &&
		    access(arena_text(lacking->arena, "%s/%s", place, name), X_OK) == 0 &&
		    !is_unseen(lacking, place))
			return true;
	}
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

bool doctor_path(struct arena *arena, const struct plan *plan, const char *path,
		 struct finding *ret)
{
	struct lacking lacking = { .arena = arena, .plan = plan, .path = path };
	for (const char *at = path; *at; at += *at == ':') {
		size_t length = strcspn(at, ":");
		const char *place = arena_copy(arena, at, length);
		at += length;
		if (place[0] == '/' && is_unseen(&lacking, place))
			look_into(&lacking, place);
	}
	if (lacking.count == 0)
		return false;
	const char *more = lacking.count > TOOLS_MAX
				   ? arena_text(arena, " and %u more", lacking.count - TOOLS_MAX)
				   : "";
	*ret = (struct finding){
		.wall = "PATH",
		.state = FINDING_WEAK,
		.detail = arena_text(arena, "a box does not have %s of your programs: %s%s",
				     lacking.count == 1 ? "one"
							: arena_text(arena, "%u", lacking.count),
				     lacking.tools.text, more),
		.fix = arena_text(arena, "sbx run%s -- %s", lacking.places.text, lacking.first),
		.is_command = true,
	};
	out_free(&lacking.tools);
	out_free(&lacking.places);
	return true;
}
