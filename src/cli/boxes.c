// Owns the list of live runs: the roll.
#include "cli/boxes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/process_stat.h"
#include "base/sys.h"
#include "limits/group.h"
#include "run/steps.h"

extern char **environ;

enum { FRESH_SECONDS = 10 }; // so long a file on the roll may have no lock yet, and no entry

struct here {
	struct process_place place;
	int64_t now; // milliseconds since the boot
};

static void look_here(struct here *here)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	here->now = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	here->place = process_place_here();
}

int boxes_roll(struct arena *arena)
{
	const char *state = decide_state_directory(arena, environ);
	TRY(owned_check(state));
	const char *path = path_below(arena, state, ROLL_DIRECTORY);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 || errno == ENOENT ? fd : fail(errno, "'%s'", path);
}

static pid_t holder_of(int file)
{
	return process_holding(file, (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET });
}

static bool is_dead(int file)
{
	struct stat status;
	time_t now = time(NULL);
	return fstat(file, &status) == 0 &&
	       (status.st_size > 0 || now < status.st_mtime - FRESH_SECONDS ||
		now > status.st_mtime + FRESH_SECONDS);
}

static int open_file(int roll, const char *name)
{
	return openat(roll, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static bool read_entry(int file, struct roll_entry *ret_entry)
{
	char bytes[sizeof(*ret_entry) + 1];
	ssize_t got = pread(file, bytes, sizeof(bytes), 0);
	return got > 0 && roll_parse(bytes, (size_t)got, ret_entry);
}

// It can be ended: what its entry says is not known.
static bool read_other(const struct stat *status, struct live_box *ret_box,
		       const struct live_box *known)
{
	time_t now = time(NULL);
	struct live_box box = *known;
	// With a network by which sbx allow asks the run itself.
	box.entry = (struct roll_entry){ .command = "(started by another version of sbx)",
					 .network = ROLL_PROXY };
	box.other = true;
	box.age = now > status->st_mtime ? (uint64_t)(now - status->st_mtime) * 1000 : 0;
	snprintf(box.id, sizeof(box.id), "%d", (int)box.run);
	*ret_box = box;
	return true;
}

// False for what is no live run: of a dead one the file is removed.
static bool read_box(int roll, const char *name, const struct here *here, struct live_box *ret_box)
{
	struct live_box box = { 0 };
	struct stat status;
	autoclose int file = open_file(roll, name);
	if (file < 0 || fstat(file, &status) < 0 || !S_ISREG(status.st_mode) ||
	    !str_put(box.name, sizeof(box.name), "%s", name))
		return false;
	box.run = holder_of(file);
	bool known = read_entry(file, &box.entry);
	bool boot = known && str_equal(box.entry.place.boot, here->place.boot);
	box.inside = boot && box.entry.place.pid_namespace == here->place.pid_namespace;
	// Another program's lock says nothing of the run.
	pid_t supervisor = known ? box.entry.supervisor : (pid_t)strtol(name, NULL, 10);
	if (box.run < 0 || ((box.inside || !known) && box.run != supervisor)) {
		if (is_dead(file))
			roll_remove(roll, name);
		return false;
	}
	if (!known)
		return read_other(&status, ret_box, &box);
	box.run = boot ? box.run : 0; // on another machine that shares the directory
	if (box.run > 0)
		snprintf(box.id, sizeof(box.id), "%d", (int)box.run);
	else
		snprintf(box.id, sizeof(box.id), "%d@%llu", (int)box.entry.supervisor,
			 (unsigned long long)box.entry.place.pid_namespace);
	if (boot && here->now > box.entry.begun)
		box.age = (uint64_t)(here->now - box.entry.begun);
	*ret_box = box;
	return true;
}

static void add_noted(int roll, const struct here *here, struct boxes *boxes)
{
	entries_each (each, roll)
		if (each->name[0] != '.' && boxes->count < BOXES_MAX &&
		    read_box(roll, each->name, here, &boxes->all[boxes->count]))
			boxes->count++;
}

// The oldest last, as they are typed about least.
static int by_age(const void *left, const void *right)
{
	const struct live_box *one = left, *other = right;
	return (one->age > other->age) - (one->age < other->age);
}

int boxes_list(struct arena *arena, struct boxes *ret_boxes)
{
	struct here here;
	struct boxes boxes = { calloc(BOXES_MAX, sizeof(*boxes.all)), 0 };
	if (!boxes.all)
		return fail(errno, "list the runs");
	autoclose int roll = boxes_roll(arena);
	if (roll < 0 && err_is_recorded())
		return -1;
	look_here(&here);
	if (roll >= 0)
		add_noted(roll, &here, &boxes);
	qsort(boxes.all, boxes.count, sizeof(*boxes.all), by_age);
	*ret_boxes = boxes;
	return 0;
}

static const struct live_box *belongs_elsewhere(const char *id)
{
	fail(0, "run %s belongs to another pid namespace or machine: name it to sbx there", id);
	return NULL;
}

const struct live_box *boxes_find(const struct boxes *boxes, const char *id)
{
	const struct live_box *found = NULL;
	for (unsigned i = 0; i < boxes->count; i++)
		if (str_equal(boxes->all[i].id, id))
			return boxes->all[i].run > 0 ? &boxes->all[i] : belongs_elsewhere(id);
	for (unsigned i = 0; i < boxes->count; i++) {
		if (!id[0] || !str_equal(boxes->all[i].entry.session, id))
			continue;
		if (found) {
			fail(0, "session '%s' has more than one live run", id);
			return NULL;
		}
		found = &boxes->all[i];
	}
	if (found)
		return found->run > 0 ? found : belongs_elsewhere(found->id);
	fail(0, "no live run '%.40s' of yours; to list the runs: sbx ps", str_shown(id));
	return NULL;
}

// --- one run -------------------------------------------------------------------------------------

void boxes_release(struct held_box *held)
{
	fd_close(&held->process);
	fd_close(&held->file);
}

// Asked after the pidfd was opened: then it is of that process and of no later one.
static bool is_holder(const struct live_box *box, int file)
{
	return holder_of(file) == box->run;
}

int boxes_hold(struct arena *arena, const struct live_box *box, struct held_box *ret_held)
{
	autoclose int process = box->run > 0 ? sys_pidfd_open(box->run) : -1;
	autoclose int roll = -1, file = -1;
	if (process < 0)
		return -1;
	roll = boxes_roll(arena);
	file = roll < 0 ? -1 : open_file(roll, box->name);
	if (file < 0 || !is_holder(box, file))
		return -1;
	*ret_held = (struct held_box){ take(&process), take(&file) };
	return 0;
}

static pid_t parent_of(pid_t pid)
{
	struct process_stat process;
	return process_stat(pid, &process) ? process.parent : -1;
}

int boxes_init(const struct live_box *box, const struct held_box *held)
{
	if (!box->inside)
		return -1;
	autoclose int init = sys_pidfd_open(box->entry.init);
	if (init < 0 || parent_of(box->entry.init) != box->run || !is_holder(box, held->file))
		return -1;
	return take(&init);
}

void boxes_mark_killed(const struct held_box *held)
{
	char path[64];
	const enum roll_end killed = ROLL_KILLED;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", held->file);
	autoclose int file = open(path, O_WRONLY | O_CLOEXEC);
	(void)!pwrite(file, &killed, sizeof(killed), offsetof(struct roll_entry, ended));
}

const char *boxes_status(const struct held_box *held, int *ret_status)
{
	struct roll_entry entry;
	if (!read_entry(held->file, &entry) || entry.ended < ROLL_EXIT)
		return NULL;
	*ret_status = entry.status;
	return roll_ends[entry.ended];
}

bool boxes_usage(const struct live_box *box, uint64_t *ret_memory, uint64_t *ret_microseconds)
{
	struct tree tree;
	if (!box->inside || parent_of(box->entry.init) != box->run)
		return false;
	tree_count(box->entry.init, &tree);
	*ret_memory = tree.memory;
	*ret_microseconds = tree.cpu;
	return tree.processes > 0;
}
