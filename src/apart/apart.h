// The processes that read what a stranger wrote: their walls, and the answers of those that read
// for the plan.
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

// A worker of the proxy makes internet sockets, and pairs of connected streams; the agent's
// connector makes streams to sockets with a path; the others make no socket, connect none and send
// to no address. A check of what a box wrote opens files, and has one socket that it may use: its
// reader's, 0. A reader opens nothing.
enum confined {
	CONFINED_WORKER,
	CONFINED_OPENER,
	CONFINED_FILTER,
	CONFINED_CONNECTOR,
	CONFINED_CHECK,
	CONFINED_READER,
	CONFINED_ALL
};
// Landlock without a rule; the filter of system calls. CONFINE_UNWATCHED: no lock, but a test that
// the kernel watches no connection for it.
enum {
	CONFINE_FILES = 1,
	CONFINE_CALLS = 2,
	CONFINE_UNWATCHED = 4,
};
// Both, but where a test takes one away: asked while the environment still is there.
unsigned confine_locks(void);
// These locks, for good; 0, or -1 with errno.
// A check changes files below these directories alone, which are open.
int confine_below(enum confined who, unsigned locks, const int *writable, unsigned count);
static inline int confine(enum confined who, unsigned locks)
{
	return confine_below(who, locks, (const int *)0, 0);
}

// The birth of each: a child of `parent`, which dies with it. `first` become descriptors 0, 1 and
// so on; -1, and any of 0 to 2 that is missing, is /dev/null. It has no other but `kept`. -1 with
// errno.
int apart_born(pid_t parent, const int *first, unsigned first_count, const int *kept,
	       unsigned kept_count);

// What the options of a run leave open of the supervisor's filter (net/setup/lock.c).
enum {
	LEFT_INTERNET = 1, // sockets: there is a proxy
	LEFT_WALLS = 2,    // mounts in the box's view: one may have to be made again
	LEFT_ANSWERS = 4,  // the memory of the box's processes, and sockets for them
	LEFT_BPF = 8,
};
// For this process and all that it starts, for good; it has no_new_privs. 0, or -1 with errno.
int confine_supervisor(unsigned left);

// What a reader answers: rows, each of a kind. A process that was taken over chooses them: a row is
// the wish of a stranger, and its kind says what it may ask for (rows.c).
enum row_kind {
	// These act at the start: the plan is made by them.
	ROW_FAILED,    // a text why nothing was read
	ROW_WORKTREE,  // the value of core.worktree
	ROW_OBJECTS,   // a directory of objects that a list of alternates names
	ROW_ENTRY,     // of an index: a content's name and a path; stage, and the name's bytes << 8
	ROW_DIRECTORY, // a path below the tree, or the tree: of an index
	ROW_KEPT,      // a path of an index; how much of it is kept
	ROW_LINE,      // three words of a profile; the line
	ROW_SHOWN,     // a text without its secrets; how many settings are not in it
	ROW_LEFT,      // the name of such a setting
	ROW_SECRET,    // a path of a file of secrets
	// These during the run as well: walls and copies.
	ROW_HOOKS,   // a value of core.hooksPath
	ROW_INCLUDE, // a value of include.path or includeIf.*.path
	ROW_PRIVATE, // empty: each worktree has its own configuration
	ROW_UNCLEAR, // empty: what else a configuration names is not known
	// These after it: nothing that such a row names is moved or written.
	ROW_KNOWN,   // "remote.x", "branch.x": a section, or a remote that is named
	ROW_MENTION, // a path below the tree: what a hook, .envrc or git's configuration names
	// A text of git's configuration in its order. Who merges decides by the table of keys: a
	// lie
	// hides a key, and adds none that the table does not have.
	ROW_SECTION, // its name; where it begins
	ROW_KEY,     // the section's name, a point and a word; where it begins
	ROW_VALUE,   // of the key before; where it ends
	// Of an index. A lie says of it what the box could have written there itself.
	ROW_INDEX,   // the bytes that take its place
	ROW_REFUSED, // the path of an entry that git does not write
	ROW_SHARED,  // the name of the other part of a split one
	ROW_MARKS,   // numbers: entries marked as unchanged, as absent; whether times lied; a sum
	ROW_TRACKED, // a path of the names that are asked for; 1: git could not write its file
	ROW_KINDS
};
#define ROW_BIT(kind) (1U << (kind))
bool row_is_below(const char *path); // each part of it is a name

struct apart_row {
	enum row_kind kind;
	uint32_t number;  // behind the ';' above
	const char *text; // with a NUL behind it that `length` does not count
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

// Adds a row to an answer.
void row_put(struct out *answer, enum row_kind kind, uint32_t number, const void *text,
	     size_t length);
void row_text(struct out *answer, enum row_kind kind, const char *text);
// An answer's rows, in its own bytes, which are private: false where one is cut, of no kind in
// `kinds` (bits), or says what its kind cannot.
bool rows_take(struct arena *arena, const char *answer, size_t length, unsigned kinds,
	       struct rows *ret_rows);
// The first of a kind, or NULL.
const char *rows_text(const struct rows *rows, enum row_kind kind);

// Whose file a text is of. What only the caller could write this process reads for itself. What
// another project or an earlier box could (APART_ALONE) a process reads that is asked nothing else.
// All else one reads that has one socket and no other descriptor; it opens no file, none of the
// plan's memory is mapped in it, and no text of the caller's own comes there. It is born with the
// first question, or before by apart_begin(), and ends with apart_end().
enum apart { APART_OTHERS, APART_OWN, APART_ALONE };

struct apart_text {
	const char *text; // with a NUL behind it
	size_t length;
	int file; // open to read, of so many bytes; 0: none
	size_t file_length;
	struct arena *arena; // the reader's, which ends with the question
	struct out *answer;
};

enum { APART_AHEAD_MAX = 4, APART_AHEAD_BYTES = 16384 };
enum { APART_TEXT_MAX = 4 << 20, APART_ANSWER_MAX = 1 << 30 };

// What `read` answers to a text, and to a file; `kinds`: those rows are asked for. The rows are in
// the arena, of which an answer takes a fourth at most. -1 with the error said: nothing could be
// read (ROW_FAILED), or the process gave no good answer: then no later one is asked for, and
// apart_end() fails as well.
int apart_ask(enum apart whose, void (*read)(struct apart_text *question),
	      const struct apart_text *question, unsigned kinds, struct arena *arena,
	      struct rows *ret_rows);
// Of rows that cannot be: nothing more is believed of it. -1, said.
int apart_refuse(void);
// The bytes of the question's file, in its arena; NULL where it cannot be read.
const char *apart_file(const struct apart_text *question);
int apart_begin(void);
// In a child of who began it: the reader is this process's alone, by descriptor 0.
int apart_inherit(void);
// The command line, which no reader keeps.
void apart_words(char *const *words);
// The same question of a text that stays where it is, before the answer is needed: a later
// apart_ask() of the same text has it without waiting, for as long as the process lives.
int apart_ahead(void (*read)(struct apart_text *question), const struct apart_text *question);
// -1 with the error said when the process gave no good answer, or more than was asked.
int apart_end(void);
// Nothing more is asked: it ends while others go on, until apart_reap() sees to it.
void apart_leave(void);
void apart_reap(void);

// Between both sides of a socket.
struct apart_asked {
	void (*read)(struct apart_text *question); // the same address in both
	uint32_t number, length;
	size_t file_length;
};
struct apart_head {
	uint32_t number, length;
};
_Noreturn void apart_become(int socket, pid_t owner, char *const *words);
size_t apart_memory(const struct apart_text *question);
