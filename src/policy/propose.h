// What a run was refused -> lines of a profile. Pure: text only.
#pragma once

struct arena;
struct list;

// One line that is wished for. `caution`, what it is of that a run may ask for and nobody should
// give unseen ("a secret"): then it is shown as a comment, never as a line that counts. NULL for
// all others.
struct proposal {
	const char *section, *key, *value, *caution;
};

enum { WISHES_MAX = 512 };
struct proposals {
	struct proposal all[WISHES_MAX];
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

// `before` with what is wished for and not in it yet: in its sections, at their ends, every other
// byte as it was. `before` is "" for a new profile, which begins with `head`.
char *propose_text(struct arena *arena, const char *before, const char *head,
		   const struct proposals *wishes);
