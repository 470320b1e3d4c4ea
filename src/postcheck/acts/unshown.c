// Owns the list of reports about a project. src/README.md has its format (changed/TREE).
#include "postcheck/acts/check.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "report/findings.h"
#include "text/sha.h"

#define MORE "more files than a list holds: see git status"

enum { LIST_BYTES_MAX = 512 << 10, CONTENT_BYTES_MAX = 1 << 20 };

struct noting {
	const struct plan *plan;
	struct arena *arena;
	int directory;      // locked directory of the list, or -1
	const char *before; // the list's text before this run, with a newline in front
	struct out after;
	struct findings kept;
	bool person;
	char reader; // 'p': a person; 'm': a model
};

const char *unshown_text(struct arena *arena, const char *state, const char *project)
{
	const char *text, *file = path_kept(arena, state, "changed", project);
	size_t length;
	return file_read(AT_FDCWD, file, 0, LIST_BYTES_MAX, arena, &text, &length) == 1 ? text : "";
}

static void open_list(struct noting *noting)
{
	const struct plan *plan = noting->plan;
	const char *file = path_kept(noting->arena, plan->state, "changed", plan->project);
	noting->directory = owned_lock(path_parent(noting->arena, file));
	noting->before = arena_text(noting->arena, "\n%s",
				    unshown_text(noting->arena, plan->state, plan->project));
}

// Stores the list. Too large a one is dropped, and reported again.
static void close_list(struct noting *noting)
{
	const struct plan *plan = noting->plan;
	const char *text = noting->after.text ? noting->after.text : "";
	if (noting->after.used >= LIST_BYTES_MAX)
		text = "u - 0 " MORE "\n";
	if (noting->directory >= 0 && !str_equal(noting->before + 1, text))
		(void)owned_replace(
			noting->directory,
			path_name(path_kept(noting->arena, plan->state, "changed", plan->project)),
			text, 0600);
	fd_close(&noting->directory);
	out_free(&noting->after);
}

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

static bool is_name(const struct unshown_line *line)
{
	return line->state == 'u' || line->state == 's';
}

static void add_line(struct noting *noting, const struct unshown_line *line)
{
	out_text(&noting->after, "%c %s %s %s\n", line->state, line->hash, line->word, line->path);
}

static const char *hash_of(struct arena *arena, const char *text, size_t length)
{
	unsigned char name[SHA256_BYTES];
	const char *hash = "";
	sha256(text, length, name);
	for (unsigned i = 0; i < SHA256_BYTES; i++)
		hash = arena_text(arena, "%s%02x", hash, name[i]);
	return hash;
}

// Hashes path and content. "-": a directory or a large file, which always counts as new.
static const char *hash_of_name(const struct noting *noting, const char *path)
{
	struct arena *own = arena_new();
	const char *text, *hash = "-", *whole = path_join(own, noting->plan->project, path);
	size_t length;
	if (file_read(AT_FDCWD, whole, 0, CONTENT_BYTES_MAX, own, &text, &length) == 1) {
		text = arena_text(own, "%s %s", hash_of(own, text, length), path);
		hash = hash_of(noting->arena, text, strlen(text));
	}
	arena_free(own);
	return hash;
}

static const char *stamp_of(struct arena *arena, const struct plan *plan, const char *path)
{
	struct stat status;
	if (fstatat(AT_FDCWD, path_join(arena, plan->project, path), &status, AT_SYMLINK_NOFOLLOW) <
	    0)
		return "0";
	return arena_text(arena, "%llu-%lld.%ld", (unsigned long long)status.st_ino,
			  (long long)status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

static enum once { ALWAYS, UNTIL_CHANGED, ONCE, IN_SESSION } once_of(enum finding_kind kind)
{
	if (kind == FINDING_LINK)
		return ONCE;
	if (kind == FINDING_CHANGED || kind == FINDING_UNTRUSTED || kind == FINDING_HEADLESS ||
	    kind == FINDING_ELSEWHERE)
		return UNTIL_CHANGED;
	return kind == FINDING_POLICY || kind == FINDING_BACKGROUND || kind == FINDING_LEFT
		       ? IN_SESSION
		       : ALWAYS;
}

// Hashes a finding. For a model FINDING_LEFT has no path: it counts once.
static const char *hash_of_fact(const struct noting *noting, const struct reported *finding)
{
	char session[ANCESTOR_MAX] = "";
	bool any = finding->kind == FINDING_LEFT && noting->reader == 'm';
	if (once_of(finding->kind) == IN_SESSION)
		ancestor_name(session);
	const char *text =
		arena_text(noting->arena, "%s %s %s %s", finding_rows[finding->kind].word, session,
			   any ? "" : finding->path, finding->detail);
	return hash_of(noting->arena, text, strlen(text));
}

static bool has(const struct noting *noting, char state, const char *hash)
{
	return hash[1] &&
	       strstr(noting->before, arena_text(noting->arena, "\n%c %s ", state, hash));
}

static void note(struct noting *noting, const struct reported *finding)
{
	const struct plan *plan = noting->plan;
	struct unshown_line line = { noting->reader, "", finding_rows[finding->kind].word, "-" };
	bool tell;
	if (finding->kind == FINDING_CHANGED) {
		line.hash = hash_of_name(noting, finding->path);
		bool seen = has(noting, 's', line.hash);
		tell = !seen && (noting->person || !has(noting, 'u', line.hash));
		line.state = noting->person || seen ? 's' : 'u';
		line.word = stamp_of(noting->arena, plan, finding->path);
		line.path = finding->path;
	} else {
		line.hash = hash_of_fact(noting, finding);
		tell = !has(noting, line.state, line.hash);
	}
	if (!tell || line.state != noting->reader || plan->profile->report != TELL_NEVER)
		add_line(noting, &line);
	if (tell || plan->profile->report == TELL_JSON)
		findings_add(&noting->kept, finding->kind, finding->path, finding->detail,
			     finding->fix);
}

static bool stays(const struct noting *noting, const struct findings *found,
		  const struct unshown_line *line)
{
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		if (once_of(kind) != ALWAYS && str_equal(finding_rows[kind].word, line->word))
			return line->state != noting->reader ||
			       (once_of(kind) != UNTIL_CHANGED && found->counts[kind] == 0);
	return false;
}

static void note_others(struct noting *noting, const struct findings *found)
{
	struct unshown_line line;
	for (const char *at = noting->before + 1; next(noting->arena, &at, &line);) {
		if (is_name(&line) ? findings_has(found, FINDING_CHANGED, line.path)
				   : !stays(noting, found, &line))
			continue;
		if (noting->person && line.state == 'u') {
			findings_add(&noting->kept, FINDING_CHANGED_BEFORE, line.path, "", "");
			line.state = 's';
		}
		add_line(noting, &line);
	}
}

static bool is_person(const struct plan *plan)
{
	enum telling report = plan->profile->report;
	return plan->person && !plan->terse && (report == TELL_SHORT || report == TELL_FULL);
}

// Clears hashes of names written since their report: the user may have undone changes.
void unshown_begin(struct plan *plan)
{
	FORGIVING;
	struct unshown_line line;
	struct noting noting = { .plan = plan, .arena = plan->arena, .directory = -1 };
	plan->noted = plan->project && !plan->session &&
		      *unshown_text(plan->arena, plan->state, plan->project);
	if (!plan->noted)
		return;
	open_list(&noting);
	for (const char *at = noting.before + 1; next(plan->arena, &at, &line);) {
		if (is_name(&line) && !str_equal(line.word, stamp_of(plan->arena, plan, line.path)))
			line.hash = "-";
		add_line(&noting, &line);
	}
	close_list(&noting);
}

void unshown_note(const struct plan *plan, struct findings *found)
{
	FORGIVING; // without the list everything is reported
	struct reported finding;
	bool any = false;
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		any = any || (found->counts[kind] && once_of(kind) != ALWAYS);
	if (!plan->project || plan->session || (!any && !plan->noted))
		return;
	struct arena *arena = arena_new();
	struct noting *noting = arena_take(arena, sizeof(*noting));
	*noting = (struct noting){ .plan = plan, .arena = arena, .directory = -1 };
	noting->person = is_person(plan);
	noting->reader = plan->terse || plan->profile->report == TELL_MODEL ? 'm' : 'p';
	open_list(noting);
	bool many = found->counts[FINDING_CHANGED] >=
		    findings_most(FINDING_CHANGED); // names beyond the limit are not listed
	for (size_t at = 0; findings_next(found, &at, &finding);)
		if (once_of(finding.kind) != ALWAYS && !(many && finding.kind == FINDING_CHANGED))
			note(noting, &finding);
		else
			findings_add(&noting->kept, finding.kind, finding.path, finding.detail,
				     finding.fix);
	note_others(noting, found);
	if (many && !noting->person)
		add_line(noting, &(struct unshown_line){ 'u', "-", "0", MORE });
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		if ((once_of(kind) == ALWAYS || (many && kind == FINDING_CHANGED)) &&
		    found->counts[kind] > noting->kept.counts[kind])
			noting->kept.counts[kind] = found->counts[kind];
	close_list(noting);
	findings_free(found);
	*found = noting->kept;
	arena_free(arena);
}

bool unshown_next(struct arena *arena, const char **at, struct unshown_line *ret_line)
{
	do {
		if (!next(arena, at, ret_line))
			return false;
	} while (!is_name(ret_line));
	return true;
}
