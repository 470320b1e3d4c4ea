// Owns the list of live runs, and the search for one.
#include "cli/boxes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/process_stat.h"
#include "base/sys.h"
#include "limits/group.h"
#include "net/host/proxy.h"
#include "report/print_fields.h"
#include "run/steps.h"

extern char **environ;

// Opens the directory of records. Returns -1, without an error if it is missing.
static int open_all(struct arena *arena)
{
	const char *state = decide_state_directory(arena, environ);
	TRY(owned_check(state));
	int fd = records_open(state);
	return fd >= 0 || errno == ENOENT ? fd
					  : fail(errno, "'%s'", path_below(arena, state, RECORDS));
}

// Fills in a run of another version, whose fields are unknown. It can still be ended.
static void fill_other(const struct stat *status, struct live_box *box)
{
	time_t now = time(NULL);
	// RECORD_PROXY makes `sbx allow` ask the run itself.
	box->entry = (struct record_entry){ .command = "(started by another version of sbx)",
					    .network = RECORD_PROXY };
	box->other = true;
	box->age = now > status->st_mtime ? (uint64_t)(now - status->st_mtime) * 1000 : 0;
	snprintf(box->id, sizeof(box->id), "%d", (int)box->run);
}

// Returns false if the run does not live.
static bool read_box(const struct record *record, const struct process_place *here,
		     struct live_box *box)
{
	struct stat status;
	struct timespec time;
	box->run = record_pid_here(record->lock);
	if (box->run < 0 || fstat(record->lock, &status) < 0 || status.st_size == 0)
		return false;
	bool known = record_read(record->lock, &box->entry);
	bool boot = known && str_equal(box->entry.place.boot, here->boot);
	box->inside = boot && box->entry.place.pid_namespace == here->pid_namespace;
	// A lock that another program holds says nothing about the run.
	pid_t supervisor = known ? box->entry.supervisor : (pid_t)strtol(box->name, NULL, 10);
	if ((box->inside || !known) && box->run != supervisor)
		return false;
	if (!known) {
		fill_other(&status, box);
		return true;
	}
	box->run = boot ? box->run : 0; // 0: the run is of another machine
	if (box->run > 0)
		snprintf(box->id, sizeof(box->id), "%d", (int)box->run);
	else
		snprintf(box->id, sizeof(box->id), "%d@%llu", (int)box->entry.supervisor,
			 (unsigned long long)box->entry.place.pid_namespace);
	clock_gettime(CLOCK_BOOTTIME, &time);
	int64_t now = (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
	box->age = boot && now > box->entry.begun ? (uint64_t)(now - box->entry.begun) : 0;
	return box->entry.end == RECORD_LIVES;
}

static bool read_ended(const struct record *record, struct live_box *box)
{
	int64_t begun = record_begun(box->name), now = wall_now();
	if (!record_read(record->lock, &box->entry))
		return false;
	box->status = -1;
	box->end = record_status(record->lock, &box->status);
	if (!box->end)
		box->end = record_lives(record->lock) ? "ending" : "unknown";
	box->run = 0;
	box->age = now > begun ? (uint64_t)(now - begun) : 0;
	snprintf(box->id, sizeof(box->id), "%d", (int)box->entry.supervisor);
	return true;
}

// Ended runs fill at most half of the list: live ones always have room.
static void add_noted(int all, enum boxes_which which, struct boxes *boxes)
{
	struct process_place here = process_place_here();
	unsigned ended = 0;
	entries_each (each, all) {
		struct live_box box = { 0 };
		struct record record;
		if (boxes->count == BOXES_MAX ||
		    !str_put(box.name, sizeof(box.name), "%s", each->name) ||
		    record_open(all, each->name, &record) < 0)
			continue;
		if (read_box(&record, &here, &box) ||
		    (which == BOXES_ALL && ended < BOXES_MAX / 2 && read_ended(&record, &box) &&
		     ++ended))
			boxes->all[boxes->count++] = box;
		record_close(&record);
	}
}

static int newest_first(const void *left, const void *right)
{
	const struct live_box *one = left, *other = right;
	return (one->age > other->age) - (one->age < other->age);
}

int boxes_list(struct arena *arena, enum boxes_which which, struct boxes *ret_boxes)
{
	struct boxes boxes = { calloc(BOXES_MAX, sizeof(*boxes.all)), 0 };
	if (!boxes.all)
		return fail(errno, "list the runs");
	autoclose int all = open_all(arena);
	if (all < 0 && err_is_recorded())
		return -1;
	add_noted(all, which, &boxes);
	qsort(boxes.all, boxes.count, sizeof(*boxes.all), newest_first);
	*ret_boxes = boxes;
	return 0;
}

static const struct live_box *belongs_elsewhere(const char *id)
{
	fail(0, "run %s belongs to another pid namespace or machine: name it to sbx there", id);
	return NULL;
}

const char *boxes_ended(struct arena *arena, const char *id)
{
	struct record record;
	int status;
	if (strspn(id, "0123456789") < strlen(id) || ATTEMPT(boxes_any(arena, id, &record)) < 0)
		return NULL;
	const char *end = record_status(record.lock, &status);
	bool stored = faccessat(record.directory, RECORD_OUTPUT, F_OK, 0) == 0;
	record_close(&record);
	status = end && str_equal(end, "signal") ? WTERMSIG(status) : status;
	return !end ? NULL
		    : arena_text(arena, stored ? "%s %d; its output: sbx logs %s" : "%s %d", end,
				 status, id);
}

const struct live_box *boxes_find(struct arena *arena, const struct boxes *boxes, const char *id)
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
	const char *ended = boxes_ended(arena, id);
	if (ended)
		fail(0, "run %s has ended: %s", id, ended);
	else
		fail(0, "no live run '%.40s' of yours; to list the runs: sbx ps", str_shown(id));
	return NULL;
}

static int no_output(const char *id)
{
	return fail(0,
		    "no output of a run '%.40s'; that of the last 100 with --detach is stored for "
		    "7 days",
		    str_shown(id));
}

int boxes_any(struct arena *arena, const char *id, struct record *ret_record)
{
	struct boxes boxes;
	TRY(boxes_list(arena, BOXES_ALL, &boxes));
	autoclose int all = ATTEMPT(open_all(arena));
	for (const struct live_box *box = boxes.all; box < boxes.all + boxes.count; box++)
		if (id[0] &&
		    (str_equal(arena_text(arena, "%.*s", (int)strcspn(box->name, "-"), box->name),
			       id) ||
		     str_equal(box->entry.session, id)))
			return record_open(all, box->name, ret_record) == 0 ? 0 : no_output(id);
	return no_output(id);
}

int boxes_output(const struct record *record, const char *id)
{
	int file = openat(record->directory, RECORD_OUTPUT,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return file >= 0 ? file : no_output(id);
}

void boxes_release(struct held_box *held)
{
	fd_close(&held->process);
	record_close(&held->record);
}

int boxes_hold(struct arena *arena, const struct live_box *box, struct held_box *ret_held)
{
	struct record record;
	autoclose int process = box->run > 0 ? sys_pidfd_open(box->run) : -1;
	autoclose int all = process < 0 ? -1 : open_all(arena);
	if (all < 0 || record_open(all, box->name, &record) < 0)
		return -1;
	// The pidfd is open already: if this passes, it is the supervisor's, not a later process's.
	if (record_pid_here(record.lock) != box->run) {
		record_close(&record);
		return -1;
	}
	*ret_held = (struct held_box){ take(&process), record };
	return 0;
}

const struct live_box *boxes_live(struct arena *arena, const char *id, struct held_box *ret_held)
{
	struct boxes boxes;
	const struct live_box *box =
		boxes_list(arena, BOXES_LIVE, &boxes) < 0 ? NULL : boxes_find(arena, &boxes, id);
	if (!box || boxes_hold(arena, box, ret_held) == 0)
		return box;
	if (!err_is_recorded())
		fail(0, "run %s has ended", box->id);
	return NULL;
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
	if (init < 0 || parent_of(box->entry.init) != box->run ||
	    record_pid_here(held->record.lock) != box->run)
		return -1;
	return take(&init);
}

void boxes_mark_killed(const struct held_box *held)
{
	char path[64];
	const uint32_t killed = 1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", held->record.lock);
	autoclose int lock = open(path, O_WRONLY | O_CLOEXEC);
	record_put(lock, offsetof(struct record_entry, killed), &killed, sizeof(killed));
}

bool boxes_usage(const struct live_box *box, uint64_t *ret_memory, uint64_t *ret_microseconds)
{
	struct process_tree tree;
	if (!box->inside || parent_of(box->entry.init) != box->run)
		return false;
	tree_count(box->entry.init, &tree);
	*ret_memory = tree.memory;
	*ret_microseconds = tree.cpu;
	return tree.processes > 0;
}

void boxes_put_ports(struct out *out, const struct record_ports *ports)
{
	print_open(out, "ports", '[');
	for (const struct record_port *port = ports->all; port < ports->all + ports->count; port++)
		if (out->json)
			print_one(out, MEMBER_NUMBER("inside", port->inside),
				  MEMBER_NUMBER("outside", port->outside));
		else if (port->inside != port->outside)
			publish_say(port->inside, port->outside);
	print_close(out, ']');
}
