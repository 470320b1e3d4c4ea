// Which files a text names that its owner's programs run or obey: settings of an editor, a hook,
// git's configuration. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum mention {
	MENTION_FILE,
	MENTION_RUN,      // behind the name of an interpreter
	MENTION_PROGRAMS, // a directory in which programs are looked for, or of which each is run
};

struct mentions {
	// A path as it stands there, relative or absolute.
	void (*found)(struct mentions *mentions, const char *name, enum mention kind);
	void *owner;
	unsigned words; // that were passed on; MENTIONS_MAX at most
};
enum { MENTIONS_MAX = 512, MENTIONS_BYTES_MAX = 16384 };

// The path that a name means to who stands at `base`: one below `root` (NULL: none) itself, while
// another "/x" is what is left of "$ROOT/x". NULL for no name.
const char *mentions_path(struct arena *arena, const char *root, const char *base,
			  const char *name);

// A text of any language: words that look like paths, those behind an interpreter, and all in a
// list of directories of programs. A word behind a variable ("$ROOT/tools/x") begins with a slash.
// `text` is changed, and has room for one byte behind it.
void mentions_text(struct mentions *mentions, char *text, size_t length);

// Git's configuration: what it runs (git-config(1)), and .gitattributes where that chooses among
// commands. A file that git includes is another text.
void mentions_git(struct mentions *mentions, struct arena *arena, const char *text, size_t length);

// Variables by which the host's programs read or run a file of the project: BASH_ENV, NODE_OPTIONS,
// GIT_CONFIG_GLOBAL, EDITOR ... Any word with a '/' may be one, below `root` where it begins with
// it. Not PATH, nor npm's variables, which name its package.json.
void mentions_environment(struct mentions *mentions, char *const *environment, const char *root);

// For readers of such texts: passes on one name; whether a byte belongs to a word (those of UTF-8
// do).
void mentions_pass(struct mentions *mentions, const char *name, enum mention kind);
bool mentions_is_letter(char c);
