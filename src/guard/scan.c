// Owns the bounded walk after a run: nested repositories that this run made or changed.
#include "guard/scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "guard/vet.h"

// A fiftieth of the run's own time, 2 ms at least. What a run of less than a second leaves unseen
// of a large project is not told: it would be told every time.
enum { SHARE = 50, LEAST_MILLISECONDS = 2, MOST_MILLISECONDS = 500, TOLD_FROM = 20, DEPTH_MOST = 32 };

struct scan {
	struct check *check;
	struct timespec end;
	bool cut;
	char path[PATH_MAX];
	size_t length;
};

static bool is_before(const struct timespec *left, const struct timespec *right)
{
	return left->tv_sec < right->tv_sec ||
	       (left->tv_sec == right->tv_sec && left->tv_nsec < right->tv_nsec);
}

static bool out_of_time(struct scan *scan)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	scan->cut = scan->cut || !is_before(&now, &scan->end);
	return scan->cut;
}

static bool changed(const struct scan *scan, int directory, const char *name)
{
	struct stat status;
	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       !is_before(&status.st_ctim, &scan->check->plan->start);
}

// One that the plan did not know, as those of the top and of submodules are mounted over.
static void look_at_repository(struct scan *scan, int directory)
{
	const struct plan *plan = scan->check->plan;
	const char *inside = scan->path + strlen(plan->project) + 1;
	autoclose int fd = openat(directory, ".git", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (str_equal(plan->mounts[i].target, scan->path))
			return;
	if (fd < 0 ? !changed(scan, directory, ".git") :
		     !changed(scan, fd, "config") && !changed(scan, fd, "hooks") && !changed(scan, fd, "."))
		return;
	vet_repository(scan->check, directory, ".git", scan->path);
	if (fd >= 0)
		out_text(scan->check->told, "sbx: %s: a repository that this run made or changed\n",
			 str_printable(inside) ? inside : "(a path with control bytes)");
}

static void look_at_bare(struct scan *scan, int directory)
{
	const char *inside = scan->path + strlen(scan->check->plan->project) + 1;
	if (changed(scan, directory, "HEAD") || changed(scan, directory, "config"))
		out_text(scan->check->told,
			 "sbx: %s looks like a bare repository, made or changed by this run: run no git in "
			 "it before you have read its config and hooks\n",
			 str_printable(inside) ? inside : "(a path with control bytes)");
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
		seen |= str_equal(name, "HEAD") ? HEAD : str_equal(name, "objects") ? OBJECTS :
			str_equal(name, "refs")	? REFS : 0U;
		size_t more = strlen(name) + 1;
		if (str_equal(name, ".") || str_equal(name, "..") || length + more >= sizeof(scan->path))
			continue;
		scan->path[length] = '/';
		memcpy(scan->path + length + 1, name, more);
		scan->length = length + more;
		if (str_equal(name, ".git") && depth > 0) {
			look_at_repository(scan, directory);
		} else if (entry->d_type == DT_DIR && depth < DEPTH_MOST && !str_equal(name, ".git")) {
			autoclose int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (below >= 0)
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

void scan_project(struct check *check, int64_t ran)
{
	static struct scan scan;
	int64_t time = ran / SHARE < LEAST_MILLISECONDS ? LEAST_MILLISECONDS :
		       ran / SHARE > MOST_MILLISECONDS ? MOST_MILLISECONDS : ran / SHARE;
	const char *project = check->plan->project;
	scan = (struct scan){ .check = check, .length = strlen(project) };
	if (scan.length >= sizeof(scan.path))
		return;
	memcpy(scan.path, project, scan.length);
	clock_gettime(CLOCK_MONOTONIC, &scan.end);
	scan.end.tv_nsec += time * 1000000L;
	if (scan.end.tv_nsec >= 1000000000L) {
		scan.end.tv_nsec -= 1000000000L;
		scan.end.tv_sec++;
	}
	autoclose int fd = open(project, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		walk(&scan, fd, 0);
	if (scan.cut && time >= TOLD_FROM)
		out_text(check->told, "sbx: new repositories were looked for only in a part of the project: "
				      "it is too large\n");
}
