// One check of what a run left on the host.
//
// The room postcheck/acts owns the state of one check and its acts: whose a thing is, and
// quarantine. Uses: base, boxes, git, names, nouns, report, text. Begin with check.h.
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

struct living {
	void (*meets)(struct living *living, int directory);
	// Whether to quarantine the path in this turn.
	bool (*takes)(struct living *living, const struct check *check, const char *path);
	bool first;
	bool waits; // a file was just written: more writes may follow
	unsigned entries;
	int64_t until;                        // end of the turn, in milliseconds
	struct file_state vetted[VETTED_MAX]; // states of files found harmless
	unsigned last;
};

struct check {
	const struct plan *plan;
	struct findings *found;
	struct timespec start;     // older changes do not count; zero: unknown
	int64_t ended;             // end of the box, in nanoseconds
	unsigned budget;           // directory entries still to read
	bool known;                // the repository existed before the run
	bool made;                 // a box made the repository in an earlier run
	bool absent;               // protected names with a slash are known to be absent
	bool timeless;             // no file time is reliable
	struct living *living;     // NULL: the box has ended
	struct changed_rows *rows; // NULL: findings are not grouped
};

// Returns the path below the project, or the whole path.
const char *finding_path(const struct plan *plan, const char *path);
#define FINDING_WAITS "appeared as a pipe or a device: your own git would wait for it"
void finding_take(struct check *check, int directory, const char *name, const char *path,
		  const char *why);
// Removes a cache that git makes again.
void finding_remove(struct check *check, int directory, const char *name, const char *path);
// Whether the name is the user's: unchanged in a known repository. True if no time is known.
bool finding_is_own(const struct check *check, int directory, const char *name);
// Whether the name in a known repository is older than the run.
bool finding_stood(const struct check *check, int directory, const char *name);
// Whether the name changed since the start; "": the directory itself.
bool finding_is_changed(const struct check *check, int directory, const char *name);
bool finding_is_late(const struct check *check, const struct stat *status);
// Whether a file is unchanged since it was found good.
bool finding_is_vetted(const struct check *check, const struct stat *status);
bool finding_is_fresh(const struct check *check, const struct stat *status);
// Whether this turn's time is over; false after the box's end.
bool finding_waits(const struct check *check);
void finding_vetted(const struct check *check, const struct stat *status);
// Returns nanoseconds; 0: unknown.
int64_t finding_birth(int directory, const char *name);
bool finding_is_made(const struct check *check, int directory, const char *name);

enum { ANCESTOR_MAX = 64 };

// Writes "PID-START" of the agent, editor or other program that runs sbx, past shells and starters.
// "0-0": unreadable.
void ancestor_name(char name[ANCESTOR_MAX]);

// Changed names that the host runs or trusts. They are only reported.

// A report names a few changes for each row of the table (names/names.h), and counts the others:
// one row cannot fill the list.
enum { CHANGED_ROWS_MAX = 4096 };
struct changed_rows {
	bool more;
	struct changed_row {
		unsigned named, more;
		bool below;
	} list[CHANGED_ROWS_MAX];
};
void changed_add(const struct check *check, const char *path);
// Reports the counts, after the last changed_add().
void changed_end(const struct check *check);
// Whether this run changed `name`, or an entry directly in it.
bool changed_has(const struct check *check, int directory, const char *name);
// Whether the table has the name, but in another case. A directory is harmless: build/ is not
// Bazel's BUILD.
bool changed_in_other_case(const char *name);
bool changed_is_other(int directory, const char *name);
// Reports `name` if changed_has().
void changed_tell(const struct check *check, int directory, const char *name, const char *path);

// Reports `name` if it leads to another or a changed file.
void changed_follow(const struct check *check, int directory, const struct item *name,
		    const char *path);

// Reports a directory of PATH when an entry, or the target of a link in it, changed.
void changed_programs(const struct check *check, int directory, const struct place *place);

// Reports a changed name below the tree's top, but not in installed packages. Includes git
// attributes that choose a command.
void changed_tell_deeper(const struct check *check, int directory, const char *name,
			 const char *path);
// Reports a changed name below the top that is read-only at the top.
void changed_tell_wall(const struct check *check, int directory, const char *name,
		       const char *path);

// Quarantines a new pipe with a name that git opens in each directory.
void changed_take_pipe(struct check *check, int directory, const char *name, const char *path);

// Moves `name` to quarantine and reports how to restore it. Across file systems, renames it in
// place. Returns -1, reporting a failure.
int quarantine_take(const struct plan *plan, int directory, const char *name, const char *path,
		    const char *why, struct findings *found);

// Reports what other runs quarantined from `since` on (calendar milliseconds): this run may have
// made it.
void quarantine_others(const struct plan *plan, int64_t since, struct findings *found);

// `sbx quarantine ACTION [ID]`. Returns -1 with the error. `put` gets each former path; "":
// unreadable.
typedef void quarantine_put(void *context, const char *id, const char *path);
int quarantine_list(const char *state, quarantine_put *put, void *context);
int quarantine_show(const char *state, const char *id, struct out *out);
int quarantine_restore(const char *state, const char *id, struct out *out);
int quarantine_remove(const char *state, const char *id);

// Removes findings that were reported before. For a person on a terminal, adds unseen names of
// earlier runs.
void unshown_note(const struct plan *plan, struct findings *found);

// Marks names that changed since their report, to report them again. Call it before the command
// begins.
void unshown_begin(struct plan *plan);

// `state` 'u': no person has seen the name; 's': one has.
struct unshown_line {
	char state;
	const char *hash, *word, *path;
};
const char *unshown_text(struct arena *arena, const char *state, const char *project);
// False after the last line.
bool unshown_next(struct arena *arena, const char **at, struct unshown_line *ret_line);
