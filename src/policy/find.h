// Finds profiles in ~/.config/sbx, /etc/sbx, then the built-in ones.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/base.h"
#include "policy/keys.h"

struct arena;
struct plan;

// Strongest first. A profile that extends its own name extends the one of the next weaker level.
enum level { LEVEL_FILE, LEVEL_USER, LEVEL_SYSTEM, LEVEL_BUILT_IN, LEVEL_NONE };

struct source {
	enum level level;
	const char *file;
	nlink_t names; // hard links to the file
	const char *text;
	size_t length;
	struct ini_rows rows;
};

struct builtin {
	const char *name, *text;
	struct ini_rows rows;
};
extern const struct builtin builtins[]; // made at build time from profiles/*.ini
extern const unsigned builtin_count;

// Searches from level `from` on. `config` is ~/.config/sbx or NULL. A name with '/' is a file.
// Refuses files that are not regular, too large, writable by others, or of another owner. Refuses a
// path with hard links: a box could change the file by another name.
int find_profile(struct arena *arena, const char *config, const char *name, enum level from,
		 struct source *ret_source);

// True for a profile that would replace a built-in one, but has neither `extends` nor a line that
// shows a file: no program could start.
bool find_leans(const struct source *source, const char *name);

int find_read_file(struct arena *arena, const char *path, struct source *ret_source);

extern const char find_system_directory[]; // /etc/sbx

bool find_system_hidden(void);

// Groups of destinations: @npm, @debian ... (profiles/groups.ini). groups_add() puts hosts first
// that this machine is configured to use, such as mirrors.
extern const struct ini_rows group_rows; // made at build time

// Adds the destinations of @NAME to `into`, and a reason for each to `reasons`. Reads settings of
// the system and the user, none below `project`. If the box of `plan` (or NULL) does not see a
// setting that names another registry, closes the group's public names: the box would ask them for
// private packages.
int groups_add(struct arena *arena, const char *home, const char *project, struct plan *plan,
	       const struct item *name, struct list *into, struct list *reasons);

// Returns the first group that lists the host, with or without a port, or NULL.
const char *groups_find(const char *host);

// `name` begins with @.
bool groups_has(const char *name);
// Whether a user's file can name other hosts of the group in place of the public ones.
bool groups_decides(const char *name);
// The begin of a reason for a host that a file or variable names.
#define GROUPS_OF_MACHINE "this machine uses it: "

// Reads each of `names` ("default" if empty) once, after what it extends.
int merge_profiles(struct arena *arena, const char *config, const struct list *names,
		   struct profile *profile);

int merge_source(struct arena *arena, const char *config, const struct source *source,
		 struct profile *profile);

// Always fails.
int merge_unknown_key(struct arena *arena, const struct ini_row *row, struct origin from);

int merge_arguments(struct arena *arena, const struct arguments *arguments,
		    struct profile *profile);

// Tests whether a line only takes something away. Files without trust may do no more.

// `alone` has only this line. `profile` is the one in force.
bool tighten_is(const struct key *key, const char *text, const struct profile *alone,
		const struct profile *profile);

// The project's own profile, .sbx.ini.

struct trust {
	enum trust_state {
		TRUST_NO_FILE,
		TRUST_UNKNOWN, // only tightens
		TRUST_CHANGED, // only tightens, until it is trusted again
		TRUST_GIVEN,
	} state;
	struct source source;
	const char *trusted; // text of the trusted copy, for TRUST_CHANGED
	struct ini_rows trusted_rows;
	const char *shown; // text that the user was shown last, if it differs
};

int trust_read(struct arena *arena, const char *state, const char *project,
	       struct trust *ret_trust);

int trust_note_shown(struct arena *arena, const char *state, const char *project,
		     const struct trust *trust);

int trust_give(struct arena *arena, const char *state, const char *project,
	       const struct trust *trust);
int trust_take(struct arena *arena, const char *state, const char *project);

// Applies all lines of a trusted file, only the tightening ones of another. `ignored` gets the
// rest.
int trust_merge(struct arena *arena, const char *config, const struct trust *trust,
		struct profile *profile, struct list *ignored);

// Returns the line of .sbx.ini in `ignored` (trust_merge()) that would set `key` to `value`, or to
// the host of `value` without the port; 0: none.
unsigned trust_waits(const struct list *ignored, const char *key, const char *value);

// The first line of a stored file is the project's path. stored_read() returns 1, 0 if there is no
// file of this project, or -1.
int stored_read(struct arena *arena, const char *path, const char *project, const char **ret_text,
		size_t *ret_length);
int stored_write(struct arena *arena, const char *path, const char *project, const char *text);

// Answers for a project are rules for its later runs with --ask or --ask-program.

int answers_merge(struct arena *arena, const char *state, const char *project,
		  struct profile *profile);
// `ret_text` is "" if there are none.
int answers_read(struct arena *arena, const char *state, const char *project,
		 const char **ret_text);
int answers_keep(struct arena *arena, const char *state, const char *project, const char *rule);
// Returns 0 if there is no such rule.
int answers_forget(struct arena *arena, const char *state, const char *project, const char *rule);

// Lines of the administrator's file, /etc/sbx/locked.ini, hold in each run and only tighten. They
// bind sbx, not a user who starts another program.

// Call it last. Adds a line to `notes`. Fails, and nothing may run, if the file is unreadable,
// others than root can write it, or a line loosens. With `inside` the directory may be hidden, and
// root's files may belong to nobody.
int locked_merge(struct arena *arena, bool inside, struct profile *profile, struct list *notes,
		 unsigned *ret_lines);

// `caution` says why nobody should allow the value unseen ("a secret"), or is NULL. A line with a
// caution is proposed as a comment.
struct proposal {
	const char *section, *key, *value, *caution;
};

enum { PROPOSALS_MAX = 512 };
struct proposals {
	struct proposal all[PROPOSALS_MAX];
	unsigned count;
};

// `path` is absolute and clean. It becomes ~/x in the home, ./x in the project. Three paths of a
// directory become the directory, but not the home, the project, "/" or a system directory.
void propose_path(struct arena *arena, struct proposals *wishes, const char *key, const char *path,
		  const char *home, const char *project, const char *caution);
// `host` is host:port. Two hosts of a group become the group.
void propose_host(struct arena *arena, struct proposals *wishes, const char *host,
		  const char *caution);
void propose_line(struct proposals *wishes, const char *section, const char *key,
		  const char *value);

// Adds missing lines at the ends of their sections. All other bytes of `before` stay. If it is "",
// begins with `head`.
char *propose_text(struct arena *arena, const char *before, const char *head,
		   const struct proposals *wishes);
