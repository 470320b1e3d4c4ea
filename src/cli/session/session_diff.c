// Owns the printing of a session's changes. Git makes the text, from copies of the changed files in
// a private directory.
#include "cli/session/sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "report/print_fields.h"
#include "session/compare/changes.h"
#include "session/store/store.h"
#include "text/words.h"

extern char **environ;

enum { SIZE_TEXT_MAX = 32, SHOWN_BYTES_MAX = 16 << 20, GIT_LOOKS_AT = 8000 };

static const struct {
	char letter;
	const char *word;
} kinds[] = {
	[CHANGE_ADDED] = { 'A', "added" },     [CHANGE_EDITED] = { 'M', "changed" },
	[CHANGE_REMOVED] = { 'D', "removed" }, [CHANGE_TYPE] = { 'T', "replaced" },
	[CHANGE_MODE] = { 'P', "mode" },
};

// `paths` are absolute. An empty list means all.
static bool is_wanted(const struct held *held, const struct change *change,
		      const char *const *paths)
{
	const char *whole = path_below(held->store->arena, held->session.roots[change->root].path,
				       change->path);
	bool wanted = !paths[0];
	for (; *paths && !wanted; paths++)
		wanted = path_within(whole, *paths);
	return wanted;
}

static const char *type_word(mode_t mode)
{
	bool set = S_ISREG(mode) && (mode & (S_ISUID | S_ISGID));
	return set                                               ? "  (set-user-ID or set-group-ID)"
	       : S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode) ? ""
	       : S_ISFIFO(mode)                                  ? "  (pipe)"
	       : S_ISSOCK(mode)                                  ? "  (socket)"
								 : "  (device)";
}

void changes_line(struct out *out, const struct held *held, const struct change *change)
{
	char leads[PATH_MAX], size[SIZE_TEXT_MAX] = "", modes[32];
	const struct stat *was = &change->was, *is = &change->is;
	const struct stat *status = change->kind == CHANGE_REMOVED ? was : is;
	bool outside = sides_leads_out(held, change, leads);
	const char letter[] = { change->renamed ? 'R' : kinds[change->kind].letter, '\0' };
	if (S_ISREG(status->st_mode))
		units_rough(size, sizeof(size), (uint64_t)status->st_size, UNIT_SIZE);
	snprintf(modes, sizeof(modes), "  (%04o -> %04o)", was->st_mode & 07777,
		 is->st_mode & 07777);
	print_one(out, SHOWN(NULL, letter, "", 0, " "), SHOWN(NULL, size, "", 7, "  "),
		  SHOWN("path", change_name(held, change), "", 0,
			S_ISDIR(status->st_mode) ? "/" : ""),
		  MEMBER("kind", kinds[change->kind].word),
		  NUMBER_IF(was->st_mode, "old_mode", was->st_mode),
		  NUMBER_IF(was->st_mode, "old_size", (unsigned long long)was->st_size),
		  NUMBER_IF(is->st_mode, "mode", is->st_mode),
		  NUMBER_IF(is->st_mode, "size", (unsigned long long)is->st_size),
		  SHOWN(NULL, leads[0] ? leads : NULL, "  (link to ", 0,
			outside ? ", which the session could not see)" : ")"),
		  WORDS(type_word(status->st_mode)),
		  SHOWN("renamed_from", change->renamed, "  (was ", 0, ")"),
		  SHOWN(NULL, change->kind == CHANGE_MODE ? modes : NULL, "", 0, ""),
		  FLAGGED("conflict", change->conflict,
			  "  (conflict: the host has changed it since)"),
		  FLAGGED("only_when_named", change->guarded, "  (applied only when named)"),
		  WORDS("\n"));
}

static int make_parents(int top, const char *path)
{
	char part[PATH_MAX];
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		str_put(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (mkdirat(top, part, 0700) < 0 && errno != EEXIST)
			return fail(errno, "make a copy to compare");
	}
	return 0;
}

// Makes characters visible that act on the terminal: a change cannot hide itself from a reviewer.
// Leaves out bytes that git takes for binary.
static int copy_visible(struct arena *arena, int from, const char *name, const struct stat *status,
			int top, const char *place)
{
	struct out out = { 0 };
	char link[PATH_MAX];
	const char *text = link;
	bool is_link = S_ISLNK(status->st_mode);
	ssize_t size = is_link ? readlinkat(from, name, link, sizeof(link)) : 0;
	size_t length = (size_t)size;
	if (size < 0 ||
	    (!is_link && file_read(from, name, 0, SHOWN_BYTES_MAX, arena, &text, &length) < 1))
		return fail(errno, "read '%s'", str_shown(name));
	if (memchr(text, '\0', length < GIT_LOOKS_AT ? length : GIT_LOOKS_AT))
		out_bytes(&out, text, length);
	else
		out_visible(&out, text, length);
	autoclose int fd =
		is_link ? -1 : openat(top, place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool made = is_link ? symlinkat(out.text, top, place) == 0
			    : fd >= 0 && fd_write_all(fd, out.text, out.used) == 0 &&
				      fchmod(fd, (status->st_mode & 0777) | S_IRUSR) == 0;
	out_free(&out);
	return made ? 0 : fail(errno, "make a copy to compare");
}

// True for what git shows: symlinks, and files; on a terminal only small ones.
static bool is_text(const struct stat *status)
{
	return S_ISLNK(status->st_mode) ||
	       (S_ISREG(status->st_mode) &&
		(status->st_size <= SHOWN_BYTES_MAX || !isatty(STDOUT_FILENO)));
}

// Git shows only the owner's x bit of a mode.
static bool is_shown_by_git(const struct changes *changes, unsigned index)
{
	const struct change *change = &changes->list[index];
	const struct stat *was = &change->was, *is = &change->is;
	bool set = S_ISREG(is->st_mode) && (is->st_mode & (S_ISUID | S_ISGID));
	if (change->kind == CHANGE_MODE)
		return !set && is_text(is) && ((is->st_mode ^ was->st_mode) & S_IXUSR);
	return !set && (!is->st_mode || is_text(is) || changes_has_inside(changes, index)) &&
	       (!was->st_mode || is_text(was) || changes_has_inside(changes, index));
}

// True if git takes the name in a patch: it is relative, without a part .git.
static bool is_of_patch(const char *name)
{
	while (*name && *name != '/' && !component_is_git(name)) {
		name += strcspn(name, "/");
		name += *name == '/';
	}
	return !*name;
}

// Copies one side of a change, so that git compares only copies.
static int copy_side(const struct held *held, const struct change *change, int top, bool old)
{
	const struct stat *status = old ? &change->was : &change->is;
	const char *name, *place = change_name(held, change) + (change->path[0] == '/');
	place += place[0] == '/';
	if (!is_text(status))
		return 0;
	autoclose int from =
		old ? sides_host_parent(&held->session, change->root, change->path, &name)
		    : sides_parent(held, change, &name);
	TRY(from);
	TRY(make_parents(top, place));
	if (isatty(STDOUT_FILENO))
		return copy_visible(held->store->arena, from, name, status, top, place);
	TRY(copy_one(from, name, status, top, place));
	// Git needs to read the copy, whatever mode the session set.
	if (S_ISREG(status->st_mode) && !(status->st_mode & S_IRUSR) &&
	    fchmodat(top, place, (status->st_mode & 0777) | S_IRUSR, 0) < 0)
		return fail(errno, "make a copy to compare");
	return 0;
}

// --git-dir keeps git from finding a repository, where .gitattributes of the session would decide
// which files are text. The user's attributes would change line ends. In a pipe the patch suits
// `git apply` under any configuration. `quoted`: git also quotes bytes above ASCII in names.
static int run_git(int directory, char **environment, bool quoted, const char **ret_why)
{
	enum { NOT_FOUND = 127 };
	int status;
	char line[512], *words[24] = { 0 }, *rest = line;
	snprintf(line, sizeof(line),
		 "git -c core.attributesFile=/dev/null -c core.autocrlf=false%s "
		 "--git-dir=/dev/null diff --no-index --no-prefix --no-ext-diff --no-textconv %s "
		 "a b",
		 quoted ? " -c core.quotePath=true" : "",
		 isatty(STDOUT_FILENO) ? "-M" : "--no-renames --binary --no-color -U3");
	for (size_t i = 0; rest && i + 1 < sizeof(words) / sizeof(*words); i++)
		words[i] = strsep(&rest, " ");
	pid_t pid = fork();
	if (pid == 0) {
		environ = environment;
		if (fchdir(directory) == 0)
			execvp(words[0], words);
		_exit(NOT_FOUND);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return fail(errno, "run git");
	bool shown = WIFSIGNALED(status) ? WTERMSIG(status) == SIGPIPE : WEXITSTATUS(status) <= 1;
	*ret_why = shown                                ? NULL
		   : status == W_EXITCODE(NOT_FOUND, 0) ? "could not be run"
							: "failed";
	return 0;
}

struct diff_wanted {
	const struct held *held;
	const struct changes *changes;
	bool quoted; // a name is not printable
	bool named;  // paths were given
};

static int copy_sides(struct sessions *sessions, const struct diff_wanted *wanted, int directory)
{
	autoclose int a = -1, b = -1;
	if (mkdirat(directory, "a", 0700) < 0 || mkdirat(directory, "b", 0700) < 0)
		return fail(errno, "make copies to compare");
	a = openat(directory, "a", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	b = openat(directory, "b", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = 0; i < wanted->changes->count; i++) {
		const struct change *change = &wanted->changes->list[i];
		if (!change->selected)
			continue;
		bool shown = wanted->named || isatty(STDOUT_FILENO) ||
			     is_of_patch(change_name(wanted->held, change));
		if (shown) {
			TRY(copy_side(wanted->held, change, a, true));
			TRY(copy_side(wanted->held, change, b, false));
		}
		if (!shown || !is_shown_by_git(wanted->changes, i))
			changes_line(&sessions->out, wanted->held, change);
	}
	return 0;
}

static int show_text(struct sessions *sessions, const struct diff_wanted *wanted)
{
	char name[OWNED_FRESH];
	const char *why = "could not be run";
	int store = sessions->store.sessions, result = 0;
	TRY(store_share(&sessions->store));
	TRY(owned_fresh(name, STORE_FRESH));
	// A state directory that is read-only or full takes no copies: then only lists changes.
	bool place = mkdirat(store, name, 0700) == 0;
	autoclose int directory = place ? fd_directory(store, name) : -1;
	if (directory >= 0)
		result = copy_sides(sessions, wanted, directory);
	if (directory >= 0 && result == 0)
		result = out_flush(&sessions->out, STDOUT_FILENO) < 0
				 ? -1
				 : run_git(directory,
					   viewer_environment(sessions->store.arena,
							      &wanted->held->session),
					   wanted->quoted, &why);
	if (place)
		owned_remove_tree(store, name);
	TRY(result);
	for (unsigned i = 0; i < wanted->changes->count && why; i++)
		if (wanted->changes->list[i].selected)
			changes_line(&sessions->out, wanted->held, &wanted->changes->list[i]);
	if (why)
		out_text(&sessions->notes, "sbx: the text of changes is shown by git, which %s\n",
			 why);
	return 0;
}

int changes_show(struct sessions *sessions, const struct held *held, char *const *words,
		 enum diff_form form)
{
	struct changes changes;
	unsigned conflicts = 0, guarded = 0, count = 0;
	struct arena *arena = sessions->store.arena;
	bool quoted = false;
	TRY(changes_find(held, PROJECT_SAME, &changes));
	while (words[count])
		count++;
	const char **paths = arena_take(arena, (count + 1) * sizeof(*paths));
	for (unsigned i = 0; i < count; i++)
		paths[i] = select_path(held, words[i]);
	if (form == DIFF_JSON)
		print_begin(&sessions->out, "session-diff", "changes");
	for (unsigned i = 0; i < changes.count; i++) {
		struct change *change = &changes.list[i];
		change->selected = is_wanted(held, change, paths);
		if (!change->selected)
			continue;
		quoted |= !str_visible(change->path);
		conflicts += change->conflict;
		guarded += change->guarded && !change->inside && !change->left;
		if (form != DIFF_TEXT)
			changes_line(&sessions->out, held, change);
	}
	if (form == DIFF_JSON) {
		print_end(&sessions->out, "changes");
		return 0;
	}
	if (form == DIFF_TEXT)
		TRY(show_text(sessions,
			      &(struct diff_wanted){ held, &changes, quoted, words[0] != NULL }));
	if (conflicts > 0)
		out_text(&sessions->notes,
			 "sbx: the host has since changed %u of the session's paths as well\n",
			 conflicts);
	if (guarded > 0)
		out_text(&sessions->notes,
			 "sbx: %u of the session's changes would be run or trusted by your own "
			 "programs: applied only when named\n",
			 guarded);
	return 0;
}

void changes_put(struct sessions *sessions, const char *name)
{
	enum { CHANGED_MAX = 1000 };
	struct held held;
	struct changes changes;
	if (store_hold(&sessions->store, name, HOLD_SHARED, &held) < 0 ||
	    changes_find(&held, PROJECT_SAME, &changes) < 0)
		return;
	print_open(&sessions->out, "changed", '[');
	for (unsigned i = 0; i < changes.count && i < CHANGED_MAX; i++)
		changes_line(&sessions->out, &held, &changes.list[i]);
	print_close(&sessions->out, ']');
	print_members(&sessions->out, NUMBER_IF(changes.count > CHANGED_MAX, "changed_more",
						changes.count - CHANGED_MAX));
	store_release(&held);
}
