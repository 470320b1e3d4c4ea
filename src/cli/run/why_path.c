// Owns the answers of sbx why about paths.
#include "cli/run/why.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "run/run_command.h"
#include "names/names.h"
#include "view/paths/wishes.h"

// True for a path in a directory that is private to the box.
static bool is_in_own(const struct judgement *judgement, const char *path)
{
	const struct mount *by = judgement->by;
	bool own = by && (by->kind == MOUNT_TMPFS || (by->kind == MOUNT_LAYERS && !by->source));
	return own && judgement->verdict != PATH_ABSENT && !str_equal(by->target, path);
}

static const char *const verdict_words[] = {
	[PATH_ABSENT] = "absent", [PATH_HIDDEN] = "hidden",   [PATH_READ] = "read",
	[PATH_WRITE] = "write",   [PATH_PRIVATE] = "private",
};

static const char *path_words(const struct judgement *judgement, const char *path)
{
	if (is_in_own(judgement, path))
		return judgement->by->kind == MOUNT_LAYERS
			       ? "is not in the box: its directory is the session's own"
			       : "is not in the box: its directory is empty and temporary there";
	switch (judgement->verdict) {
	case PATH_READ:
		return "can be read, not written";
	case PATH_WRITE:
		return judgement->by->kind == MOUNT_LAYERS
			       ? "can be read and, in the session, written"
			       : "can be read and written";
	case PATH_PRIVATE:
		if (judgement->by->kind == MOUNT_SCRATCH)
			return "can be read; writes are discarded at the end";
		return judgement->by->cache ? "can be written; stored for this project's boxes, "
					      "separate from the host's"
					    : "can be written; it is private to the box and "
					      "discarded at the end";
	case PATH_HIDDEN:
		return "is hidden";
	case PATH_ABSENT:
		break;
	}
	return "is not in the box: no line names it";
}

// Tries the path, because a box around this one may deny it.
static void why_outer(const struct box *box, const char *path, bool absent, struct why *why)
{
	if (!box->plan.inside)
		return;
	if (access(path, F_OK) < 0 && errno == ENOENT && absent)
		out_text(&why->text,
			 "  the box around this one has no such file: that one needs the same\n");
	else if (access(path, W_OK) < 0 && errno == EROFS)
		out_text(&why->text, "  it is read-only in the box around this one\n");
}

// Quotes the option for a shell. A path with '$' cannot be given: '$' begins a variable.
static void why_flag(struct box *box, const char *purpose, const char *option, const char *path,
		     struct why *why)
{
	const char *word = strchr(path, '$') ? NULL : quote_fix(box->arena, path);
	if (word)
		why_fix(why, purpose, option, word, path);
}

// Sockets and devices have separate options.
static bool why_special(struct box *box, const char *path, struct why *why)
{
	struct stat status;
	if (stat(path, &status) < 0)
		return false;
	if (S_ISSOCK(status.st_mode))
		why_flag(box, "to connect to it:", "--socket", path, why);
	else if (S_ISCHR(status.st_mode) && path_within(path, "/dev"))
		why_flag(box, "to use it:", "--device", path, why);
	else if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
		out_text(&why->text, "  a device; no option shows it\n");
	return S_ISSOCK(status.st_mode) || S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
}

static void why_write(struct box *box, const char *path, bool private, struct why *why)
{
	const char *refusal = project_refusal(&box->plan, path);
	if (refusal && private)
		return;
	if (refusal)
		out_text(&why->text, "  no option lets it be written: it %s\n", refusal);
	else
		why_flag(box, "to write it:", "--write", path, why);
}

// True for a directory that only exists as a mount point's parent.
static bool is_above_shown(const struct plan *plan, const char *path)
{
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (path_within(plan->mounts[i].target, path))
			return true;
	return false;
}

// Says if a later line hides a named path: its flag must come later.
static bool why_earlier(struct box *box, const char *path, struct why *why)
{
	const struct list *lists[] = { &box->profile.write, &box->profile.read };
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		list_each (item, lists[i])
			list_each (hider, &box->profile.secret)
				if (path_within(path, item->text) &&
				    path_within(item->text, hider->text) &&
				    hider->from.order > item->from.order) {
					out_text(&why->text,
						 "  %s names it, but a later line hides it (%s)\n",
						 str_shown(why_line(box, &item->from)),
						 str_shown(why_line(box, &hider->from)));
					why_flag(box,
						 "put behind that line:", i ? "--read" : "--write",
						 item->text, why);
					return true;
				}
	return false;
}

static void why_shown(struct box *box, const char *path, struct why *why)
{
	struct judgement judgement = judge_path(&box->plan, path);
	const struct item *kept = judge_final(&box->plan, path, true);
	bool absent = judgement.verdict == PATH_ABSENT || judgement.verdict == PATH_HIDDEN ||
		      is_in_own(&judgement, path);
	bool above = absent && judgement.verdict != PATH_HIDDEN && is_above_shown(&box->plan, path);
	why->verdict = above                         ? "partial"
		       : is_in_own(&judgement, path) ? "absent"
						     : verdict_words[judgement.verdict];
	out_text(&why->text, "%s %s", str_shown(path),
		 above ? "contains in the box only what other lines show; other writes there are "
			 "discarded"
		       : path_words(&judgement, path));
	if (judgement.by) {
		why->line = why_line(box, &judgement.by->from);
		out_text(&why->text, " (%s)", str_shown(why->line));
	}
	out_text(&why->text, "\n");
	why_outer(box, path, absent, why);
	if (absent && why_special(box, path, why))
		return;
	if (access(path, F_OK) < 0 && errno == ENOENT) {
		out_text(&why->text, "  it does not exist outside of the box either\n");
		const char *parent = path_parent(box->arena, path);
		if (judgement.verdict == PATH_READ && !kept && access(parent, W_OK) == 0)
			why_write(box, parent, false, why);
		return;
	}
	if (absent && why_earlier(box, path, why))
		return;
	const char *public = arena_text(box->arena, "%s.pub", path);
	if (absent && access(public, R_OK) == 0) // an ssh key need not be in the box
		why_flag(box, "to sign logins with it:", "--agent-key", public, why);
	if (absent)
		why_flag(box, "to read it: ", "--read", path, why);
	else if (access(path, R_OK) < 0 && errno == EACCES)
		out_text(&why->text, "  but you may not read it yourself\n");
	if (kept && judgement.verdict == PATH_WRITE)
		out_text(&why->text, "  but what appears there is quarantined (%s)\n",
			 str_shown(why_line(box, &kept->from)));
	else if (kept)
		out_text(&why->text, "  no option lets it be written (%s)\n",
			 str_shown(why_line(box, &kept->from)));
	else if (judgement.verdict != PATH_WRITE)
		why_write(box, path, judgement.verdict == PATH_PRIVATE, why);
}

// Names the program that runs the file. Git's own files have no row.
static void why_trusted(const struct box *box, const char *path, struct why *why)
{
	const char *project = box->plan.project;
	if (!project || !path_within(path, project) || str_equal(path, project))
		return;
	const char *inside = path + strlen(project) + 1;
	const struct trusted_row *row = trusted_find(inside);
	bool at_top = row && trusted_begins(row, inside);
	if (row)
		out_text(&why->text, "  your own programs run or trust it (%s): %s\n",
			 row->answer == TRUSTED_WALL && at_top ? "protected"
			 : row->answer == TRUSTED_WALL || at_top || trusted_is_below(inside)
				 ? "reported when it changes"
				 : "reported when a session brings it to the host",
			 trusted_text + row->who);
}

// True if the first symlink on the path is in a directory that the box lacks.
static bool lacks_link(struct box *box, const char *path)
{
	char *way = arena_copy(box->arena, path, strlen(path));
	struct stat status;
	for (char *end = strchr(way + 1, '/');; end = strchr(end + 1, '/')) {
		if (end)
			*end = '\0';
		if (lstat(way, &status) == 0 && S_ISLNK(status.st_mode)) {
			struct judgement judgement = judge_path(&box->plan, way);
			return judgement.verdict == PATH_ABSENT || is_in_own(&judgement, way);
		}
		if (!end)
			return false;
		*end = '/';
	}
}

void why_path(struct box *box, const char *word, struct why *why)
{
	char real[PATH_MAX];
	const char *path = word, *copy;
	struct identity link;
	if (str_starts(word, "~"))
		path = arena_text(box->arena, "%s%s", box->plan.home, word + 1);
	path = path_join(box->arena, box->plan.current ? box->plan.current : "/", path);
	if (outer_copy(box->arena, path, &link, &copy)) {
		why->verdict = "read";
		out_text(&why->text,
			 "%s can be read: the copy of the box around this one (protect)\n",
			 str_shown(path));
		return;
	}
	if (realpath(path, real) && !str_equal(real, path)) {
		if (lacks_link(box, path)) {
			why->verdict = "absent";
			out_text(&why->text, "%s is not in the box: a link on the way is not\n",
				 str_shown(path));
			why_flag(box, "to read it: ", "--read", path, why);
			return;
		}
		out_text(&why->text, "%s leads to %s\n", str_shown(path), str_shown(real));
		path = arena_copy(box->arena, real, strlen(real));
	}
	const struct item *hidden = judge_final(&box->plan, path, false);
	if (hidden) {
		why->verdict = "hidden";
		why->line = why_line(box, &hidden->from);
		out_text(&why->text, "%s is hidden (%s)\n  no option shows it\n", str_shown(path),
			 str_shown(why->line));
		return;
	}
	why_shown(box, path, why);
	why_trusted(box, path, why);
}
