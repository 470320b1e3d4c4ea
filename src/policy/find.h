// Where profiles come from: ~/.config/sbx, /etc/sbx, then those compiled in.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/base.h"
#include "policy/keys.h"

struct arena;
struct plan;

// Levels from the strongest to the weakest. A profile that extends its own name means the next
// weaker one of that name.
enum level { LEVEL_FILE, LEVEL_USER, LEVEL_SYSTEM, LEVEL_BUILT_IN, LEVEL_NONE };

struct source {
	enum level level;
	const char *file; // for messages and `profile list`
	nlink_t names;    // hard links to that file
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

// Finds `name` at `from` or a weaker level. `config` is ~/.config/sbx or NULL. A name with '/' is
// a file. Refused: no regular file, too large, writable by others, owned by somebody else; as such
// a file also one with another name, by which a box could change it.
int find_profile(struct arena *arena, const char *config, const char *name, enum level from,
		 struct source *ret_source);

// Whether a profile of that name extends the built-in one although it does not say so: it has no
// `extends`, and no line that shows a file, so no program could start in it.
bool find_leans(const struct source *source, const char *name);

// Reads a file under the same rules.
int find_read_file(struct arena *arena, const char *path, struct source *ret_source);

extern const char find_system_directory[]; // "/etc/sbx"

// Whether a box around this process hides that directory: it is there, with no rights for anybody.
bool find_system_hidden(void);

// Groups of destinations: @npm, @debian ... (profiles/groups.ini). A group begins with what this
// machine is configured to use, so that mirrors and private registries work without a word.
extern const struct ini_rows group_rows; // made at build time from profiles/groups.ini

// Adds the destinations of a group to `into`, each with its reason as the same item of `reasons`.
// Files of the system and of the user are asked, never one below `project`. `name` begins with @.
// Where settings name a host and the box of `plan` does not see that, the group's public names are
// not added, but noted as closed: they would be asked for names of that host. Without a plan, whose
// view and variables are made, all are added.
int groups_add(struct arena *arena, const char *home, const char *project, struct plan *plan,
	       const struct item *name, struct list *into, struct list *reasons);

// The group that lists this name, with or without a port, the first of the file; NULL when none
// does. Pure: what the machine's own files name is not asked.
const char *groups_find(const char *host);

// Whether there is a group of this name, which begins with @.
bool groups_has(const char *name);

// Profiles by name, in order, with what they extend -> one profile. Then the flags.

// Reads each profile of `names` ("default" when empty), what it extends first, each once.
// `config` is ~/.config/sbx or NULL.
int merge_profiles(struct arena *arena, const char *config, const struct list *names,
		   struct profile *profile);

// One file that was found otherwise, with what it extends.
int merge_source(struct arena *arena, const char *config, const struct source *source,
		 struct profile *profile);

// Fails for a row whose key is not in the table, with the reason.
int merge_unknown_key(struct arena *arena, const struct ini_row *row, struct origin from);

// The flags of the command line, last.
int merge_arguments(struct arena *arena, const struct arguments *arguments,
		    struct profile *profile);

// Whether a line of a profile only takes something away: for files that may do no more.

// `alone` is a profile with nothing but the line's value, `text`; `profile` is the one that holds
// now.
bool tighten_is(const struct key *key, const char *text, const struct profile *alone,
		const struct profile *profile);

// The project's own profile, .sbx.ini: what it may say before and after the user has trusted it.

struct trust {
	enum trust_state {
		TRUST_NO_FILE,
		TRUST_UNKNOWN, // only tightens
		TRUST_CHANGED, // since it was trusted: only tightens again
		TRUST_GIVEN,
	} state;
	struct source source; // of the file
	const char *trusted;  // TRUST_CHANGED: the text that was trusted
	struct ini_rows trusted_rows;
	const char *shown; // the text that was shown last and is another, or NULL
};

// `state` is sbx's own directory of state, `project` the project's. Reads at most three files.
int trust_read(struct arena *arena, const char *state, const char *project,
	       struct trust *ret_trust);

// Remembers the very text that was read as one that the user has seen.
int trust_note_shown(struct arena *arena, const char *state, const char *project,
		     const struct trust *trust);

// Remembers the very text that was read, or forgets it.
int trust_give(struct arena *arena, const char *state, const char *project,
	       const struct trust *trust);
int trust_take(struct arena *arena, const char *state, const char *project);

// Lays the file over the profile: all of it when trusted, else only what tightens; the lines that
// were left out are added to `ignored`.
int trust_merge(struct arena *arena, const char *config, const struct trust *trust,
		struct profile *profile, struct list *ignored);

// A file of sbx's that is a text of one project: the project's path in its first line. 1, or 0 when
// it is not there; -1 with the error said, also when it begins with something else.
int stored_read(struct arena *arena, const char *path, const char *project, const char **ret_text,
		size_t *ret_length);
int stored_write(struct arena *arena, const char *path, const char *project, const char *text);

// Answers of "project": rules that hold in later runs of that project which ask
// (--ask, --ask-program), and in no others. Kept below ~/.local/state/sbx/answers, as
// stored_write() does.

// Adds them to the allowed ones. -1 with the error said when they cannot be read.
int answers_merge(struct arena *arena, const char *state, const char *project,
		  struct profile *profile);
// The lines of a profile; "" for none.
int answers_read(struct arena *arena, const char *state, const char *project,
		 const char **ret_text);
// One more; `rule` is a destination.
int answers_keep(struct arena *arena, const char *state, const char *project, const char *rule);
// Takes one back. 1, or 0 when there is none like it.
int answers_forget(struct arena *arena, const char *state, const char *project, const char *rule);

// The administrator's file, /etc/sbx/locked.ini: its lines hold in each run, whatever profiles, the
// project's file and flags say. It only tightens. It binds sbx, not a user who starts another
// program.

// Lays the file over the profile, after all else. `ret_lines`: how many hold, 0 without the file;
// `notes` gets a line about them. -1 with the error said: the file cannot be read, is not root's
// alone to write, or has a line that loosens; then nothing may run. `inside`: this process stands
// in a box of sbx, where root's files can belong to nobody and the directory is hidden: that box
// has the lines already.
int locked_merge(struct arena *arena, bool inside, struct profile *profile, struct list *notes,
		 unsigned *ret_lines);

// What a run was refused -> lines of a profile. Pure: text only.

// One line that is wished for. `caution`, what it is of that a run may ask for and nobody should
// give unseen ("a secret"): then it is shown as a comment, never as a line that counts. NULL for
// all others.
struct proposal {
	const char *section, *key, *value, *caution;
};

enum { PROPOSALS_MAX = 512 };
struct proposals {
	struct proposal all[PROPOSALS_MAX];
	unsigned count;
};

// Adds a path (absolute, clean), written as people would: ~/x in the home, ./x in the project. Of
// three or more of one directory the directory is taken, but never the home, the project, "/" or
// a directory of the system's root itself. What a line cannot hold is left out.
void propose_path(struct arena *arena, struct proposals *wishes, const char *key, const char *path,
		  const char *home, const char *project, const char *caution);
// Adds host:port of [network] allow; two or more of one group of profiles/groups.ini become the
// group.
void propose_host(struct arena *arena, struct proposals *wishes, const char *host,
		  const char *caution);
void propose_line(struct proposals *wishes, const char *section, const char *key,
		  const char *value);

// `before` with the wishes that are not in it yet: in its sections, at their ends, every other
// byte as it was. `before` is "" for a new profile, which begins with `head`.
char *propose_text(struct arena *arena, const char *before, const char *head,
		   const struct proposals *wishes);
