// Owns the bounded walk after a run: nested repositories that this run made or changed.
#include "guard/scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
#include "base/trusted.h"
#include "guard/changed.h"
#include "guard/links.h"
#include "guard/vet.h"

// A fiftieth of the run's own time, 2 ms at least, and more where it is the first look of all; a
// small project is seen whole, however slow the machine. What a run of less than a second leaves
// unseen of a large one is not told: it would be told every time.
enum {
	ENTRIES_LEAST = 512,
	SHARE = 50,
	LEAST_MILLISECONDS = 2,
	FIRST_MILLISECONDS = 15,
	MOST_MILLISECONDS = 500,
	TOLD_FROM = 20,
	DEPTH_MOST = 32
};
enum { NESTED_MOST = 64, NESTED_BYTES = 16384 };

struct scan {
	struct check *check;
	const struct searched *tree;
	struct timespec end;
	unsigned entries; // so far
	bool cut;
	struct links links;
	struct deeper deeper;
	char path[PATH_MAX];
	size_t length;
	char found[NESTED_BYTES]; // repositories below the tree, each with its NUL
	size_t found_length;
	unsigned found_count;
};

static bool is_before(const struct timespec *left, const struct timespec *right)
{
	return left->tv_sec < right->tv_sec ||
	       (left->tv_sec == right->tv_sec && left->tv_nsec < right->tv_nsec);
}

static bool out_of_time(struct scan *scan)
{
	struct timespec now;
	if (scan->entries++ < ENTRIES_LEAST)
		return false;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); // a busy machine counts for nothing
	scan->cut = scan->cut || !is_before(&now, &scan->end);
	return scan->cut;
}

static void remember(struct scan *scan, const char *inside)
{
	size_t length = strlen(inside) + 1;
	if (scan->found_count == NESTED_MOST || scan->found_length + length > sizeof(scan->found))
		return;
	for (const char *known = scan->found; known < scan->found + scan->found_length;
	     known += strlen(known) + 1)
		if (str_equal(known, inside)) // by two spellings
			return;
	memcpy(scan->found + scan->found_length, inside, length);
	scan->found_length += length;
	scan->found_count++;
}

// One that the plan did not know, as those of the top and of submodules are mounted over.
static void look_at_repository(struct scan *scan, int directory)
{
	const struct plan *plan = scan->check->plan;
	struct check *check = scan->check;
	const char *inside = scan->path + strlen(scan->tree->path) + 1;
	autoclose int fd =
		openat(directory, ".git", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		remember(scan, inside);
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (str_equal(plan->mounts[i].target, scan->path))
			return;
	if (fd < 0 && vet_is_changed(check, directory, ".git"))
		vet_repository(check, directory, ".git", scan->path);
	if (fd < 0)
		return;
	bool made = vet_is_made(check, directory, ".git");
	if (made)
		vet_repository(check, directory, ".git", scan->path);
	else if (vet_is_changed(check, fd, "config") || vet_is_changed(check, fd, "hooks"))
		vet_known_repository(check, directory, ".git", scan->path);
	else
		return;
	out_text(check->told, "sbx: %s: a repository that this run %s\n",
		 vet_short_path(plan, scan->path), made ? "made" : "changed");
}

static void look_at_bare(struct scan *scan, int directory)
{
	if (vet_is_changed(scan->check, directory, "HEAD") ||
	    vet_is_changed(scan->check, directory, "config"))
		out_text(scan->check->told,
			 "sbx: %s looks like a bare repository, made or changed by this run: run "
			 "no git in "
			 "it before you have read its config and hooks\n",
			 vet_short_path(scan->check->plan, scan->path));
}

// It is walked for itself.
static bool is_other_searched(const struct scan *scan)
{
	const struct plan *plan = scan->check->plan;
	for (unsigned i = 0; i < plan->searched_count; i++)
		if (str_equal(plan->searched[i].path, scan->path))
			return true;
	return false;
}

static bool add_name(struct scan *scan, size_t length, const char *name)
{
	size_t more = strlen(name) + 1;
	if (length + more >= sizeof(scan->path))
		return false;
	scan->path[length] = '/';
	memcpy(scan->path + length + 1, name, more);
	scan->length = length + more;
	return true;
}

static void walk(struct scan *scan, int directory, unsigned depth)
{
	enum { HEAD = 1, OBJECTS = 2, REFS = 4 };
	unsigned seen = 0;
	size_t length = scan->length;
	DIR *stream = fdopendir(dup(directory));
	for (struct dirent *entry = stream ? readdir(stream) : NULL; entry && !out_of_time(scan);
	     entry = readdir(stream)) {
		const char *name = entry->d_name;
		seen |= strcasecmp(name, "HEAD") == 0      ? HEAD
			: strcasecmp(name, "objects") == 0 ? OBJECTS
			: strcasecmp(name, "refs") == 0    ? REFS
							   : 0U;
		if (str_equal(name, ".") || str_equal(name, ".."))
			continue;
		if (trusted_is_git(name) && depth > 0 && add_name(scan, length, ".git"))
			look_at_repository(scan,
					   directory); // the file system says whether it is one
		bool whole = add_name(scan, length, name);
		bool deeper = (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
			      depth < DEPTH_MOST && !str_equal(name, ".git");
		if (whole && entry->d_type == DT_LNK)
			links_look(&scan->links, scan->check, directory, name, scan->path);
		if (whole && depth > 0)
			changed_tell_deeper(&scan->deeper, scan->check, directory, name,
					    scan->path);
		if (whole && deeper) {
			autoclose int below = openat(
				directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (below >= 0 && !is_other_searched(scan))
				walk(scan, below, depth + 1);
		}
		scan->path[length] = '\0';
		scan->length = length;
	}
	if (stream)
		closedir(stream);
	if (seen == (HEAD | OBJECTS | REFS) && depth > 0)
		look_at_bare(scan, directory);
}

// For the next plan: so that they are protected from the start. Written only when it is news.
static void keep_found(const struct scan *scan)
{
	const char *file = scan->tree->nested;
	char known[NESTED_BYTES + 1];
	size_t length;
	if (file_read_into(AT_FDCWD, file, 0, known, sizeof(known), &length) > 0 &&
	    length == scan->found_length && memcmp(known, scan->found, scan->found_length) == 0)
		return;
	char path[PATH_MAX];
	const char *name = path_name(file);
	snprintf(path, sizeof(path), "%.*s", (int)(name - file - 1), file);
	autoclose int directory = owned_directory(path);
	autoclose int fresh =
		directory < 0 ? -1
			      : openat(directory, ".new",
				       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fresh >= 0 && fd_write_all(fresh, scan->found, scan->found_length) == 0)
		renameat(directory, ".new", directory, name);
	err_clear();
}

static void scan_tree(struct scan *scan, const struct searched *tree)
{
	scan->tree = tree;
	scan->length = strlen(tree->path);
	scan->found_length = scan->found_count = 0;
	if (scan->length >= sizeof(scan->path))
		return;
	memcpy(scan->path, tree->path, scan->length + 1);
	autoclose int fd = open(tree->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		walk(scan, fd, 0);
	if (!scan->cut || scan->found_length > 0 || tree->fresh)
		keep_found(scan);
}

void scan_trees(struct check *check, int64_t ran)
{
	static struct scan scan;
	int64_t time = ran / SHARE < LEAST_MILLISECONDS  ? LEAST_MILLISECONDS
		       : ran / SHARE > MOST_MILLISECONDS ? MOST_MILLISECONDS
							 : ran / SHARE;
	const struct plan *plan = check->plan;
	for (unsigned i = 0; i < plan->searched_count; i++)
		if (plan->searched[i].fresh && time < FIRST_MILLISECONDS)
			time = FIRST_MILLISECONDS;
	scan = (struct scan){ .check = check };
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &scan.end);
	scan.end.tv_nsec += time * 1000000L;
	if (scan.end.tv_nsec >= 1000000000L) {
		scan.end.tv_nsec -= 1000000000L;
		scan.end.tv_sec++;
	}
	for (unsigned i = 0; i < plan->searched_count && !scan.cut; i++) {
		scan_tree(&scan, &plan->searched[i]);
		if (scan.cut && time >= TOLD_FROM)
			out_text(check->told,
				 "sbx: new repositories were looked for only in a part of %s: it "
				 "is too large\n",
				 plan->project && str_equal(plan->searched[i].path, plan->project)
					 ? "the project"
					 : vet_short_path(plan, plan->searched[i].path));
	}
	links_end(&scan.links, check);
	changed_end(&scan.deeper, check);
}
