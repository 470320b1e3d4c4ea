// Owns the comparison of git's objects with their names, in a locked process.
#include "postcheck/git/vet.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "git/recognise.h"
#include "postcheck/finding/finding.h"
#include "report/findings.h"
#include "text/sha.h"

enum {
	FANOUTS = 256,
	BATCH_FILES = 256,
	OBJECT_MAX = 64 << 20,
	SHARE = 10,
	TIMED = 32,
	SLICE_BYTES = 2 << 20
};
// Of the processor; a run that is over at once has the least.
enum { LEAST_NANOSECONDS = 2000000, MOST_NANOSECONDS = 500000000, NANOSECONDS_A_TICK = 1000 };
#define BATCH_BYTES ((size_t)8 << 20)
#define ARENA_BYTES (2 * (size_t)OBJECT_MAX + 2 * BATCH_BYTES + ((size_t)1 << 20))

struct object {
	char name[2 * SHA256_BYTES + 1]; // as its directory and it are called
	const char *text;
	size_t length;
	bool wrong; // by the locked process
	bool large; // the same
};

struct objects_walk {
	struct check *check;
	int top;
	const char *path; // of the git directory
	int64_t end;      // of the processor's time
	int64_t end_old;  // the same, for directories to which nothing came
	unsigned left;    // objects that came and were not compared
	bool packs;       // one came or changed: where its objects lie is not known from before
	// The batch, in an arena that the locked process shares:
	struct arena *arena;
	struct object *list;
	unsigned count;
	size_t bytes;
};

// Nanoseconds of the processor that this process and its children have had.
static int64_t spent(void)
{
	struct rusage children;
	getrusage(RUSAGE_CHILDREN, &children);
	return processor_now() +
	       (children.ru_utime.tv_sec + children.ru_stime.tv_sec) * (int64_t)1000000000 +
	       (children.ru_utime.tv_usec + children.ru_stime.tv_usec) * (int64_t)1000;
}

// In the locked process. A name is the hash of the unpacked bytes, with their head.
static void compare(void *argument)
{
	struct objects_walk *walk = argument;
	unsigned char *buffer = arena_take(walk->arena, OBJECT_MAX), hash[SHA256_BYTES];
	char name[sizeof(walk->list->name)];
	size_t room = OBJECT_MAX; // for all of them
	for (unsigned i = 0; i < walk->count; i++) {
		struct object *object = &walk->list[i];
		size_t length = 0, bytes = strlen(object->name) / 2;
		int result = inflate_all(object->text, object->length, buffer, room, &length);
		object->large = result == 1;
		if (result != 0) {
			object->wrong = result < 0;
			continue;
		}
		room -= length;
		if (bytes == SHA1_BYTES)
			sha1(buffer, length, hash);
		else
			sha256(buffer, length, hash);
		for (size_t j = 0; j < bytes; j++)
			snprintf(name + 2 * j, 3, "%02x", hash[j]);
		object->wrong = !str_equal(name, object->name);
	}
}

static void take_wrong(const struct objects_walk *walk, const struct object *object)
{
	char place[PATH_MAX], path[PATH_MAX];
	if (!str_put(place, sizeof(place), "%.2s/%s", object->name, object->name + 2) ||
	    !str_put(path, sizeof(path), "%s/objects/%s", walk->path, place))
		return;
	str_put(place, sizeof(place), "%.2s", object->name);
	autoclose int fd =
		openat(walk->top, place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		finding_take(walk->check, fd, object->name + 2, path,
			     "has another content than git's name for it says; to find what lacks "
			     "now: git fsck");
}

static void end_batch(struct objects_walk *walk)
{
	if (walk->arena && walk->count > 0) {
		bool done = ATTEMPT(locked_run(compare, walk)) == 0;
		for (unsigned i = 0; i < walk->count; i++) {
			walk->left += !done || walk->list[i].large;
			if (done && walk->list[i].wrong)
				take_wrong(walk, &walk->list[i]);
		}
	}
	if (walk->arena)
		arena_free(walk->arena);
	walk->arena = NULL;
	walk->count = 0;
}

static void begin_batch(struct objects_walk *walk)
{
	walk->arena = arena_new_of(ARENA_BYTES);
	walk->list = arena_take(walk->arena, BATCH_FILES * sizeof(*walk->list));
	walk->count = 0;
	walk->bytes = 0;
}

static void add(struct objects_walk *walk, int directory, const char *fanout, const char *name)
{
	const char *text;
	size_t length;
	if (walk->count % TIMED == 0 && spent() > walk->end) {
		walk->left++;
		return;
	}
	if (!walk->arena)
		begin_batch(walk);
	int read = file_read(directory, name, 0, BATCH_BYTES, walk->arena, &text, &length);
	if (read != 1) {
		walk->left += read < 0;
		return;
	}
	struct object *object = &walk->list[walk->count++];
	*object = (struct object){ .text = text, .length = length };
	str_put(object->name, sizeof(object->name), "%s%s", fanout, name);
	walk->bytes += length;
	if (walk->count == BATCH_FILES || walk->bytes > BATCH_BYTES)
		end_batch(walk);
}

static bool is_object(const char *name)
{
	size_t length = strspn(name, "0123456789abcdef");
	return !name[length] && (length == 2 * SHA1_BYTES - 2 || length == 2 * SHA256_BYTES - 2);
}

static void look_in(struct objects_walk *walk, const char *fanout)
{
	struct stat status;
	autoclose int fd =
		openat(walk->top, fanout, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	entries_each (entry, fd)
		if (is_object(entry->name) &&
		    fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(status.st_mode) && finding_is_late(walk->check, &status))
			add(walk, fd, fanout, entry->name);
}

static void *map_file(int directory, const char *name, size_t *ret_length)
{
	struct stat status;
	autoclose int fd = file_open(directory, name, 0, &status);
	*ret_length = fd < 0 ? 0 : (size_t)status.st_size;
	void *bytes = mmap(NULL, *ret_length, PROT_READ, MAP_PRIVATE, fd, 0);
	return bytes == MAP_FAILED ? NULL : bytes;
}

static void compare_slice(void *pack)
{
	gitpack_compare(pack, SLICE_BYTES);
}

// False: git would not write such a one.
static bool compare_pack(struct objects_walk *walk, int fd, const char *index, const char *file)
{
	struct arena *arena = arena_new_of(GITPACK_ARENA);
	struct gitpack *pack = arena_take(arena, sizeof(*pack));
	*pack = (struct gitpack){ .first = (uint32_t)(times_now() / NANOSECONDS_A_TICK) };
	gitpack_begin(arena, pack);
	void *mapped[] = { map_file(fd, index, &pack->index_length),
			   map_file(fd, file, &pack->length) };
	pack->index = mapped[0];
	pack->bytes = mapped[1];
	unsigned most = (unsigned)(pack->index_length / (SHA1_BYTES + 8));
	bool on = mapped[0] && mapped[1];
	for (bool more = on; more; more = on && !pack->wrong && pack->at < pack->count) {
		on = spent() <= walk->end && ATTEMPT(locked_run(compare_slice, pack)) == 0;
		if (!on)
			walk->left += pack->count > 0 ? pack->count - pack->at : most;
	}
	walk->left += pack->left;
	bool good = !pack->wrong;
	for (size_t i = 0; i < 2; i++)
		if (mapped[i])
			munmap(mapped[i], i ? pack->length : pack->index_length);
	arena_free(arena);
	return good;
}

static void remove_cache(const struct objects_walk *walk, int fd, const char *below,
			 const char *name)
{
	char path[PATH_MAX];
	bool fits = str_put(path, sizeof(path), "%s/objects/%s/%s", walk->path, below, name);
	finding_remove(walk->check, fd, name, fits ? path : walk->path);
}

// Git does not use a pack without its index.
static void look_at_pack(struct objects_walk *walk, int fd, const char *index)
{
	char file[NAME_MAX + 1], path[PATH_MAX];
	int stem = (int)(strlen(index) - strlen(".idx"));
	if (!str_put(file, sizeof(file), "%.*s.pack", stem, index) ||
	    (!finding_is_changed(walk->check, fd, index) &&
	     !finding_is_changed(walk->check, fd, file)))
		return;
	walk->packs = true;
	if (!compare_pack(walk, fd, index, file) &&
	    str_put(path, sizeof(path), "%s/objects/pack/%s", walk->path, index))
		finding_take(walk->check, fd, index, path,
			     "lists objects by names that are not those of their contents; to list "
			     "what its pack holds: git index-pack PACK");
	for (size_t i = 0; i < 2; i++)
		if (str_put(file, sizeof(file), "%.*s%s", stem, index, i ? ".rev" : ".bitmap"))
			remove_cache(walk, fd, "pack", file);
}

static void look_at_packs(struct objects_walk *walk)
{
	autoclose int fd =
		openat(walk->top, "pack", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	entries_each (entry, fd)
		if (str_ends(entry->name, ".idx"))
			look_at_pack(walk, fd, entry->name);
}

// What git makes anew, and believes: git/layout.c.
static void drop_caches(struct objects_walk *walk, const char *name)
{
	char inside[PATH_MAX];
	struct stat status;
	autoclose int fd = openat(walk->top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	entries_each (entry, fd) {
		const struct layout_row *row =
			str_put(inside, sizeof(inside), "objects/%s/%s", name, entry->name)
				? layout_find(inside)
				: NULL;
		if (!row || row->kind != LAYOUT_CACHE ||
		    fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISDIR(status.st_mode))
			drop_caches(walk, inside + strlen("objects/"));
		else if (finding_is_late(walk->check, &status) ||
			 (walk->packs && str_starts(entry->name, "multi-pack-index")))
			remove_cache(walk, fd, name, entry->name);
	}
}

static int number_of(const char *fanout)
{
	static const char digits[] = "0123456789abcdef";
	const char *high = strchr(digits, fanout[0]),
		   *low = strchr(digits, fanout[fanout[0] != '\0']);
	bool is = fanout[0] && fanout[1] && !fanout[2] && high && low;
	return is ? (int)(high - digits) * 16 + (int)(low - digits) : -1;
}

// Directories to which something came first; in the others a file may have been written in place.
// A box does not know with which of these it begins.
static void look_in_all(struct objects_walk *walk)
{
	struct stat status;
	char fanout[3];
	bool old[FANOUTS] = { false };
	entries_each (entry, walk->top) {
		int number = number_of(entry->name);
		if (number < 0 || fstatat(walk->top, entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		old[number] = !finding_is_late(walk->check, &status);
		if (!old[number])
			look_in(walk, entry->name);
	}
	unsigned first = (unsigned)(times_now() / NANOSECONDS_A_TICK) % FANOUTS;
	for (unsigned i = 0; i < FANOUTS; i++) {
		unsigned number = (first + i) % FANOUTS;
		if (!old[number])
			continue;
		if (spent() > walk->end_old)
			break;
		snprintf(fanout, sizeof(fanout), "%02x", number);
		look_in(walk, fanout);
	}
	end_batch(walk);
}

void objects_look(struct check *check, int directory, const char *path)
{
	char number[16];
	const struct timespec *start = &check->start;
	struct objects_walk walk = { .check = check, .path = path };
	autoclose int top =
		openat(directory, "objects", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top < 0 || start->tv_sec == 0)
		return;
	int64_t took = times_now() - start->tv_sec * (int64_t)1000000000 - start->tv_nsec;
	int64_t share = took / SHARE < MOST_NANOSECONDS ? took / SHARE : MOST_NANOSECONDS;
	walk.top = top;
	walk.end_old = spent() + share;
	walk.end = walk.end_old + (share < LEAST_NANOSECONDS ? LEAST_NANOSECONDS - share : 0);
	look_at_packs(&walk);
	drop_caches(&walk, "info");
	drop_caches(&walk, "pack");
	look_in_all(&walk);
	snprintf(number, sizeof(number), "%u", walk.left);
	if (walk.left > 0)
		findings_add(check->found, FINDING_GIT_OBJECTS, finding_path(check->plan, path),
			     number, "");
}
