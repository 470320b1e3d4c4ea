// Owns the list of changed names of a project: a line "u|s HASH INODE-CTIME PATH" for each, u until
// a person on a terminal was shown it; and "p|m HASH KIND -" for each finding that is reported
// once, p to a person and m to a model.
#include "postcheck/finding/finding.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "report/findings.h"
#include "text/sha.h"

#define MORE "more files than a list holds: see git status"

enum { LIST_BYTES_MAX = 512 << 10, CONTENT_BYTES_MAX = 1 << 20, LISTED_MAX = 4 << 10 };

const char *unshown_text(struct arena *arena, const char *state, const char *project)
{
	const char *text, *file = path_kept(arena, state, "changed", project);
	size_t length;
	return file_read(AT_FDCWD, file, 0, LIST_BYTES_MAX, arena, &text, &length) == 1 ? text : "";
}

// The directory of the list. The next run that ends waits for it to be closed.
static int lock_list(struct arena *arena, const struct plan *plan)
{
	const char *file = path_kept(arena, plan->state, "changed", plan->project);
	autoclose int directory = owned_directory(path_parent(arena, file));
	return directory < 0 || fd_lock(directory, LOCK_EX) < 0 ? -1 : take(&directory);
}

// The next line, whose words are split; false after the last.
static bool next(struct arena *arena, const char **at, struct unshown_line *ret)
{
	size_t length = strcspn(*at, "\n");
	char *line = arena_copy(arena, *at, length), *blank = strchr(line, ' ');
	char *second = blank ? strchr(blank + 1, ' ') : NULL;
	char *third = second ? strchr(second + 1, ' ') : NULL;
	*at += length + ((*at)[length] == '\n');
	if (!third)
		return false;
	*second = *third = '\0';
	*ret = (struct unshown_line){ line[0], blank + 1, second + 1, third + 1 };
	return true;
}

static const char *sum_of(struct arena *arena, const char *text, size_t length)
{
	unsigned char name[SHA256_BYTES];
	const char *content = "";
	sha256(text, length, name);
	for (unsigned i = 0; i < SHA256_BYTES; i++)
		content = arena_text(arena, "%s%02x", content, name[i]);
	return content;
}

// The SHA-256 of a file; "-" for a directory and a file too large: these count as new each time.
static const char *content_of(struct arena *arena, const struct plan *plan, const char *path)
{
	struct arena *own = arena_new();
	const char *text, *content = "-";
	size_t length;
	if (file_read(AT_FDCWD, path_join(own, plan->project, path), 0, CONTENT_BYTES_MAX, own,
		      &text, &length) == 1) {
		content = sum_of(arena, text, length);
	}
	arena_free(own);
	return content;
}

struct noting {
	const struct plan *plan;
	struct arena *arena;
	struct unshown_line *before; // the list
	unsigned count;
	struct out after;     // and what it becomes
	struct findings kept; // of this run's
	bool person;
	char reader; // 'p' or 'm'
};

static bool is_name(const struct unshown_line *line)
{
	return line->state == 'u' || line->state == 's';
}

// Of the file as it is now.
static const char *stamp_of(struct arena *arena, const struct plan *plan, const char *path)
{
	struct stat status;
	if (fstatat(AT_FDCWD, path_join(arena, plan->project, path), &status, AT_SYMLINK_NOFOLLOW) <
	    0)
		return "0";
	return arena_text(arena, "%llu-%lld.%ld", (unsigned long long)status.st_ino,
			  (long long)status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

static void add_line(struct noting *noting, const struct unshown_line *line)
{
	out_text(&noting->after, "%c %s %s %s\n", line->state, line->content, line->stamp,
		 line->path);
}

static void note_one(struct noting *noting, const struct reported *finding)
{
	const char *content = content_of(noting->arena, noting->plan, finding->path);
	bool known = false, unseen = true;
	for (unsigned i = 0; i < noting->count; i++)
		if (str_equal(noting->before[i].path, finding->path)) {
			known = content[1] && str_equal(noting->before[i].content, content);
			unseen = !known || noting->before[i].state == 'u';
		}
	struct unshown_line line = { noting->person || !unseen ? 's' : 'u', content,
				     stamp_of(noting->arena, noting->plan, finding->path),
				     finding->path };
	add_line(noting, &line);
	if (!known || (unseen && noting->person) || noting->plan->profile->report == TELL_JSON)
		findings_add(&noting->kept, finding->kind, finding->path, "", "");
}

// Findings that are reported once: until they change, or in an agent's session.
static enum once { ALWAYS, UNTIL_CHANGED, ONCE, IN_SESSION } once_of(enum finding_kind kind)
{
	if (kind == FINDING_LINK)
		return ONCE;
	if (kind == FINDING_UNTRUSTED || kind == FINDING_HEADLESS || kind == FINDING_ELSEWHERE)
		return UNTIL_CHANGED;
	return kind == FINDING_POLICY || kind == FINDING_BACKGROUND || kind == FINDING_LEFT
		       ? IN_SESSION
		       : ALWAYS;
}

static void note_once(struct noting *noting, const struct reported *finding)
{
	char session[ANCESTOR_MAX] = "";
	bool known = false, never = noting->plan->profile->report == TELL_NEVER;
	if (once_of(finding->kind) == IN_SESSION)
		ancestor_name(session);
	// A model is given the fact once, a person each name.
	bool any = finding->kind == FINDING_LEFT && noting->reader == 'm';
	const char *text =
		arena_text(noting->arena, "%s %s %s %s", finding_rows[finding->kind].word, session,
			   any ? "" : finding->path, finding->detail);
	struct unshown_line line = { noting->reader, sum_of(noting->arena, text, strlen(text)),
				     finding_rows[finding->kind].word, "-" };
	for (unsigned i = 0; i < noting->count; i++)
		known = known || (noting->before[i].state == line.state &&
				  str_equal(noting->before[i].content, line.content));
	if (known || !never)
		add_line(noting, &line);
	if (!known || noting->plan->profile->report == TELL_JSON)
		findings_add(&noting->kept, finding->kind, finding->path, finding->detail,
			     finding->fix);
}

// Whether such a line holds after this run.
static bool stays(const struct noting *noting, const struct findings *found,
		  const struct unshown_line *line)
{
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		if (once_of(kind) != ALWAYS && str_equal(finding_rows[kind].word, line->stamp))
			return line->state != noting->reader ||
			       (once_of(kind) != UNTIL_CHANGED && found->counts[kind] == 0);
	return false;
}

// Those that this run did not change.
static void note_others(struct noting *noting, const struct findings *found)
{
	for (unsigned i = 0; i < noting->count; i++) {
		struct unshown_line *change = &noting->before[i];
		if (is_name(change) ? findings_has(found, FINDING_CHANGED, change->path)
				    : !stays(noting, found, change))
			continue;
		if (noting->person && change->state == 'u')
			findings_add(&noting->kept, FINDING_CHANGED_BEFORE, change->path, "", "");
		change->state = noting->person && change->state == 'u' ? 's' : change->state;
		add_line(noting, change);
	}
}

// A line without room is reported again.
static void write_list(struct noting *noting, int directory)
{
	const struct plan *plan = noting->plan;
	const char *file = path_kept(noting->arena, plan->state, "changed", plan->project);
	const char *text = noting->after.text ? noting->after.text : "";
	if (noting->after.used >= LIST_BYTES_MAX || noting->count == LISTED_MAX)
		text = "u - 0 " MORE "\n";
	if (directory >= 0)
		(void)owned_replace(directory, path_name(file), text, 0600);
}

static bool is_person(const struct plan *plan)
{
	enum telling report = plan->profile->report;
	return plan->person && !plan->terse && (report == TELL_SHORT || report == TELL_FULL);
}

// The content counts as new again: the user may have taken it back.
static bool forget_content(struct noting *noting, struct unshown_line *line)
{
	bool same = !line->content[1] || !is_name(line) ||
		    str_equal(line->stamp, stamp_of(noting->arena, noting->plan, line->path));
	line->content = same ? line->content : "-";
	add_line(noting, line);
	return !same;
}

void unshown_begin(struct plan *plan)
{
	FORGIVING;
	struct unshown_line line;
	bool changed = false;
	struct noting noting = { .plan = plan, .arena = plan->arena };
	plan->noted = plan->project && !plan->session &&
		      *unshown_text(plan->arena, plan->state, plan->project);
	if (!plan->noted)
		return;
	autoclose int directory = lock_list(plan->arena, plan);
	const char *at = unshown_text(plan->arena, plan->state, plan->project);
	while (next(plan->arena, &at, &line))
		changed = forget_content(&noting, &line) || changed;
	if (changed)
		write_list(&noting, directory);
	out_free(&noting.after);
}

void unshown_note(const struct plan *plan, struct findings *found)
{
	FORGIVING; // without the list all is reported each time
	struct reported finding;
	bool any = false;
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		any = any ||
		      (found->counts[kind] && (kind == FINDING_CHANGED || once_of(kind) != ALWAYS));
	if (!plan->project || plan->session || (!any && !plan->noted && !is_person(plan)))
		return;
	struct noting *noting = calloc(1, sizeof(*noting));
	if (!noting)
		abort();
	noting->plan = plan;
	noting->arena = arena_new();
	noting->before = arena_take(noting->arena, LISTED_MAX * sizeof(*noting->before));
	noting->person = is_person(plan);
	noting->reader = plan->terse || plan->profile->report == TELL_MODEL ? 'm' : 'p';
	autoclose int directory = any || plan->noted ? lock_list(noting->arena, plan) : -1;
	const char *before = unshown_text(noting->arena, plan->state, plan->project);
	for (const char *at = before; noting->count < LISTED_MAX &&
				      next(noting->arena, &at, &noting->before[noting->count]);)
		noting->count++;
	bool many = found->counts[FINDING_CHANGED] >=
		    findings_most(FINDING_CHANGED); // not all have a record
	if (any || noting->count > 0) {
		for (size_t at = 0; findings_next(found, &at, &finding);)
			if (finding.kind == FINDING_CHANGED && !many)
				note_one(noting, &finding);
			else if (once_of(finding.kind) != ALWAYS)
				note_once(noting, &finding);
			else
				findings_add(&noting->kept, finding.kind, finding.path,
					     finding.detail, finding.fix);
		note_others(noting, found);
		if (many && !noting->person)
			add_line(noting, &(struct unshown_line){ 'u', "-", "0", MORE });
		for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
			if ((kind != FINDING_CHANGED || many) && once_of(kind) == ALWAYS &&
			    found->counts[kind] > noting->kept.counts[kind])
				noting->kept.counts[kind] = found->counts[kind];
		if (!str_equal(before, noting->after.text ? noting->after.text : ""))
			write_list(noting, directory);
		findings_free(found);
		*found = noting->kept;
	}
	out_free(&noting->after);
	arena_free(noting->arena);
	free(noting);
}

bool unshown_next(struct arena *arena, const char **at, struct unshown_line *ret_line)
{
	do {
		if (!next(arena, at, ret_line))
			return false;
	} while (!is_name(ret_line));
	return true;
}
