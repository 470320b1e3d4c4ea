// Owns the question whether a checkout met a protected name. The index is parsed in a locked
// process, and only when it changed during the run.
#include "postcheck/git/tracked.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/steady.h"
#include "base/str.h"
#include "git/gitblob.h"
#include "git/gitindex.h"
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "postcheck/finding/locked.h"
#include "report/findings.h"

// A sparse checkout has as many hidden entries as it has files that are not there.
enum { NAMES_MAX = 64, HIDDEN_MAX = 65536, INDEX_MAX = 256 << 20 };
enum { FILE_MAX = 128 << 20, ATTRIBUTES_MAX = 64 << 10 };
// Of the processor, for the contents of changed files: a checkout may change very many.
enum { CONTENTS_NANOSECONDS = 500000000 };

struct tracked_work {
	struct arena *arena;
	const void *bytes;
	size_t length;
	const char *names[NAMES_MAX];
	unsigned name_count;
	const struct gitindex_entry *entries;
	unsigned entry_count;
	const struct gitindex_entry *hidden;
	unsigned hidden_count;
	uint32_t since;
};

static void find(void *argument)
{
	struct tracked_work *work = argument;
	unsigned count = 0;
	if (gitindex_find(work->arena, work->bytes, work->length, work->names, work->name_count,
			  &work->entries, &count) == 0)
		work->entry_count = count;
	if (gitindex_hidden(work->arena, work->bytes, work->length, work->since, HIDDEN_MAX,
			    &work->hidden, &count) == 0)
		work->hidden_count = count;
}

// The project's own names that are mounted over, as git writes them.
static unsigned masked_names(const struct plan *plan, const char *names[NAMES_MAX])
{
	unsigned count = 0;
	for (unsigned i = 0; i < plan->mount_count && count < NAMES_MAX; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->kind != MOUNT_BIND || !mount->on_host || mount->access != ACCESS_READ ||
		    !path_within(mount->target, plan->project) ||
		    str_equal(mount->target, plan->project))
			continue;
		const char *name = mount->target + strlen(plan->project) + 1;
		if (!path_within(name, ".git"))
			names[count++] = name;
	}
	return count;
}

// Git notes how a file looked when it wrote it, and nothing for one that it could not write. What
// the user changed keeps the note of before.
static bool is_unwritten(const struct gitindex_entry *entry)
{
	return !entry->absent && !entry->directory && entry->stage == 0 && entry->size == 0 &&
	       entry->seconds == 0 && entry->nanoseconds == 0;
}

static const char *name_of(const struct tracked_work *work, const char *path)
{
	for (unsigned i = 0; i < work->name_count; i++)
		if (path_within(path, work->names[i]))
			return work->names[i];
	return path;
}

static void compare(const struct tracked_work *work, struct findings *found)
{
	const char *before = "";
	for (unsigned i = 0; i < work->entry_count; i++) {
		const char *name = name_of(work, work->entries[i].path);
		if (str_equal(name, before) || !is_unwritten(&work->entries[i]))
			continue;
		before = name;
		findings_add(found, FINDING_TRACKED, name, "", str_visible(name) ? name : "PATH");
	}
}

static bool is_sparse(const struct plan *plan)
{
	char path[PATH_MAX];
	struct stat status;
	return str_put(path, sizeof(path), "%.*s/info/sparse-checkout",
		       (int)(path_name(plan->index) - plan->index - 1), plan->index) &&
	       lstat(path, &status) == 0;
}

// Whether a line of attributes has git convert the file: its content is then not what git stores.
static bool converts(char *line, const char *below)
{
	static const char *const names[] = { "filter=", "ident", "working-tree-encoding=" };
	char *at = line + strspn(line, " \t"), *pattern = at;
	at += strcspn(at, " \t");
	if (*at)
		*at++ = '\0';
	pattern += *pattern == '/';
	bool converts = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		converts = converts || strstr(at, names[i]);
	return converts && (str_match(below, pattern) ||
			    (!strchr(pattern, '/') && str_match(path_name(below), pattern)));
}

// By the attributes in the directories from the top down to the file's.
static bool is_converted(int top, const char *path)
{
	char name[PATH_MAX], text[ATTRIBUTES_MAX];
	size_t length;
	if (str_equal(path_name(path), ".gitattributes"))
		return false;
	for (const char *below = path; below;
	     below = strchr(below, '/') ? strchr(below, '/') + 1 : NULL) {
		if (!str_put(name, sizeof(name), "%.*s.gitattributes", (int)(below - path), path) ||
		    file_read_into(top, name, FILE_BENEATH, text, sizeof(text), &length) <= 0)
			continue;
		for (char *line = text, *next; *line; line = next) {
			next = line + strcspn(line, "\n");
			if (*next)
				*next++ = '\0';
			if (converts(line, below))
				return true;
		}
	}
	return false;
}

// Git reads no file whose size and times are those of the index, unless that is as old as the file.
static bool is_forged(int top, const struct gitindex_entry *entry, const struct stat *status,
		      const struct stat *index)
{
	const char *text;
	size_t length;
	struct gitblob blob;
	if (entry->link || entry->stage != 0 || !S_ISREG(status->st_mode) ||
	    entry->size != (uint32_t)status->st_size ||
	    entry->seconds != (uint32_t)status->st_mtim.tv_sec ||
	    entry->changed != (uint32_t)status->st_ctim.tv_sec ||
	    status->st_mtim.tv_sec > index->st_mtim.tv_sec ||
	    (status->st_mtim.tv_sec == index->st_mtim.tv_sec &&
	     status->st_mtim.tv_nsec >= index->st_mtim.tv_nsec))
		return false;
	struct arena *arena = arena_new_of(3 * (size_t)FILE_MAX);
	int read = file_read(top, entry->path, FILE_BENEATH, FILE_MAX, arena, &text, &length);
	bool large = read < 0 && errno == EFBIG; // too large to be compared: reported
	if (read == 1)
		gitblob_name(arena, text, length, entry->id_bytes, &blob);
	bool forged = (large || (read == 1 && !gitblob_is(&blob, entry->id))) &&
		      !is_converted(top, entry->path);
	arena_free(arena);
	return forged;
}

// In a sparse checkout git itself unmarks files that are there.
static void report_hidden(const struct check *check, const struct tracked_work *work,
			  const struct stat *index)
{
	struct stat status;
	bool sparse = is_sparse(check->plan);
	int64_t begin = processor_now();
	unsigned left = 0;
	char number[32];
	autoclose int top = open(check->plan->project, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = 0; i < work->hidden_count; i++) {
		const struct gitindex_entry *entry = &work->hidden[i];
		bool marked = entry->unchanged || (entry->absent && !sparse);
		if (entry->directory || fstatat(top, entry->path, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (marked)
			findings_add(check->found, FINDING_GIT_HIDES, entry->path, "", "");
		else if (!entry->absent && processor_now() - begin > CONTENTS_NANOSECONDS)
			left++;
		else if (!entry->absent && is_forged(top, entry, &status, index))
			findings_add(check->found, FINDING_GIT_FORGED, entry->path, "", "");
	}
	snprintf(number, sizeof(number), "%u%s", left,
		 work->hidden_count == HIDDEN_MAX ? " and more" : "");
	if (left > 0 || (work->hidden_count == HIDDEN_MAX && !sparse))
		findings_add(check->found, FINDING_GIT_UNCOMPARED, "", number, "");
}

void tracked_check(const struct check *check)
{
	const struct plan *plan = check->plan;
	const char *names[NAMES_MAX];
	struct stat status;
	if (!plan->project || !plan->index || !finding_is_changed(check, AT_FDCWD, plan->index))
		return;
	autoclose int fd = open(plan->index, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    status.st_size > INDEX_MAX || status.st_size == 0)
		return;
	unsigned count = masked_names(plan, names);
	size_t length = (size_t)status.st_size;
	void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	struct arena *arena = arena_new();
	struct tracked_work *volatile work = arena_take(arena, sizeof(*work));
	*work = (struct tracked_work){ .arena = arena,
				       .bytes = bytes,
				       .length = length,
				       .name_count = count,
				       .since = (uint32_t)check->start.tv_sec };
	memcpy(work->names, names, count * sizeof(*names));
	if (ATTEMPT(locked_run(find, work)) == 0)
		compare(work, check->found);
	report_hidden(check, work, &status);
	munmap(bytes, length);
	arena_free(arena);
}
