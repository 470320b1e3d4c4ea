// Owns the copies of settings without tokens and passwords: git's configuration, and settings of
// package managers.
#include "view/hidden/hide.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "env/env.h"
#include "git/gitconfig.h"
#include "names/names.h"
#include "text/words.h"
#include "view/paths/wishes.h"

// The origin of copies: a copy wins over a profile's line, and loses to a user's flag.
static const struct origin from = { .file = "git", .order = ORDER_FLAGS - 1 };
enum { SMALL = 1024, BRIEF = 16 << 20, LINES_BYTES_MAX = 64 << 10 };
static const char nothing[] = "# not shown in this box\n";

static void note(struct wishes *wishes, const char *path, const struct gitsecret *secret)
{
	struct arena *arena = wishes->arena;
	const char *names = "";
	unsigned count = 0;
	list_each (item, &secret->left) {
		names = arena_text(wishes->plan->scratch, "%s%s%s", names, count ? ", " : "",
				   str_shown(item->text));
		count++;
	}
	const char *more = secret->left_count > count ? " and others" : "";
	list_add(&wishes->plan->notes, arena,
		 arena_text(
			 arena,
			 "'%s' is shown without its secrets: %s%s; to show all of it: --read '%s'",
			 path, names, more, path),
		 from);
}

// Shows the text in place of the file. Tier landlock, without copies, hides the file.
static int show(struct wishes *wishes, const struct resolved *file, const char *text)
{
	struct mount own = { .kind = MOUNT_TEXT, .access = ACCESS_READ, .from = from };
	own.target = file->path;
	own.identity = file->identity;
	own.source = text;
	if (wishes->plan->tier == TIER_FULL)
		return wishes_add_wall(wishes, &own);
	own.kind = MOUNT_MASK;
	own.access = ACCESS_NOTHING;
	own.source = NULL;
	return wishes_add_wall(wishes, &own);
}

static void judge(struct arena *brief, const struct gitnamed_text *one, struct gitsecret *secret)
{
	*secret = (struct gitsecret){ .text = nothing };
	int result =
		!one->text ? -1
		: one->whose == APART_OWN
			? ATTEMPT(gitsecret_filter(brief, one->text, one->length, secret))
			: ATTEMPT(gitsecret_ask(one->whose, brief, one->text, one->length, secret));
	if (result == 0)
		return;
	*secret = (struct gitsecret){ .text = nothing, .left_count = 1 };
	list_add(&secret->left, brief, "all of it, as it cannot be read as git's", from);
}

static int show_judged(struct wishes *wishes, const struct resolved *file, bool seen,
		       const struct gitsecret *secret)
{
	list_each (item, &secret->places)
		if ((item->text[0] == '/' || str_starts(item->text, "~/")) &&
		    !strpbrk(item->text, "*$"))
			list_add(&wishes->secrets, wishes->arena,
				 arena_copy(wishes->arena, item->text, strlen(item->text)),
				 (struct origin){ .file = "git" });
	if (!secret->text)
		return seen ? 0
			    : wishes_add_path(wishes, file->path, (struct origin){ .file = "git" },
					      ACCESS_READ);
	if (wishes_is_reached(wishes, file->path)) {
		list_add(&wishes->plan->notes, wishes->arena,
			 arena_text(wishes->arena,
				    "'%s' is in a directory that the box may write, and is shown "
				    "with its secrets",
				    file->path),
			 from);
		return 0;
	}
	note(wishes, file->path, secret);
	wishes->plan->without_gitconfig = wishes->plan->tier == TIER_LANDLOCK;
	return show(wishes, file, arena_copy(wishes->arena, secret->text, strlen(secret->text)));
}

// True if a visible configuration of the user includes the file.
static bool is_included(const struct wishes *wishes, const char *path)
{
	return list_has(&wishes->named.files, path) && wishes->shown &&
	       path_within(path, wishes->plan->home);
}

static bool is_asked(const struct wishes *wishes, const char *path)
{
	static const char *const names[] = { "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value =
			homes_value(wishes->places.environment, names[i], strlen(names[i]));
		if (value && value[0] == '/' && !env_withheld(wishes->plan, names[i], value) &&
		    str_equal(path_clean(wishes->plan->scratch, value), path))
			return true;
	}
	return false;
}

// Takes names only from the user's own configuration: a repository's must not make the box see
// files of the home.
static void take_names(struct wishes *wishes, const struct gitnamed_text *one, const char *path,
		       const struct gitsecret *secret)
{
	struct arena *arena = wishes->arena;
	list_each (item, &secret->named)
		if (one->own && !wishes_is_reached(wishes, path))
			list_add(&wishes->files, arena,
				 arena_copy(arena, item->text, strlen(item->text)),
				 (struct origin){ .file = arena_copy(arena, item->from.file,
								     strlen(item->from.file)),
						  .line = item->from.line });
}

static int filter(struct wishes *wishes, const struct gitnamed_text *one)
{
	struct resolved file;
	struct gitsecret secret;
	int found = ATTEMPT(resolve_path(wishes->resolver, one->path, &file));
	if (found != 1 || file.identity.type != S_IFREG ||
	    wishes_is_named(wishes, file.path, from.order) ||
	    (!one->text && wishes_is_reached(wishes, file.path)))
		return 0;
	bool seen = wishes_is_seen(wishes, file.path);
	bool named = one->text && one->own &&
		     (is_included(wishes, one->path) || is_asked(wishes, one->path));
	if (!seen && (!named || planted_is(wishes, &file)))
		return 0;
	wishes->shown = true;
	bool small = one->length <= SMALL;
	struct arena *brief = small ? wishes->plan->scratch : arena_new_of(BRIEF);
	judge(brief, one, &secret);
	take_names(wishes, one, file.path, &secret);
	int result = seen ? 0 : wishes_add_links(wishes, &file, (struct origin){ .file = "git" });
	if (result == 0)
		result = show_judged(wishes, &file, seen, &secret);
	if (!small)
		arena_free(brief);
	return result;
}

static const char *part_of(struct arena *arena, enum settings_part part, const char *text,
			   size_t length)
{
	return part == SETTINGS_ROOTS
		       ? textsecret_certificates(arena, text)
		       : textsecret_lines(arena, text, length,
					  part == SETTINGS_LINES ? TEXTSECRET_ALL
								 : TEXTSECRET_REGISTRIES);
}

static void read_settings(struct apart_text *question)
{
	const char *shown = part_of(question->arena, (enum settings_part)question->text[0],
				    question->text + 1, question->length - 1);
	if (shown)
		row_text(question->answer, ROW_SHOWN, shown);
}

int settings_shown(struct wishes *wishes, const char *path, enum settings_part part,
		   const char *text, size_t length, const char **ret_shown)
{
	struct rows rows;
	struct out whole = { 0 };
	if (wishes_whose(wishes, path) != APART_OTHERS) { // no box could write it
		*ret_shown = part_of(wishes->arena, part, text, length);
		return 0;
	}
	out_bytes(&whole, (const char[]){ (char)part }, 1);
	out_bytes(&whole, text, length);
	out_bytes(&whole, "", 1);
	const struct apart_text question = { .text = whole.text, .length = whole.used - 1 };
	int result = apart_ask(APART_OTHERS, read_settings, &question, ROW_BIT(ROW_SHOWN),
			       wishes->arena, &rows);
	out_free(&whole);
	TRY(result);
	*ret_shown = rows_text(&rows, ROW_SHOWN);
	return 0;
}

// Reads before it resolves the path: few files have secrets.
static int filter_lines(struct wishes *wishes, const char *path)
{
	struct arena *scratch = wishes->plan->scratch;
	struct resolved file;
	struct gitsecret secret = { .text = "", .left_count = 1 };
	const char *text;
	size_t length;
	int result = file_read(AT_FDCWD, path, FILE_LINK, LINES_BYTES_MAX, scratch, &text, &length);
	if (result == 1)
		TRY(settings_shown(wishes, path, SETTINGS_LINES, text, length, &secret.text));
	if (result == 0 || !secret.text)
		return 0;
	int found = ATTEMPT(resolve_path(wishes->resolver, path, &file));
	if (found != 1 || file.identity.type != S_IFREG ||
	    wishes_is_named(wishes, file.path, from.order) || !wishes_is_seen(wishes, file.path) ||
	    wishes_is_reached(wishes, file.path))
		return 0;
	list_add(&secret.left, scratch,
		 secret.text[0] ? "lines with a token or password" : "all of it", from);
	note(wishes, file.path, &secret);
	return show(wishes, &file, arena_copy(wishes->arena, secret.text, strlen(secret.text)));
}

// True if the box sees the whole file. In a directory of secrets, a profile's line must name the
// file or the directory.
static bool is_shown(const struct wishes *wishes, const char *path)
{
	const struct plan *plan = wishes->plan;
	const struct mount *seen = wishes_seen(wishes, path);
	if (!wishes_is_seen(wishes, path))
		return false;
	list_each (item, &plan->profile->secret) {
		const char *place =
			str_starts(item->text, "~/")
				? path_join(plan->scratch, plan->real_home, item->text + 2)
				: item->text;
		if (path_within(path, place))
			return path_within(seen->target, place);
	}
	return true;
}

// Shows only package registries of a file that the box lacks, unless a box may write the file.
static int filter_registries(struct wishes *wishes, const char *path)
{
	struct arena *arena = wishes->arena;
	struct resolved file;
	const char *text, *shown;
	size_t length;
	if (wishes->plan->tier == TIER_LANDLOCK ||
	    file_read(AT_FDCWD, path, FILE_LINK, LINES_BYTES_MAX, arena, &text, &length) != 1 ||
	    length == 0)
		return 0;
	TRY(settings_shown(wishes, path, SETTINGS_REGISTRIES, text, length, &shown));
	int found = ATTEMPT(resolve_path(wishes->resolver, path, &file));
	if (found != 1 || file.identity.type != S_IFREG || planted_is(wishes, &file) ||
	    is_shown(wishes, file.path) || wishes_is_reached(wishes, file.path))
		return 0;
	struct mount own = { .kind = MOUNT_TEXT, .access = ACCESS_READ, .from = from };
	own.target = file.path;
	own.identity = file.identity;
	own.source = shown ? shown : text;
	TRY(settings_shown(wishes, path, SETTINGS_LINES, text, length, &shown));
	if (shown)
		list_add(&wishes->plan->notes, arena,
			 arena_text(
				 arena,
				 "'%s' is shown without its keys; to give one that stays outside: "
				 "[secret NAME] of a profile (man 7 sbx)",
				 path),
			 from);
	TRY(wishes_add_links(wishes, &file, from));
	return wishes_add(wishes, &own, false);
}

// Reads ~/.config/git/config, and configurations of gits that were not built for /etc.
static int read_others(struct wishes *wishes)
{
	static const char *const files[] = { "/usr/local/etc/gitconfig",
					     "/home/linuxbrew/.linuxbrew/etc/gitconfig" };
	struct plan *plan = wishes->plan;
	const char *usual = path_below(plan->scratch, plan->home, ".config");
	wishes->named.own = true;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!resolver_lacks(wishes->resolver, files[i]))
			TRY(gitnamed_file(plan->scratch, plan->home, files[i], NULL,
					  &wishes->named));
	if (!str_equal(usual, path_parent(plan->scratch, plan->config)))
		TRY(gitnamed_file(plan->scratch, plan->home,
				  path_below(plan->scratch, usual, "git/config"), NULL,
				  &wishes->named));
	return 0;
}

int filtered_plan(struct wishes *wishes)
{
	struct plan *plan = wishes->plan;
	struct gitnamed *named = &wishes->named;
	if (!wishes->named_all)
		TRY(gitnamed_global(plan->scratch, plan->home,
				    path_parent(plan->scratch, plan->config), named));
	TRY(read_others(wishes));
	for (const struct gitnamed_text *one = named->first; one; one = one->next)
		TRY(filter(wishes, one));
	list_each (file, &named->unclear)
		TRY(filter(wishes, &(struct gitnamed_text){ .path = file->text }));
	for (const char *const *pattern = settings_with_secrets; *pattern; pattern++)
		if (!wishes_lack(wishes, *pattern))
			TRY(starred_walk(wishes, *pattern, filter_lines));
	for (const char *const *file = settings_of_registries; *file; file++)
		if (!wishes_lack(wishes, *file))
			TRY(starred_walk(wishes, *file, filter_registries));
	return 0;
}
