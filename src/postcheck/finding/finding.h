// One check of what a run left: its state, whose a thing is, and how it is taken away.
//
// The room postcheck/finding owns the state of one check and its acts: whose a thing is, and
// quarantine. Uses: base boxes git names nouns report text. Begin with finding.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/fd.h"
#include "plan.h"

struct arena;
struct changed_rows;
struct check;
struct findings;
struct stat;

enum { VETTED_MAX = 64, ENTRIES_OF_CHECK = 4096 };

// A look while the box lives: its locks, states and sockets come and go.
struct living {
	void (*meets)(struct living *living, int directory);
	// Whether a name is moved away in this turn.
	bool (*takes)(struct living *living, const struct check *check, const char *path);
	bool first;                           // nothing in git's directories gives notice yet
	bool waits;                           // a file was just written: there may be more of it
	unsigned entries;                     // to read in this turn
	int64_t until;                        // milliseconds; the rest waits for the next turn
	struct file_state vetted[VETTED_MAX]; // that the reader found good last
	unsigned last;
};

struct check {
	const struct plan *plan;
	struct findings *found;
	struct timespec start; // what was changed before is of no interest; zero when nobody knows
	int64_t ended;         // nanoseconds; after it no process of the box lived
	unsigned budget;       // of directory entries, against hostile trees
	bool known;            // a repository that stood there; else all of it is the box's
	bool made;             // which a box made in an earlier run
	bool absent;           // no name of a place that has a slash is there
	bool timeless;         // no time decides: another machine's clock, or one that was set back
	struct living *living; // NULL: the box has ended
	struct changed_rows *rows; // of postcheck/finding/finding.h; NULL: nothing is grouped
};

// As it is reported: the project's own files by their names in it.
const char *finding_path(const struct plan *plan, const char *path);
// Moves it to quarantine.
#define FINDING_WAITS "appeared as a pipe or a device: your own git would wait for it"
void finding_take(struct check *check, int directory, const char *name, const char *path,
		  const char *why);
// Removes caches that git makes anew; reports those that stay.
void finding_remove(struct check *check, int directory, const char *name, const char *path);
// Whether something in a repository that stood there is as it was before the run. No time tells:
// all of the user's is.
bool finding_is_own(const struct check *check, int directory, const char *name);
// The same of a directory, in which others may have changed entries.
bool finding_stood(const struct check *check, int directory, const char *name);
// Whether something was changed, or made, by this run; "" is the directory itself.
bool finding_is_changed(const struct check *check, int directory, const char *name);
bool finding_is_late(const struct check *check, const struct stat *status);
// While the box lives: whether a file is as it was when it was good.
bool finding_is_vetted(const struct check *check, const struct stat *status);
bool finding_is_fresh(const struct check *check, const struct stat *status);
// The time of this turn is over: the rest waits for the next one. Never once the box has ended.
bool finding_waits(const struct check *check);
void finding_vetted(const struct check *check, const struct stat *status);
// In nanoseconds of the files' clock; 0 where the file system does not know.
int64_t finding_birth(int directory, const char *name);
bool finding_is_made(const struct check *check, int directory, const char *name);

// The program that an agent, an editor or a person's shell is: above the shells that it starts for
// each command.

enum { ANCESTOR_MAX = 64 };

// "PID-START" of the first process above this one that is neither a shell nor a program that only
// starts another; "0-0" when none can be read.
void ancestor_name(char name[ANCESTOR_MAX]);

// Names that a run changed and that the host runs or trusts, where that is reported and nothing is
// done.

// How many names of each row of names/trusted.h changed: of many the first few are named, and one
// record has the number of the others, so that a box cannot fill the list with names of one row.
enum { CHANGED_ROWS_MAX = 4096 };
struct changed_rows {
	bool more; // of one of them
	struct changed_row {
		unsigned named, more;
		bool below; // others lie in other directories than the top
	} list[CHANGED_ROWS_MAX];
};
// One that is known to have changed.
void changed_add(const struct check *check, const char *path);
// The records of the others, after the last changed_add().
void changed_end(const struct check *check);
// Whether this run changed `name` or, of a directory, something right in it.
bool changed_has(const struct check *check, int directory, const char *name);
// Whether a name differs in case from the rows that it meets; and a directory does: build is not
// BUILD, a file of Bazel's.
bool changed_in_other_case(const char *name);
bool changed_is_other(int directory, const char *name);
// Adds `name` in `directory`, at `path`, to the findings when this run changed it or, of a
// directory, something right in it.
void changed_tell(const struct check *check, int directory, const char *name, const char *path);

// The same of what a name of a place leads to by links, or of another file there.
void changed_follow(const struct check *check, int directory, const struct item *name,
		    const char *path);

// A directory of PATH, open: adds it when something in it came, went or changed, or a program that
// a link in it leads to.
void changed_programs(const struct check *check, int directory, const struct place *place);

// As changed_tell(), of a name that the walk has met below the top of what can be written, when it
// is in names/trusted.h: a package or a worktree that somebody opens by itself, as nobody does with
// an installed package. Also of git's attributes where they choose a command.
void changed_tell_deeper(const struct check *check, int directory, const char *name,
			 const char *path);
// The same of names alone that are read-only at the top.
void changed_tell_wall(const struct check *check, int directory, const char *name,
		       const char *path);

// Moves a new pipe to quarantine that has a name which git opens in each directory.
void changed_take_pipe(struct check *check, int directory, const char *name, const char *path);

// Where things go that appeared under a name the host would trust: kept, out of reach, restorable.

// Moves `name` of an open directory away; `path` is its absolute path. Reports which, and how to
// get it back. Where it cannot be moved across file systems it is renamed in its place. -1 when
// nothing helped (reported as well).
int quarantine_take(const struct plan *plan, int directory, const char *name, const char *path,
		    const char *why, struct findings *found);

// Reports what other runs moved away from the project since that time, in milliseconds of the
// calendar: whose it was nobody can tell, and who made it must hear of it.
void quarantine_others(const struct plan *plan, int64_t since, struct findings *found);

// `sbx quarantine ACTION [ID]`: -1 with the error said.
// `put` is called for each thing, with the path that it came from; "": its note cannot be read.
typedef void quarantine_put(void *context, const char *id, const char *path);
int quarantine_list(const char *state, quarantine_put *put, void *context);
int quarantine_show(const char *state, const char *id, struct out *out);
int quarantine_restore(const char *state, const char *id, struct out *out);
int quarantine_remove(const char *state, const char *id);

// What boxes changed that the host runs, once for each content, until a person was shown it; and
// findings that are reported once.

// Removes from `found` each name that was reported with this very content before, and what its
// reader was shown once (FINDING_UNTRUSTED, FINDING_HEADLESS and FINDING_ELSEWHERE until they
// change, FINDING_LINK for good, FINDING_POLICY, FINDING_BACKGROUND and FINDING_LEFT in an agent's
// session). For a person on a terminal it adds the names that earlier runs changed and nobody was
// shown.
void unshown_note(const struct plan *plan, struct findings *found);

// Before the command begins: a name that changed since its report is reported again with any
// content.
void unshown_begin(struct plan *plan);

// A line of the project's list: 'u' a name that no person was shown yet, 's' one that was shown.
struct unshown_line {
	char state;
	const char *hash, *word, *path;
};
const char *unshown_text(struct arena *arena, const char *state, const char *project);
// The next name of such a text; false after the last.
bool unshown_next(struct arena *arena, const char **at, struct unshown_line *ret_line);
