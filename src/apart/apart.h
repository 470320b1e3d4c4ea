// Processes that read hostile bytes, and their answers.
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

enum confined {
	CONFINED_WORKER,
	CONFINED_OPENER,
	CONFINED_FILTER,
	CONFINED_CONNECTOR,
	CONFINED_CHECK,
	CONFINED_READER,
	CONFINED_ALL
};
// CONFINE_UNWATCHED, for tests: the kernel watches no connection for the worker.
enum {
	CONFINE_FILES = 1,
	CONFINE_CALLS = 2,
	CONFINE_UNWATCHED = 4,
};
// Returns the CONFINE_ bits without those that a test switches off in the environment.
unsigned confine_locks(void);
// Confines this process for good. CONFINED_CHECK may write below the open directories `writable`.
// Returns -1 with errno.
int confine_below(enum confined who, unsigned locks, const int *writable, unsigned count);
static inline int confine(enum confined who, unsigned locks)
{
	return confine_below(who, locks, (const int *)0, 0);
}

// Sets up the calling process, a new child, to die with `parent`. `first` become descriptors 0 and
// up; -1 is /dev/null. No others but `kept` stay open. Returns -1 with errno.
int apart_born(pid_t parent, const int *first, unsigned first_count, const int *kept,
	       unsigned kept_count);

// What the supervisor's filter allows for some runs (net/setup/lock.c).
enum {
	LEFT_INTERNET = 1, // a proxy's sockets
	LEFT_WALLS = 2,    // mounts in the box's view
	LEFT_ANSWERS = 4,  // reading the box's processes, to answer calls; AF_UNIX
	LEFT_BPF = 8,
};
// Filters this process and its children; needs no_new_privs. Returns -1 with errno.
int confine_supervisor(unsigned left);

// A row has a text and a number (below `text; number`). An exploited reader chooses both: rows.c
// limits the text.
enum row_kind {
	// Used for the plan.
	ROW_FAILED,
	ROW_WORKTREE,
	ROW_OBJECTS,   // entry of a list of alternates
	ROW_ENTRY,     // index: object name and path; stage | bytes of the name << 8
	ROW_DIRECTORY, // index: directory of tracked files
	ROW_KEPT,      // index: path of a file; length of its trusted beginning
	ROW_LINE,      // profile: section, key, value; line number
	ROW_SHOWN,     // text without secrets; count of ROW_LEFT
	ROW_LEFT,
	ROW_SECRET,
	// Used for the plan, and for the run's walls and copies.
	ROW_HOOKS,
	ROW_INCLUDE,
	ROW_PRIVATE, // no text: worktrees have own configurations
	ROW_UNCLEAR, // no text: the text may name unknown files
	// Used after the run. sbx neither moves nor writes their paths.
	ROW_KNOWN,   // "remote.x", "branch.x": section or named remote
	ROW_MENTION, // path below the tree, in a hook, .envrc or git's configuration
	// A git configuration in order. A false row can only hide a key, as the merge takes only
	// keys of its table.
	ROW_SECTION, // name; offset where it begins
	ROW_KEY,     // "section.word"; offset where it begins
	ROW_VALUE,   // value of the last ROW_KEY; offset where it ends
	// An index. A false row says only what the box could have written into it.
	ROW_INDEX,   // the whole index
	ROW_REFUSED, // path that git does not write
	ROW_SHARED,  // shared part of a split index
	ROW_MARKS,   // the array `marks` of git/index_file.c
	ROW_TRACKED, // entry at an asked name; number 1: git did not write it
	ROW_KINDS
};
#define ROW_BIT(kind) (1U << (kind))
bool row_is_below(const char *path);

struct apart_row {
	enum row_kind kind;
	uint32_t number;
	const char *text; // NUL after `length` bytes
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
// Returns false when a row is cut, not of `kinds` (bits), or wrong for its kind.
bool rows_take(struct arena *arena, const char *answer, size_t length, unsigned kinds,
	       struct rows *ret_rows);
// Returns the first row's text, or NULL.
const char *rows_text(const struct rows *rows, enum row_kind kind);

// Who can have written a text. APART_OWN: the caller; this process reads it. APART_ALONE: another
// project or an earlier box; a new process reads it. APART_OTHERS: anybody; one process reads all
// of these.
enum apart { APART_OTHERS, APART_OWN, APART_ALONE };

struct apart_text {
	const char *text;
	size_t length;
	int file; // descriptor; 0: none
	size_t file_length;
	struct arena *arena;
	struct out *answer;
};

enum { APART_AHEAD_MAX = 4, APART_AHEAD_BYTES = 16384 };
enum { APART_TEXT_MAX = 4 << 20, APART_ANSWER_MAX = 1 << 30 };

// Puts rows of `kinds` into at most a fourth of the arena. Returns -1 and reports if nothing could
// be read (ROW_FAILED) or the answer was bad. After a bad answer each question and apart_end()
// fail.
int apart_ask(enum apart whose, void (*read)(struct apart_text *question),
	      const struct apart_text *question, unsigned kinds, struct arena *arena,
	      struct rows *ret_rows);
// Refuses an impossible answer and all later ones. Returns -1 and reports.
int apart_refuse(void);
// Returns the file's bytes in the question's arena. NULL: unreadable.
const char *apart_file(const struct apart_text *question);
int apart_begin(void);
// Gives a forked child the reader, at descriptor 0.
int apart_inherit(void);
// Sets the command line that readers wipe.
void apart_words(char *const *words);
// Sends a question early. A later apart_ask() about the text in this process does not wait. The
// text must not move.
int apart_ahead(void (*read)(struct apart_text *question), const struct apart_text *question);
// Returns -1 and reports when an answer was bad or too long.
int apart_end(void);
void apart_leave(void);
void apart_reap(void);

struct apart_asked {
	void (*read)(struct apart_text *question);
	uint32_t number, length;
	size_t file_length;
};
struct apart_head {
	uint32_t number, length;
};
_Noreturn void apart_become(int socket, pid_t owner, char *const *words);
size_t apart_memory(const struct apart_text *question);
