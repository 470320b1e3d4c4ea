// Owns the check of a git directory's entries by the table git/layout.c, and of its index. Skips
// unchanged directories.
#include "postcheck/git/vet.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "git/git.h"
#include "postcheck/acts/check.h"
#include "report/findings.h"
#include "text/words.h"
#include "view/paths/wishes.h"

// New directories beyond DIRECTORIES_MAX or DEPTH_MAX are quarantined whole. Paths in git/layout.c
// have at most ROWS_DEPTH slashes.
#define SHARED_INDEX "sharedindex."
enum { DIRECTORIES_MAX = 65536, DEPTH_MAX = 64, ROWS_DEPTH = 2, NO_DIRECTORIES = 2 };

static const char untrusted[] = "appeared, and your own programs would run or trust it",
		  nested[] = "appeared as a repository in git's own directory";

struct parts_walk {
	struct check *check;
	const struct place *known;
	bool listed; // old names are known: from the start's listing, or by age
	size_t root; // length of the git directory's path
	bool top;    // new names at the top are allowed
	bool inside;
	bool users; // the user's old directory became a repository: old entries are the user's
	unsigned read;
	bool shared; // a split index's shared file changed
};

struct part_met {
	int directory;
	const char *name, *path;
	const struct layout_row *row;
	unsigned depth;
	bool moved; // a directory above is new or has new names
	struct stat status;
	bool late;
};

static const char *inside(const struct parts_walk *parts, const struct part_met *part)
{
	return part->path + parts->root + 1;
}

// A file of the start is known by name: the user may rewrite it. Other types need the old inode
// number, and a birth before the run: numbers are reused.
static bool is_known(const struct parts_walk *parts, const struct part_met *part)
{
	const struct stood *item =
		parts->known ? place_had(parts->known, inside(parts, part)) : NULL;
	bool file = S_ISREG(part->status.st_mode);
	if (!parts->known)
		return parts->listed && !file &&
		       finding_stood(parts->check, part->directory, part->name);
	return item && (file || (item->inode == (unsigned)part->status.st_ino &&
				 item->type == IFTODT(part->status.st_mode) &&
				 !finding_is_made(parts->check, part->directory, part->name)));
}

static void report_name(const struct parts_walk *parts, const struct part_met *part)
{
	if (parts->check->living)
		return;
	const char *path = finding_path(parts->check->plan, part->path);
	if (!findings_has(parts->check->found, FINDING_GIT_NAME, path))
		findings_add(parts->check->found, FINDING_GIT_NAME, path, "", "");
}

static bool look_at(const struct parts_walk *parts, struct part_met *part)
{
	const struct check *check = parts->check;
	if (fstatat(part->directory, part->name, &part->status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	bool timed = check->start.tv_sec != 0;
	bool acts = part->row && part->row->kind > LAYOUT_LOCK;
	// Without file times the listing of the start decides.
	part->late = (timed ? finding_is_late(check, &part->status)
			    : (part->depth == 0 || acts) && (parts->known || !check->known)) &&
		     !finding_is_own(check, part->directory, part->name) &&
		     (!parts->users || finding_is_made(check, part->directory, part->name));
	return true;
}

static void take_part(const struct parts_walk *parts, const struct part_met *part, const char *why)
{
	finding_take(parts->check, part->directory, part->name, part->path, why);
}

// Whether this is a file of the user's editor, or git's test for links (init-db.c).
static bool is_passing(const struct part_met *part)
{
	char text[16];
	ssize_t length = readlinkat(part->directory, part->name, text, sizeof(text));
	return part->name[0] == '.' || (length == (ssize_t)strlen("testing") &&
					memcmp(text, "testing", (size_t)length) == 0);
}

// Takes away a new link, pipe, socket or device. A daemon's socket is useless without the box.
static void take_odd(const struct parts_walk *parts, const struct part_met *part)
{
	if (!part->late || is_known(parts, part))
		return;
	bool socket = S_ISSOCK(part->status.st_mode);
	if (parts->check->living && (socket || is_passing(part)))
		return;
	if (socket && part->row && part->row->type == LAYOUT_SOCKET)
		finding_remove(parts->check, part->directory, part->name, part->path);
	else
		take_part(parts, part,
			  S_ISLNK(part->status.st_mode)
				  ? "appeared as a link, and your own git would follow it"
				  : FINDING_WAITS);
}

static bool is_directory_row(const struct layout_row *row)
{
	return row->type == LAYOUT_DIRECTORY || row->type == LAYOUT_MANY;
}

static bool is_wrong(const struct part_met *part)
{
	return part->depth == 0 && part->row &&
	       is_directory_row(part->row) != S_ISDIR(part->status.st_mode);
}

static void meet_file(struct parts_walk *parts, struct part_met *part)
{
	const struct layout_row *row = part->row;
	bool acts = row && row->type == LAYOUT_FILE && strchr(row->path, '/') && !parts->known &&
		    (row->kind == LAYOUT_RUN || row->kind == LAYOUT_POINTER);
	bool top = part->depth == 0, wrong = top && row && is_directory_row(row);
	bool lock = row && row->kind == LAYOUT_LOCK;
	bool named =
		str_starts(inside(parts, part), "refs/") && !leftover_is_plain(inside(parts, part));
	if (top && str_starts(part->name, SHARED_INDEX))
		parts->shared |= finding_is_changed(parts->check, part->directory, part->name);
	if ((!acts && !wrong && !lock && !named) || !look_at(parts, part) || !part->late ||
	    is_known(parts, part))
		return;
	if (named)
		report_name(parts, part);
	if (lock && (parts->known || finding_is_made(parts->check, part->directory, part->name)))
		leftover_take_lock(parts->check, part->directory, part->name, part->path);
	else if (!lock && !named &&
		 !pointer_is_alternates(parts->check->plan, part->directory, part->name,
					part->path))
		take_part(parts, part, untrusted);
}

static void visit(struct parts_walk *parts, struct part_met *part);

static void meet(struct parts_walk *parts, struct part_met *part, unsigned char type)
{
	if (part->depth <= ROWS_DEPTH || str_ends(part->name, ".lock"))
		part->row = layout_find(inside(parts, part));
	// In a bare repository, the search through the tree finds .git.
	if (!part->row && !parts->inside && component_is_git(part->name))
		return;
	if (component_is_git(part->name) && look_at(parts, part) && part->late) {
		take_part(parts, part, nested);
		return;
	}
	if (type == DT_REG) {
		meet_file(parts, part);
		return;
	}
	if (!look_at(parts, part))
		return;
	if (S_ISREG(part->status.st_mode))
		meet_file(parts, part);
	else if (!S_ISDIR(part->status.st_mode))
		take_odd(parts, part);
	else if (is_wrong(part) && part->late && !is_known(parts, part))
		take_part(parts, part, untrusted);
	else
		visit(parts, part);
}

static void read_entries(struct parts_walk *parts, int directory, const char *path, unsigned depth,
			 const struct layout_row *row, bool moved)
{
	char below[PATH_MAX] __attribute__((uninitialized));
	struct living *living = parts->check->living;
	if (living)
		living->meets(living, directory);
	// While the box lives, the top's files and links come first.
	const bool apart = living && depth == 0;
	for (int pass = apart ? 0 : 1; pass < 2; pass++) {
		lseek(directory, 0, SEEK_SET);
		entries_each (entry, directory) {
			struct part_met part = { directory, entry->name, below,        row,
						 depth,     moved,       .late = false };
			if (finding_waits(parts->check) ||
			    (living && pass == 1 && living->entries == 0))
				return;
			if (apart && (entry->type == DT_DIR) != (pass == 1))
				continue;
			if (living && pass == 1)
				living->entries--;
			if (str_put(below, sizeof(below), "%s/%s", path, entry->name))
				meet(parts, &part, entry->type);
		}
	}
}

// First takes parts that the run changed.
void parts_undo(struct check *check, int directory, const char *path)
{
	char below[PATH_MAX];
	for (int turn = 0; turn < 2; turn++)
		for (enum git_part part = GIT_HEAD; part < GIT_PARTS; part++) {
			const char *name = git_part_names[part];
			if (git_directory(directory) == GIT_NONE)
				return;
			if (snprintf(below, sizeof(below), "%s/%s", path, name) <
				    (int)sizeof(below) &&
			    (turn > 0 || finding_is_changed(check, directory, name)))
				finding_take(check, directory, name, below,
					     "made this directory a repository of git's");
		}
}

// Quarantines a nested git directory if it is new, else only parts of it.
static bool take_nested(const struct parts_walk *parts, const struct part_met *part, int fd)
{
	bool top = part->depth == 0 && !part->row && parts->listed;
	if (git_directory(fd) == GIT_NONE || (top && is_known(parts, part)))
		return false;
	bool came = top || finding_is_made(parts->check, part->directory, part->name);
	if (came)
		take_part(parts, part, nested);
	else
		parts_undo(parts->check, fd, part->path);
	return came;
}

// Directories unknown to git, and those with many entries, are read only where they changed.
static bool is_read(const struct parts_walk *parts, const struct part_met *part)
{
	const struct living *living = parts->check->living;
	if (living && part->depth > 0 && part->row && part->row->type == LAYOUT_MANY)
		return false; // git makes whole new files there
	if (part->late || part->moved || (living && living->first))
		return true;
	if (part->status.st_nlink == NO_DIRECTORIES || !part->row)
		return false;
	return part->row->type != LAYOUT_MANY || (parts->top && part->depth == 0);
}

// Reads git's usual directories. True: there are no others.
static bool visit_usual(struct parts_walk *parts, const struct part_met *part)
{
	static const char *const names[] = { "objects/info",    "objects/pack",     "refs/heads",
					     "refs/tags",       "refs/remotes",     "logs/refs",
					     "logs/refs/heads", "logs/refs/remotes" };
	char below[PATH_MAX];
	nlink_t left = part->status.st_nlink - NO_DIRECTORIES;
	size_t length = strlen(part->name);
	// Applies only to entries directly below the git directory.
	if (!str_equal(part->name, inside(parts, part)) || part->late || part->moved ||
	    !part->row || (parts->check->living && parts->check->living->first))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct part_met one = { part->directory, names[i], below,        part->row,
					part->depth + 1, false,    .late = false };
		if (!path_within(names[i], part->name) || names[i][length] != '/' ||
		    strchr(names[i] + length + 1, '/') ||
		    !str_put(below, sizeof(below), "%.*s/%s", (int)parts->root, part->path,
			     names[i]))
			continue;
		meet(parts, &one, DT_UNKNOWN);
		left -= S_ISDIR(one.status.st_mode);
	}
	return left == 0;
}

static void visit(struct parts_walk *parts, struct part_met *part)
{
	// Hooks and nested git directories have other rules.
	if (part->depth == 0 && part->row &&
	    (part->row->kind == LAYOUT_NESTED || part->row->kind == LAYOUT_RUN))
		return;
	if (part->depth == 0 && !part->row && part->late && parts->listed && !is_known(parts, part))
		part->moved = true;
	if (visit_usual(parts, part) || !is_read(parts, part))
		return;
	if (part->late && (parts->read >= DIRECTORIES_MAX || part->depth >= DEPTH_MAX)) {
		take_part(parts, part, "appeared with too many entries to check");
		return;
	}
	parts->read++;
	autoclose int fd = openat(part->directory, part->name,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || ((part->late || part->moved) && take_nested(parts, part, fd)))
		return;
	bool crowd = part->row && part->row->type == LAYOUT_MANY;
	read_entries(parts, fd, part->path, part->depth + 1, part->row,
		     part->moved || (part->late && !crowd));
}

// Looks by path: a write to a file does not change its directory's time.
static void meet_files(struct parts_walk *parts, int directory, const char *path)
{
	char above[PATH_MAX], below[PATH_MAX];
	layout_each(row)
	{
		const char *name = path_name(row->path);
		if (row->type != LAYOUT_FILE || name == row->path ||
		    !str_put(above, sizeof(above), "%.*s", (int)(name - row->path), row->path) ||
		    !str_put(below, sizeof(below), "%s/%s", path, row->path))
			continue;
		autoclose int fd = sys_openat2(directory, above, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
					       RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
		struct part_met part = { fd, name, below, row, 1, false, .late = false };
		if (fd >= 0)
			meet_file(parts, &part);
	}
}

static bool is_in_git(const char *path)
{
	for (; path; path = strchr(path + 1, '/'))
		if (component_is_git(path + (*path == '/')))
			return true;
	return false;
}

void parts_look(struct check *check, int directory, const char *path, const struct place *known,
		bool top)
{
	char below[PATH_MAX];
	bool inside = is_in_git(path);
	bool users = !known && !inside && !finding_is_made(check, directory, ".");
	bool listed = known || (inside && finding_stood(check, directory, "."));
	struct parts_walk parts = {
		check, known, listed, strlen(path), top, inside, users, 0, false
	};
	autoclose int fd = top ? openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd >= 0)
		read_entries(&parts, fd, path, 0, NULL, false);
	if (top && check->known && !known)
		meet_files(&parts, directory, path);
	for (unsigned i = 0; !top && known && i < known->count; i++) {
		const struct stood *stood = &known->before[i];
		struct part_met part = { directory, stood->name, below,        NULL,
					 0,         false,       .late = false };
		if (str_put(below, sizeof(below), "%s/%s", path, stood->name) &&
		    (stood->type == DT_DIR || str_starts(stood->name, SHARED_INDEX)))
			meet(&parts, &part, (unsigned char)stood->type);
	}
	index_look(check, directory, path, parts.shared);
}
