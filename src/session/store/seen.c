// Owns the list of the host's directories that a session began with.
#include "session/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"

enum {
	DIRECTORIES_MAX = 200000,
	NAMES_MAX = 8000000,
	TEXT_MAX = 64 << 20,
	MILLISECONDS_MAX = 2000
};
#define SEEN_BYTES_MAX ((size_t)256 << 20)
#define ARENA_BYTES    ((size_t)16 << 30)

struct seen_head {
	char magic[8];
	uint64_t sum;
	uint32_t count, names, text, whole;
};
_Static_assert(sizeof(struct seen_head) == SEEN_HEAD, "the front of the file");
static const char magic[8] = "sbxseen1";

struct seen_listing {
	struct arena *arena;
	struct seen_directory *list;
	uint32_t *names;
	char *text;
	struct seen_head head;
};

static uint64_t sum_of(const char *bytes, size_t length)
{
	uint64_t sum = 14695981039346656037U, word;
	for (; length > 0; bytes += sizeof(word)) {
		size_t part = length < sizeof(word) ? length : sizeof(word);
		word = 0;
		memcpy(&word, bytes, part);
		sum = (sum ^ word) * 1099511628211U;
		sum ^= sum >> 29;
		length -= part;
	}
	return sum;
}

static uint32_t hash_of(const char *name)
{
	uint64_t hash = str_hash(name);
	return (uint32_t)(hash ^ hash >> 32);
}

void seen_seal(char *bytes, size_t length)
{
	size_t front = offsetof(struct seen_head, count);
	uint64_t sum = sum_of(bytes + front, length - front);
	memcpy(bytes, magic, sizeof(magic));
	memcpy(bytes + offsetof(struct seen_head, sum), &sum, sizeof(sum));
}

void seen_name(char name[SEEN_NAME], unsigned root)
{
	snprintf(name, SEEN_NAME, "seen-%u", root);
}

struct birth seen_birth(int fd)
{
	struct sys_statx status;
	if (sys_statx(fd, "", SYS_STATX_BIRTH, &status) < 0 || !(status.mask & SYS_STATX_BIRTH))
		return (struct birth){ 0, 0 };
	return (struct birth){ status.birth_seconds, status.birth_nanoseconds };
}

bool seen_is(const struct seen_directory *directory, int fd, const struct stat *status)
{
	struct birth born = seen_birth(fd);
	return directory->inode == status->st_ino && directory->born.seconds == born.seconds &&
	       directory->born.nanoseconds == born.nanoseconds;
}

static int compare_hashes(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return a < b ? -1 : a > b;
}

struct seen_key {
	const char *path, *text;
};

static int compare_key(const void *left, const void *right)
{
	const struct seen_key *key = left;
	return strcmp(key->path, key->text + ((const struct seen_directory *)right)->path);
}

const struct seen_directory *seen_find(const struct seen *seen, const char *path)
{
	const struct seen_key key = { path, seen->text };
	return seen->count == 0
		       ? NULL
		       : bsearch(&key, seen->list, seen->count, sizeof(*seen->list), compare_key);
}

bool seen_has(const struct seen *seen, const struct seen_directory *directory, const char *name)
{
	uint32_t hash = hash_of(name);
	return directory->count > 0 && bsearch(&hash, seen->names + directory->first,
					       directory->count, sizeof(hash), compare_hashes);
}

static bool is_sound(const struct seen *seen, const struct seen_head *head)
{
	for (unsigned i = 0; i < seen->count; i++) {
		const struct seen_directory *each = &seen->list[i];
		if (each->path >= head->text || each->first > head->names ||
		    each->count > head->names - each->first)
			return false;
		if (i > 0 && strcmp(seen->text + each[-1].path, seen->text + each->path) >= 0)
			return false;
	}
	return true;
}

int seen_parse(const char *bytes, size_t length, struct seen *ret_seen)
{
	struct seen_head head;
	if (length < sizeof(head) || ((uintptr_t)bytes & (sizeof(uint64_t) - 1)))
		return -1;
	memcpy(&head, bytes, sizeof(head));
	size_t front = offsetof(struct seen_head, count);
	if (memcmp(head.magic, magic, sizeof(magic)) != 0 || head.count > DIRECTORIES_MAX ||
	    head.names > NAMES_MAX || head.text > TEXT_MAX ||
	    length != sizeof(head) + head.count * sizeof(struct seen_directory) +
			      head.names * sizeof(uint32_t) + head.text ||
	    sum_of(bytes + front, length - front) != head.sum)
		return -1;
	const void *list = bytes + sizeof(head);
	const struct seen_directory *directories = list;
	const void *names = directories + head.count;
	struct seen seen = { .list = directories, .names = names, .count = head.count };
	seen.text = (const char *)(seen.names + head.names);
	seen.whole = head.whole == 1;
	if ((head.text > 0 && seen.text[head.text - 1]) || !is_sound(&seen, &head))
		return -1;
	*ret_seen = seen;
	return 0;
}

void seen_read(const struct store *store, const struct held *held, unsigned root,
	       struct seen *ret_seen)
{
	FORGIVING;
	char name[SEEN_NAME];
	const char *bytes;
	size_t length;
	*ret_seen = (struct seen){ .count = 0 };
	seen_name(name, root);
	if (store_read_file(store->arena, held->directory, name, SEEN_BYTES_MAX, &bytes, &length) >
	    0)
		seen_parse(bytes, length, ret_seen);
}

static int compare_paths(const void *left, const void *right, void *text)
{
	const struct seen_directory *a = left, *b = right;
	return strcmp((char *)text + a->path, (char *)text + b->path);
}

static bool is_directory(int fd, const struct sys_entry *entry)
{
	struct stat status;
	if (entry->type != DT_UNKNOWN)
		return entry->type == DT_DIR;
	return fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(status.st_mode);
}

static void note(struct seen_listing *listing, int fd, const char *above,
		 const struct sys_entry *entry)
{
	struct seen_head *head = &listing->head;
	const char *name = entry->name;
	size_t length = strlen(above) + strlen(name) + 2;
	bool directory = is_directory(fd, entry);
	if (head->names == NAMES_MAX ||
	    (directory && (head->count == DIRECTORIES_MAX || length > TEXT_MAX - head->text))) {
		head->whole = 0;
		return;
	}
	listing->names[head->names++] = hash_of(name);
	if (!directory)
		return;
	listing->list[head->count++] = (struct seen_directory){ .path = head->text };
	head->text += 1 + (uint32_t)snprintf(listing->text + head->text, length, "%s%s%s", above,
					     above[0] ? "/" : "", name);
}

static bool look(struct seen_listing *listing, int top, struct seen_directory *directory)
{
	struct stat status;
	const char *path = listing->text + directory->path;
	autoclose int fd =
		sys_openat2(top, path[0] ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	if (fd < 0 || fstat(fd, &status) < 0)
		return false;
	directory->inode = status.st_ino;
	directory->mode = status.st_mode & 07777;
	directory->born = seen_birth(fd);
	directory->first = listing->head.names;
	entries_each (entry, fd)
		note(listing, fd, path, entry);
	directory->count = listing->head.names - directory->first;
	qsort(listing->names + directory->first, directory->count, sizeof(uint32_t),
	      compare_hashes);
	return true;
}

static void list_all(struct seen_listing *listing, int top)
{
	FORGIVING;
	struct seen_head *head = &listing->head;
	int64_t end = steady_now() + MILLISECONDS_MAX;
	*head = (struct seen_head){ .count = 1, .whole = 1 };
	head->text = 1;
	for (unsigned i = 0; i < head->count; i++) {
		if (steady_now() > end) {
			head->count = i;
			head->whole = 0;
		} else if (!look(listing, top, &listing->list[i]))
			head->whole = 0;
	}
	qsort_r(listing->list, head->count, sizeof(*listing->list), compare_paths, listing->text);
}

static int store_list(int session, unsigned root, struct seen_listing *listing)
{
	struct seen_head *head = &listing->head;
	size_t lists = head->count * sizeof(*listing->list), names = head->names * sizeof(uint32_t);
	size_t length = sizeof(*head) + lists + names;
	char name[SEEN_NAME], *bytes = arena_take(listing->arena, length + head->text);
	memcpy(bytes + sizeof(*head), listing->list, lists);
	memcpy(bytes + sizeof(*head) + lists, listing->names, names);
	memcpy(bytes + length, listing->text, head->text);
	length += head->text;
	memcpy(bytes, head, sizeof(*head));
	seen_seal(bytes, length);
	seen_name(name, root);
	return owned_write(session, name, bytes, length);
}

int seen_write(int session, unsigned root, const char *path)
{
	struct seen_listing listing = { .arena = arena_new_of(ARENA_BYTES) };
	autoclose int top = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
					RESOLVE_NO_SYMLINKS);
	int result = top < 0 ? fail(errno, "'%s'", path) : 0;
	if (result == 0) {
		listing.list = arena_take(listing.arena, DIRECTORIES_MAX * sizeof(*listing.list));
		listing.names = arena_take(listing.arena, NAMES_MAX * sizeof(*listing.names));
		listing.text = arena_take(listing.arena, TEXT_MAX);
		list_all(&listing, top);
		result = store_list(session, root, &listing);
	}
	arena_free(listing.arena);
	return result;
}

int seen_begin(const struct session *session, int directory, unsigned root)
{
	char made[SEEN_NAME], name[SEEN_NAME];
	const char *path = session->roots[root].path;
	if (session->roots[root].own || session->roots[root].system)
		return 0;
	seen_name(made, SEEN_PROJECT);
	seen_name(name, root);
	if (str_equal(path, session->project) && renameat(directory, made, directory, name) == 0)
		return 0;
	return seen_write(directory, root, path);
}
