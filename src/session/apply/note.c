// Owns the list of known files: those that are still as the apply left them.
#include "session/apply/apply.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "session/compare/changes.h"
#include "session/store/store.h"

struct notes {
	struct applying *applying;
	struct known all, *before;
	unsigned size;
	struct timespec now;
};

static void add(struct notes *notes, unsigned root, const char *path, uint64_t inode,
		struct timespec changed)
{
	notes->all.files = arena_grow(notes->applying->arena, notes->all.files, notes->all.count,
				      &notes->size, sizeof(*notes->all.files));
	notes->all.files[notes->all.count++] = (struct known_file){ root, path, inode, changed };
}

static void note_thing(struct notes *notes, unsigned root, const char *path,
		       const struct thing *thing)
{
	struct stat status;
	const char *name;
	uint64_t sum;
	autoclose int parent = ATTEMPT(sides_host_below(notes->applying->hosts[root], path, &name));
	bool there = parent >= 0 && fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
	if (thing->inode == KNOWN_REMOVED) {
		if (!there)
			add(notes, root, path, KNOWN_REMOVED, notes->now);
		return;
	}
	struct thing still = *thing;
	if (!there)
		return;
	still.changed = status.st_ctim;
	if (!thing_is_same(&still, &status))
		return;
	add(notes, root, path, status.st_ino,
	    S_ISDIR(status.st_mode) ? notes->now : status.st_ctim);
	if (str_equal(name, "index") && index_file_sum(parent, &sum))
		add(notes, root, path_below(notes->applying->arena, path, KNOWN_ENTRIES), sum,
		    status.st_ctim);
}

static void note_parent(struct notes *notes, const struct operation *operation)
{
	struct arena *arena = notes->applying->arena;
	const char *name = path_name(operation->path);
	struct thing parent = { .inode = operation->parent, .mode = S_IFDIR };
	unsigned count = notes->all.count;
	if (name == operation->path || notes->applying->journal.forced)
		return;
	const char *path = arena_copy(arena, operation->path, (size_t)(name - operation->path) - 1);
	for (unsigned i = 1; i <= 2 && i <= count; i++)
		if (str_equal(notes->all.files[count - i].path, path))
			return;
	if (!known_find(notes->before, operation->root, path))
		note_thing(notes, operation->root, path, &parent);
}

int note_applied(struct applying *applying)
{
	const struct journal *journal = &applying->journal;
	struct notes notes = { .applying = applying };
	struct out out = { 0 };
	clock_gettime(CLOCK_REALTIME, &notes.now);
	TRY(known_read(applying->held, &notes.before));
	notes.all = *notes.before;
	notes.size = notes.all.count;
	bool back = journal->phase == PHASE_BACK;
	for (unsigned i = 0; i < journal->operation_count; i++) {
		const struct operation *operation = &journal->operations[i];
		if (operation->kind != OPERATION_LEAF)
			note_parent(&notes, operation);
		else if (!back)
			note_thing(&notes, operation->root, operation->path, &operation->staged);
	}
	for (unsigned i = 0; i < journal->attempted && back && !journal->forced; i++) {
		const struct operation *operation = &journal->operations[i];
		if (operation->was.inode)
			note_thing(&notes, operation->root, operation->path, &operation->was);
	}
	known_order(&notes.all);
	known_format(&notes.all, &out);
	int result = owned_write(applying->held->directory, "known", out.text, out.used);
	out_free(&out);
	return result;
}
