// Where profiles come from: ~/.config/sbx, /etc/sbx, then those compiled in.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "policy/ini.h"

struct arena;
struct list;
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

bool find_is_builtin(const char *name);

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
