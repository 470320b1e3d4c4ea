// Where profiles come from: ~/.config/sbx, /etc/sbx, then the built-in ones.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/base.h"
#include "policy/keys.h"

struct arena;
struct plan;

// Strongest first. A profile that extends its own name means the next weaker level.
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

// Searches from level `from` on. `config`: ~/.config/sbx or NULL. A name with '/' is a file.
// Refuses files that are not regular, too large, writable by others, or of another owner; outside
// the levels also hard links, by which a box could change the file.
int find_profile(struct arena *arena, const char *config, const char *name, enum level from,
		 struct source *ret_source);

// True for a profile that would replace a built-in one, but has neither `extends` nor a line that
// shows a file: no program could start.
bool find_leans(const struct source *source, const char *name);

int find_read_file(struct arena *arena, const char *path, struct source *ret_source);

extern const char find_system_directory[]; // /etc/sbx

bool find_system_hidden(void);

// Groups of destinations: @npm, @debian ... (profiles/groups.ini). A group begins with what this
// machine is configured to use, such as mirrors.
extern const struct ini_rows group_rows; // made at build time from profiles/groups.ini

// Adds the destinations of @NAME, with reasons as the same items of `reasons`. Reads settings of
// the system and the user, none below `project`. Where settings name a host that the box of `plan`
// does not see, the group's public names are noted as closed: the box would ask them for that
// host's names. `plan` may be NULL.
int groups_add(struct arena *arena, const char *home, const char *project, struct plan *plan,
	       const struct item *name, struct list *into, struct list *reasons);

// The first group that lists the host, with or without a port, or NULL. Does not read the machine's
// settings.
const char *groups_find(const char *host);

// `name` begins with @.
bool groups_has(const char *name);

// Profiles by name, in order, with what they extend -> one profile. Then the flags.

// Reads `names` ("default" when empty), each once, after what it extends. `config`: ~/.config/sbx
// or NULL.
int merge_profiles(struct arena *arena, const char *config, const struct list *names,
		   struct profile *profile);

int merge_source(struct arena *arena, const char *config, const struct source *source,
		 struct profile *profile);

// Always fails: the key of this row is unknown.
int merge_unknown_key(struct arena *arena, const struct ini_row *row, struct origin from);

int merge_arguments(struct arena *arena, const struct arguments *arguments,
		    struct profile *profile);

// Which lines only take something away: files without trust may do no more.

// `alone` has only this line; `profile` is in force.
bool tighten_is(const struct key *key, const char *text, const struct profile *alone,
		const struct profile *profile);

// The project's own profile, .sbx.ini: what it may do before and after the user has trusted it.

struct trust {
	enum trust_state {
		TRUST_NO_FILE,
		TRUST_UNKNOWN, // only tightens
		TRUST_CHANGED, // only tightens again
		TRUST_GIVEN,
	} state;
	struct source source;
	const char *trusted; // of TRUST_CHANGED
	struct ini_rows trusted_rows;
	const char *shown; // the last text that was shown, if different
};

// Reads at most three files.
int trust_read(struct arena *arena, const char *state, const char *project,
	       struct trust *ret_trust);

int trust_note_shown(struct arena *arena, const char *state, const char *project,
		     const struct trust *trust);

int trust_give(struct arena *arena, const char *state, const char *project,
	       const struct trust *trust);
int trust_take(struct arena *arena, const char *state, const char *project);

// Applies all lines of a trusted file, else only those that tighten; `ignored` gets the others.
int trust_merge(struct arena *arena, const char *config, const struct trust *trust,
		struct profile *profile, struct list *ignored);

// A file of sbx's with the project's path in its first line. Returns 1, 0 (absent), or -1 with the
// error said, also for another first line.
int stored_read(struct arena *arena, const char *path, const char *project, const char **ret_text,
		size_t *ret_length);
int stored_write(struct arena *arena, const char *path, const char *project, const char *text);

// Answers of "project": rules for later runs of that project with --ask or --ask-program. Kept in
// ~/.local/state/sbx/answers.

int answers_merge(struct arena *arena, const char *state, const char *project,
		  struct profile *profile);
// "" for none.
int answers_read(struct arena *arena, const char *state, const char *project,
		 const char **ret_text);
int answers_keep(struct arena *arena, const char *state, const char *project, const char *rule);
// Returns 0: no such rule.
int answers_forget(struct arena *arena, const char *state, const char *project, const char *rule);

// The administrator's file, /etc/sbx/locked.ini: its lines hold in each run and only tighten. They
// bind sbx, not a user who starts another program.

// Applied last. `ret_lines`: how many hold; `notes` gets a line about them. -1 with the error said:
// the file is unreadable, not only root can write it, or a line loosens; nothing may run. `inside`:
// in a box of sbx, which has the lines already: there the directory is hidden, and root's files can
// belong to nobody.
int locked_merge(struct arena *arena, bool inside, struct profile *profile, struct list *notes,
		 unsigned *ret_lines);

// What a run was refused -> lines of a profile. Pure: text only.

// `caution`: why nobody should give it unseen ("a secret"), or NULL. Such a line is proposed as a
// comment.
struct proposal {
	const char *section, *key, *value, *caution;
};

enum { PROPOSALS_MAX = 512 };
struct proposals {
	struct proposal all[PROPOSALS_MAX];
	unsigned count;
};

// `path`: absolute, clean. Becomes ~/x in the home, ./x in the project. Three or more of a
// directory become the directory, but never the home, the project, "/" or a system directory below
// it.
void propose_path(struct arena *arena, struct proposals *wishes, const char *key, const char *path,
		  const char *home, const char *project, const char *caution);
// host:port. Two or more of a group become the group.
void propose_host(struct arena *arena, struct proposals *wishes, const char *host,
		  const char *caution);
void propose_line(struct proposals *wishes, const char *section, const char *key,
		  const char *value);

// Adds the lines that are missing at the ends of their sections; all other bytes of `before` stay.
// `before` "": begins with `head`.
char *propose_text(struct arena *arena, const char *before, const char *head,
		   const struct proposals *wishes);
