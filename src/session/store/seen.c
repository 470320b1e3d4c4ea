// Owns the list of the host's directories at the begin of a session.
#include "session/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/gitindex.h"
#include "text/words.h"

enum {
	VERSION = 2,
	DIRECTORIES_MAX = 200000,
	NOTED_MAX = 128 << 20, // bytes of hashes and paths
	MILLISECONDS_MAX = 2000,
	HASH = 8 // digits of a hash
};
#define SEEN_BYTES_MAX ((size_t)512 << 20)
#define ARENA_BYTES    ((size_t)16 << 30)

static const char header[] = "sbx-seen ", whole_line[] = "whole", none[] = "-";
static const struct words_field fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct seen_directory, mode),
	WORDS_FIELD(WORDS_NUMBER, struct seen_directory, inode),
	WORDS_FIELD(WORDS_TIME, struct seen_directory, born),
	WORDS_FIELD(WORDS_TEXT, struct seen_directory, hashes),
	WORDS_FIELD(WORDS_LAST, struct seen_directory, path),
};

void seen_name(char name[SEEN_NAME], unsigned root)
{
	snprintf(name, SEEN_NAME, "seen-%u", root);
}

struct timespec seen_birth(int fd)
{
	struct sys_statx status;
	if (sys_statx(fd, "", SYS_STATX_BIRTH, &status) < 0 || !(status.mask & SYS_STATX_BIRTH))
		return (struct timespec){ 0, 0 };
	return (struct timespec){ status.birth_seconds, status.birth_nanoseconds };
}

static int compare_hashes(const void *left, const void *right)
{
	return memcmp(left, right, HASH);
}

static int compare_paths(const void *left, const void *right)
{
	const struct seen_directory *a = left, *b = right;
	return strcmp(a->path, b->path);
}

static void put_hash(char text[HASH + 1], const char *name)
{
	uint64_t hash = str_hash(name);
	snprintf(text, HASH + 1, "%08x", (uint32_t)(hash ^ hash >> 32));
}

const struct seen_directory *seen_find(const struct seen *seen, const char *path)
{
	const struct seen_directory key = { .path = path };
	return seen->count == 0
		       ? NULL
		       : bsearch(&key, seen->list, seen->count, sizeof(key), compare_paths);
}

bool seen_has(const struct seen_directory *directory, const char *name)
{
	char hash[HASH + 1];
	put_hash(hash, name);
	return bsearch(hash, directory->hashes, directory->count, HASH, compare_hashes);
}

const char *seen_index(char name[SEEN_INDEX], uint64_t sum)
{
	snprintf(name, SEEN_INDEX, "index/%016llx", (unsigned long long)sum);
	return name;
}

int seen_parse(struct arena *arena, const char *text, size_t length, struct seen *ret_seen)
{
	struct seen seen = { .count = 0 };
	unsigned size = 0;
	char *at;
	TRY(words_open(arena, header, VERSION, text, length, SEEN_BYTES_MAX, &at));
	char *line = words_line(&at);
	seen.whole = line && str_equal(line, whole_line);
	while (line && (line = words_line(&at))) {
		struct seen_directory directory;
		if (!words_read(arena, &line, fields, WORDS_COUNT(fields), &directory))
			return fail(0, "a line is damaged");
		directory.count = strlen(directory.hashes) / HASH;
		seen.list = arena_grow(arena, seen.list, seen.count, &size, sizeof(directory));
		seen.list[seen.count++] = directory;
	}
	if (seen.count > 0)
		qsort(seen.list, seen.count, sizeof(*seen.list), compare_paths);
	*ret_seen = seen;
	return 0;
}

void seen_format(const struct seen *seen, struct out *out)
{
	out_text(out, "%s%d\n%s\n", header, VERSION, seen->whole ? whole_line : "part");
	for (unsigned i = 0; i < seen->count; i++)
		words_write(out, "", fields, WORDS_COUNT(fields), &seen->list[i]);
	words_close(out);
}

int seen_read(const struct held *held, unsigned root, struct seen *ret_seen)
{
	char name[SEEN_NAME];
	const char *text;
	size_t length;
	*ret_seen = (struct seen){ .count = 0 };
	seen_name(name, root);
	int found = store_read_file(held->store->arena, held->directory, name, SEEN_BYTES_MAX,
				    &text, &length);
	// Ignores version 0.1.0's format: without a list more changes are conflicts.
	if (found > 0 && length >= strlen("sbxseen1") && str_starts(text, "sbxseen1"))
		return 0;
	if (found <= 0 || seen_parse(held->store->arena, text, length, ret_seen) == 0)
		return found < 0 ? -1 : 0;
	return store_unusable(held, name);
}

struct seen_listing {
	struct arena *arena;
	struct seen seen;
	unsigned size;
	size_t noted;
};

static bool is_directory(int fd, const struct sys_entry *entry)
{
	struct stat status;
	if (entry->type != DT_UNKNOWN)
		return entry->type == DT_DIR;
	return fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(status.st_mode);
}

static void add(struct seen_listing *listing, const char *path)
{
	struct seen *seen = &listing->seen;
	seen->list = arena_grow(listing->arena, seen->list, seen->count, &listing->size,
				sizeof(*seen->list));
	seen->list[seen->count++] = (struct seen_directory){ .path = path, .hashes = none };
}

static void note(struct seen_listing *listing, struct out *hashes, int fd, const char *above,
		 const struct sys_entry *entry)
{
	char hash[HASH + 1];
	bool directory = is_directory(fd, entry);
	size_t length = HASH + (directory ? strlen(above) + strlen(entry->name) + 1 : 0);
	if (length > NOTED_MAX - listing->noted ||
	    (directory && listing->seen.count == DIRECTORIES_MAX)) {
		listing->seen.whole = false;
		return;
	}
	listing->noted += length;
	put_hash(hash, entry->name);
	out_bytes(hashes, hash, HASH);
	if (directory)
		add(listing,
		    arena_text(listing->arena, "%s%s%s", above, above[0] ? "/" : "", entry->name));
}

static bool look(struct seen_listing *listing, int top, unsigned index)
{
	struct stat status;
	struct out hashes = { 0 };
	char hash[HASH + 1], name[SEEN_INDEX];
	uint64_t sum;
	const char *path = listing->seen.list[index].path;
	autoclose int fd =
		sys_openat2(top, path[0] ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	if (fd < 0 || fstat(fd, &status) < 0)
		return false;
	entries_each (entry, fd) {
		note(listing, &hashes, fd, path, entry);
		if (str_equal(entry->name, "index") && index_file_sum(fd, &sum)) {
			put_hash(hash, seen_index(name, sum));
			out_bytes(&hashes, hash, HASH);
		}
	}
	struct seen_directory *directory = &listing->seen.list[index];
	directory->inode = status.st_ino;
	directory->mode = status.st_mode & 07777;
	directory->born = seen_birth(fd);
	if (hashes.used > 0) {
		qsort(hashes.text, hashes.used / HASH, HASH, compare_hashes);
		directory->hashes = arena_copy(listing->arena, hashes.text, hashes.used);
	}
	out_free(&hashes);
	return true;
}

static void list_all(struct seen_listing *listing, int top)
{
	FORGIVING;
	struct seen *seen = &listing->seen;
	int64_t end = steady_now() + MILLISECONDS_MAX;
	seen->whole = true;
	add(listing, "");
	for (unsigned i = 0; i < seen->count; i++) {
		bool late = steady_now() > end;
		if (late)
			seen->count = i;
		if (late || !look(listing, top, i))
			seen->whole = false;
	}
}

int seen_write(int session, unsigned root, const char *path)
{
	char name[SEEN_NAME];
	struct out out = { 0 };
	autoclose int top = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
					RESOLVE_NO_SYMLINKS);
	if (top < 0)
		return fail(errno, "'%s'", path);
	struct seen_listing listing = { .arena = arena_new_of(ARENA_BYTES) };
	list_all(&listing, top);
	seen_format(&listing.seen, &out);
	seen_name(name, root);
	int result = owned_write(session, name, out.text, out.used);
	out_free(&out);
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
