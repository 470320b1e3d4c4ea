// Processes that read hostile bytes: their walls, and the answers of the plan's readers.
//
// The room apart owns the walls around processes that read hostile bytes, the birth of a reader,
// and the form of its answers. Uses: nothing else. Begin with apart_ask() in reader.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"

struct arena;
struct out;

// A worker makes internet sockets and connected stream pairs; a connector, streams to sockets with
// a path. A check opens files, and uses its reader's socket, 0. The others make and connect no
// socket, and send to no address.
enum confined {
	CONFINED_WORKER,
	CONFINED_OPENER,
	CONFINED_FILTER,
	CONFINED_CONNECTOR,
	CONFINED_CHECK,
	CONFINED_READER,
	CONFINED_ALL
};
// Landlock and the filter of system calls. CONFINE_UNWATCHED is no lock: it tests that the kernel
// watches no connection for the process.
enum {
	CONFINE_FILES = 1,
	CONFINE_CALLS = 2,
	CONFINE_UNWATCHED = 4,
};
// Both, without those that a test takes away. Call it while the environment exists.
unsigned confine_locks(void);
// Locks for good. Returns 0, or -1 with errno. A check changes files only below the open
// directories `writable`.
int confine_below(enum confined who, unsigned locks, const int *writable, unsigned count);
static inline int confine(enum confined who, unsigned locks)
{
	return confine_below(who, locks, (const int *)0, 0);
}

// Sets up a new child, which dies with `parent`. `first` become descriptors 0, 1 and so on, with
// /dev/null for -1 and missing ones of 0 to 2. Of the others only `kept` stay open. Returns -1 with
// errno.
int apart_born(pid_t parent, const int *first, unsigned first_count, const int *kept,
	       unsigned kept_count);

// What a run's options leave open in the supervisor's filter (net/setup/lock.c).
enum {
	LEFT_INTERNET = 1, // sockets, for a proxy
	LEFT_WALLS = 2,    // mounts in the box's view
	LEFT_ANSWERS = 4,  // the memory of the box's processes, and sockets for them
	LEFT_BPF = 8,
};
// Filters this process and its children for good; needs no_new_privs. Returns 0, or -1 with errno.
int confine_supervisor(unsigned left);

// The rows of an answer. A process that was taken over chooses them: the kind limits what a row may
// ask for (rows.c).
enum row_kind {
	// Act at the start, when the plan is made.
	ROW_FAILED,    // why nothing was read
	ROW_WORKTREE,  // core.worktree
	ROW_OBJECTS,   // a directory of objects in a list of alternates
	ROW_ENTRY,     // of an index: a content's name and a path; stage, and the name's bytes << 8
	ROW_DIRECTORY, // of an index: the tree, or a path below it
	ROW_KEPT,      // of an index: a path; how much of it is kept
	ROW_LINE,      // three words of a profile; the line
	ROW_SHOWN,     // a text without its secrets; how many settings it lacks
	ROW_LEFT,      // the name of such a setting
	ROW_SECRET,    // a file of secrets
	// Act during the run as well: walls and copies.
	ROW_HOOKS,   // core.hooksPath
	ROW_INCLUDE, // include.path or includeIf.*.path
	ROW_PRIVATE, // empty: each worktree has its own configuration
	ROW_UNCLEAR, // empty: the configuration may name unknown files
	// Act after the run: nothing that they name is moved or written.
	ROW_KNOWN,   // "remote.x", "branch.x": a section, or a named remote
	ROW_MENTION, // a path below the tree, in a hook, .envrc or git's configuration
	// The text of git's configuration, in order. The merge decides by its table of keys: a lie
	// hides a key, and adds none outside the table.
	ROW_SECTION, // name; where it begins
	ROW_KEY,     // section, a point and a word; where it begins
	ROW_VALUE,   // of the key before; where it ends
	// Of an index. A lie says only what the box could have written there.
	ROW_INDEX,   // the bytes of a new one
	ROW_REFUSED, // a path that git does not write
	ROW_SHARED,  // the other part of a split index
	ROW_MARKS,   // numbers: entries marked unchanged, marked absent; whether times lied; a sum
	ROW_TRACKED, // a path of the asked names; 1: git could not write its file
	ROW_KINDS
};
#define ROW_BIT(kind) (1U << (kind))
bool row_is_below(const char *path);

struct apart_row {
	enum row_kind kind;
	uint32_t number;  // after the ';' above
	const char *text; // ends with a NUL that `length` does not count
	size_t length;
};
struct rows {
	const struct apart_row *list;
	unsigned count;
};
#define rows_each(row, rows)                                                                       \
	for (const struct apart_row *row = (rows)->list,                                           \
				    *end_ = (rows)->count ? row + (rows)->count : row;             \
	     row != end_; row++)

void row_put(struct out *answer, enum row_kind kind, uint32_t number, const void *text,
	     size_t length);
void row_text(struct out *answer, enum row_kind kind, const char *text);
// False: a row is cut, outside `kinds` (bits), or wrong for its kind.
bool rows_take(struct arena *arena, const char *answer, size_t length, unsigned kinds,
	       struct rows *ret_rows);
// Returns the first of a kind, or NULL.
const char *rows_text(const struct rows *rows, enum row_kind kind);

// Who could write a text. APART_OWN: only the caller; this process reads it. APART_ALONE: another
// project or an earlier box; a process reads only this text. APART_OTHERS: all else. Its process
// has one socket, opens no file, maps none of the plan's memory, and gets no text of the caller's.
enum apart { APART_OTHERS, APART_OWN, APART_ALONE };

struct apart_text {
	const char *text;
	size_t length;
	int file; // open to read; 0: none
	size_t file_length;
	struct arena *arena;
	struct out *answer;
};

enum { APART_AHEAD_MAX = 4, APART_AHEAD_BYTES = 16384 };
enum { APART_TEXT_MAX = 4 << 20, APART_ANSWER_MAX = 1 << 30 };

// The rows of `kinds` are in the arena; an answer takes at most a fourth of it. Returns -1 and
// reports: nothing could be read (ROW_FAILED), or the answer was bad. After a bad answer no later
// one is asked for, and apart_end() fails.
int apart_ask(enum apart whose, void (*read)(struct apart_text *question),
	      const struct apart_text *question, unsigned kinds, struct arena *arena,
	      struct rows *ret_rows);
// Refuses impossible rows, and all later ones. Returns -1 and reports.
int apart_refuse(void);
// In the question's arena; NULL: unreadable.
const char *apart_file(const struct apart_text *question);
int apart_begin(void);
// In a forked child: takes the reader for itself, by descriptor 0.
int apart_inherit(void);
// Sets the command line, which no reader keeps.
void apart_words(char *const *words);
// Asks before the answer is needed. The text must stay in place: a later apart_ask() of it in this
// process does not wait.
int apart_ahead(void (*read)(struct apart_text *question), const struct apart_text *question);
// Returns -1 and reports when an answer was bad, or more than was asked.
int apart_end(void);
void apart_leave(void);
void apart_reap(void);

struct apart_asked {
	void (*read)(struct apart_text *question); // the same address in both processes
	uint32_t number, length;
	size_t file_length;
};
struct apart_head {
	uint32_t number, length;
};
_Noreturn void apart_become(int socket, pid_t owner, char *const *words);
size_t apart_memory(const struct apart_text *question);
