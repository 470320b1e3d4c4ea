// The directories of the host as a session first found them: which directory stood at each path,
// and what names were in it. A file that was moved has a newer ctime than the session; one that
// came along in a directory has not, and here it is seen.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct held;
struct session;
struct store;

// The time of birth tells a directory from an earlier one of the same number; zero where the file
// system has none.
struct birth {
	int64_t seconds;
	uint64_t nanoseconds;
};

struct seen_directory {
	uint64_t inode;
	struct birth born;
	uint32_t mode;
	uint32_t path;         // offset in seen->text
	uint32_t first, count; // of seen->names
};

struct seen {
	const struct seen_directory *list; // sorted by path; "" is the root itself
	const uint32_t *names;             // hashes, sorted within a directory
	const char *text;
	unsigned count;
	bool whole; // no directory is missing
};

// Hostile input: bounded, no I/O. -1: it is not whole, or none; nothing is said.
int seen_parse(const char *bytes, size_t length, struct seen *ret_seen);

// Puts the mark and the sum in front of a list, at least SEEN_HEAD bytes.
enum { SEEN_HEAD = 32 };
void seen_seal(char *bytes, size_t length);

// Looks at all directories of a root, breadth first, and writes the list beside the session's
// state. Bounded in number and time: of what is missing nothing is known.
int seen_write(int session, unsigned root, const char *path);

// For a root that the session has from now on: the list that was made with the session, or a new
// one.
int seen_begin(const struct session *session, int directory, unsigned root);

// Of a session that has no list, or a damaged one, nothing is known either.
void seen_read(const struct store *store, const struct held *held, unsigned root,
	       struct seen *ret_seen);

// NULL: no such directory was there.
const struct seen_directory *seen_find(const struct seen *seen, const char *path);
bool seen_has(const struct seen *seen, const struct seen_directory *directory, const char *name);

// Of an open directory.
struct birth seen_birth(int fd);
bool seen_is(const struct seen_directory *directory, int fd, const struct stat *status);

// The file's name: "seen-0" for the first root; SEEN_PROJECT before the session has any.
enum { SEEN_NAME = 16, SEEN_PROJECT = 999 };
void seen_name(char name[SEEN_NAME], unsigned root);
