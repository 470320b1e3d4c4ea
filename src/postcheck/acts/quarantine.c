// Owns ~/.local/state/sbx/quarantine: one directory for each entry, with `item` and `path` in it.
#include "postcheck/acts/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "boxes/record.h"
#include "plan.h"
#include "report/findings.h"

enum {
	ID_MAX = 64,
	SHOWN_MAX = 200,
	DEPTH_MAX = 128,
	COPIED_ENTRIES = 1024,
	COPIED_BYTES = 16 << 20
};

static int open_store(const char *state)
{
	char path[PATH_MAX];
	str_put(path, sizeof(path), "%s/quarantine", state);
	TRY(owned_check(state));
	return owned_directory(path);
}

static int open_entry(int store, const char *id)
{
	if (strchr(id, '/') || id[0] == '.' || !str_printable(id))
		return fail(0, "no quarantined thing '%.64s'; see: sbx quarantine list",
			    str_shown(id));
	int entry = fd_directory(store, id);
	return entry < 0 ? fail(0, "no quarantined thing '%.64s'; see: sbx quarantine list", id)
			 : entry;
}

// Whether the run of this ID lives: its box may still write to a moved file.
static bool run_lives(const char *state, const char *id)
{
	struct record record;
	bool lives = false;
	autoclose int boxes = records_open(state);
	entries_each (entry, boxes) {
		if (lives || !record_moved(entry->name, id) ||
		    record_open(boxes, entry->name, &record) < 0)
			continue;
		lives = record_lives(record.lock);
		record_close(&record);
	}
	return lives;
}

static int write_path(int entry, const char *path)
{
	autoclose int fd = openat(entry, "path", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? -1 : fd_write_all(fd, path, strlen(path));
}

// Opens a file or directory of any mode, but no link.
static int open_item(int directory, const char *name, struct stat *ret_status)
{
	char self[32];
	autoclose int fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (fd < 0 || fstat(fd, ret_status) < 0)
		return -1;
	mode_t mode = S_ISDIR(ret_status->st_mode) ? S_IRWXU : S_IRUSR;
	if ((ret_status->st_mode & mode) != mode)
		(void)!chmod(self, (ret_status->st_mode & 07777) | mode);
	return open(self, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

struct copying {
	unsigned entries;
	int64_t bytes;
};

static int copy_file(int fd, const struct stat *status, int copy, struct copying *left)
{
	char buffer[16384];
	ssize_t got = 0;
	struct timespec times[2] = { status->st_atim, status->st_mtim };
	while ((left->bytes -= got) >= 0 && (got = read(fd, buffer, sizeof(buffer))) > 0)
		TRY(fd_write_all(copy, buffer, (size_t)got));
	return got == 0 && fchmod(copy, status->st_mode & 0777) == 0 ? futimens(copy, times) : -1;
}

static int copy_link(int from, const char *name, int to, const char *fresh)
{
	char text[PATH_MAX];
	ssize_t length = readlinkat(from, name, text, sizeof(text) - 1);
	text[length < 0 ? 0 : length] = '\0';
	return length < 0 ? -1 : symlinkat(text, to, fresh);
}

static int copy_item(int from, const char *name, int to, const char *fresh, struct copying *left)
{
	struct stat status;
	if (left->entries-- == 0 || fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (S_ISLNK(status.st_mode))
		return copy_link(from, name, to, fresh);
	if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
		return mknodat(to, fresh, S_IFIFO | 0600, 0);
	autoclose int fd = open_item(from, name, &status);
	bool directory = S_ISDIR(status.st_mode);
	int flags = directory ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT | O_EXCL;
	if (fd < 0 || (directory && mkdirat(to, fresh, 0700) < 0))
		return -1;
	autoclose int copy = openat(to, fresh, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (copy < 0 || !directory)
		return copy < 0 || !S_ISREG(status.st_mode) ? -1
							    : copy_file(fd, &status, copy, left);
	DIR *stream = fdopendir(fd);
	int result = stream ? fchmod(copy, (status.st_mode & 0777) | S_IRWXU) : -1;
	fd = stream ? -1 : fd;
	for (struct dirent *entry = stream ? readdir(stream) : NULL; entry && result == 0;
	     entry = readdir(stream))
		if (!str_equal(entry->d_name, ".") && !str_equal(entry->d_name, ".."))
			result = copy_item(dirfd(stream), entry->d_name, copy, entry->d_name, left);
	if (stream)
		closedir(stream);
	return result;
}

// Replaces the item by a copy: a box may have it open or linked. Too large an item stays.
static void cut_off(int entry)
{
	struct stat status;
	struct copying left = { .entries = COPIED_ENTRIES, .bytes = COPIED_BYTES };
	if (ATTEMPT(copy_item(entry, "item", entry, "copy", &left)) == 0)
		(void)!sys_renameat2(entry, "item", entry, "copy", SYS_RENAME_EXCHANGE);
	(void)ATTEMPT(owned_remove_tree(entry, "copy"));
	close(open_item(entry, "item", &status)); // makes it readable
}

// Returns 0, or -1 with errno. `ret_id`: the new entry.
static int store(const struct plan *plan, int directory, const char *name, const char *path,
		 char ret_id[ID_MAX])
{
	static unsigned number;
	time_t now = time(NULL);
	struct tm date;
	autoclose int all = open_store(plan->state);
	if (all < 0)
		return -1;
	gmtime_r(&now, &date);
	size_t length = strftime(ret_id, ID_MAX, "%Y%m%d-%H%M%S", &date);
	int made;
	do {
		snprintf(ret_id + length, ID_MAX - length, "-%d-%u", (int)plan->run, ++number);
		made = mkdirat(all, ret_id, 0700);
	} while (made < 0 && errno == EEXIST);
	if (made < 0)
		return -1;
	autoclose int entry = fd_directory(all, ret_id);
	int problem = 0;
	if (entry < 0 || write_path(entry, path) < 0 ||
	    owned_rename(directory, name, entry, "item") < 0) {
		problem = errno;
		unlinkat(entry, "path", 0);
		unlinkat(all, ret_id, AT_REMOVEDIR);
	}
	if (!problem)
		cut_off(entry);
	errno = problem;
	return problem ? -1 : 0;
}

int quarantine_take(const struct plan *plan, int directory, const char *name, const char *path,
		    const char *why, struct findings *found)
{
	char id[ID_MAX], aside[ID_MAX + 32], stuck[256];
	struct stat status;
	if (ATTEMPT(store(plan, directory, name, path, id)) == 0) {
		findings_add(found, FINDING_MOVED, path, why, id);
		return 0;
	}
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return 0;
	// The item is on another file system, or there is no state directory.
	static unsigned number;
	snprintf(aside, sizeof(aside), ".sbx-quarantine-%ld-%d-%u", (long)time(NULL), (int)getpid(),
		 ++number);
	if (owned_rename(directory, name, directory, aside) == 0) {
		findings_add(found, FINDING_RENAMED, path, why, aside);
		return 0;
	}
	snprintf(stuck, sizeof(stuck), "%s and could not be moved to quarantine (%s)", why,
		 strerror(errno));
	findings_add(found, FINDING_NOT_MOVED, path, stuck, "");
	return -1;
}

// Reads the former path; "": unreadable.
static void read_path(int entry, char path[PATH_MAX])
{
	size_t length;
	file_read_into(entry, "path", 0, path, PATH_MAX, &length);
}

int quarantine_list(const char *state, quarantine_put *put, void *context)
{
	char path[PATH_MAX];
	struct dirent **entries;
	autoclose int all = open_store(state);
	TRY(all);
	str_put(path, sizeof(path), "%s/quarantine", state);
	int count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		const char *id = entries[i]->d_name;
		autoclose int entry =
			id[0] == '.' || !str_printable(id) ? -1 : fd_directory(all, id);
		// An entry without an item is unfinished, or its move failed.
		if (entry >= 0 && faccessat(entry, "item", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
			read_path(entry, path);
			put(context, id, path);
		}
		free(entries[i]);
	}
	if (count < 0)
		return fail(errno, "the quarantine");
	free(entries);
	return 0;
}

static void show_tree(struct out *out, int directory, const char *name, int depth, unsigned *budget)
{
	struct stat status;
	char text[PATH_MAX];
	if (*budget == 0 || fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	--*budget;
	out_text(out, "%*s%s", depth * 2, "", str_shown(name));
	if (S_ISLNK(status.st_mode)) {
		ssize_t length = readlinkat(directory, name, text, sizeof(text) - 1);
		text[length > 0 ? length : 0] = '\0';
		out_text(out, " -> %s", str_shown(text));
	}
	out_text(out, S_ISDIR(status.st_mode) ? "/\n" : "  %lld bytes\n",
		 (long long)status.st_size);
	if (!S_ISDIR(status.st_mode) || depth == DEPTH_MAX)
		return;
	autoclose int below = fd_directory(directory, name);
	entries_each (each, below)
		show_tree(out, below, each->name, depth + 1, budget);
}

int quarantine_show(const char *state, const char *id, struct out *out)
{
	char path[PATH_MAX];
	unsigned budget = SHOWN_MAX;
	autoclose int all = open_store(state);
	TRY(all);
	autoclose int entry = open_entry(all, id);
	TRY(entry);
	read_path(entry, path);
	out_text(out, "was      %s\nis       %s/quarantine/%s/item\n", str_shown(path), state, id);
	out_text(out, "restore  sbx quarantine restore %s\nremove   sbx quarantine rm %s\n\n", id,
		 id);
	if (run_lives(state, id))
		out_text(out,
			 "the box that made it still runs, and may change it until it ends\n\n");
	show_tree(out, entry, "item", 0, &budget);
	if (budget == 0)
		out_text(out, "... and more\n");
	return 0;
}

static int remove_entry(int all, int entry, const char *id)
{
	unlinkat(entry, "path", 0);
	return unlinkat(all, id, AT_REMOVEDIR) < 0 ? fail(errno, "remove '%s'", id) : 0;
}

// Replaces nothing: an existing directory gets its missing entries. Returns -1 with errno.
static int put_back(int from, const char *name, int to, const char *fresh)
{
	if (fd_rename_new(from, name, to, fresh) == 0)
		return 0;
	if (errno != EEXIST)
		return -1;
	autoclose int item = fd_directory(from, name), there = fd_directory(to, fresh);
	errno = EEXIST;
	if (item < 0 || there < 0)
		return -1;
	entries_each (entry, item)
		if (put_back(item, entry->name, there, entry->name) < 0)
			return -1;
	return unlinkat(from, name, AT_REMOVEDIR);
}

int quarantine_restore(const char *state, const char *id, struct out *out)
{
	char path[PATH_MAX], parent[PATH_MAX];
	autoclose int all = open_store(state);
	TRY(all);
	autoclose int entry = open_entry(all, id);
	TRY(entry);
	read_path(entry, path);
	if (path[0] != '/')
		return fail(0, "'%s' does not say where it was", id);
	if (run_lives(state, id))
		return fail(0,
			    "the box that made '%s' still runs, and could change it on its way "
			    "back; restore it when that run has ended",
			    id);
	str_put(parent, sizeof(parent), "%.*s/", (int)(path_name(path) - path - 1), path);
	autoclose int directory = sys_openat2(AT_FDCWD, parent, O_PATH | O_DIRECTORY | O_CLOEXEC,
					      RESOLVE_NO_SYMLINKS);
	if (directory < 0)
		return fail(errno, "'%s'", parent);
	if (put_back(entry, "item", directory, path_name(path)) < 0)
		return errno == EEXIST
			       ? fail(0,
				      "'%s' exists already; to compare: sbx quarantine show %s; "
				      "then remove one of them",
				      path, id)
			       : fail(errno, "restore '%s'", path);
	out_text(out, "%s\n", str_shown(path));
	return remove_entry(all, entry, id);
}

int quarantine_remove(const char *state, const char *id)
{
	autoclose int all = open_store(state);
	TRY(all);
	autoclose int entry = open_entry(all, id);
	TRY(entry);
	TRY(owned_remove_tree(entry, "copy"));
	TRY(owned_remove_tree(entry, "item"));
	return remove_entry(all, entry, id);
}
