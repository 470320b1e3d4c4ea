// Which files a text names that its owner's programs run or obey: settings of an editor, a hook,
// git's configuration, variables. All words that are names of files are found, in whatever form
// they stand there; none with blanks or escapes, and none that only a program puts together.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum { MENTIONS_MAX = 256, MENTIONS_BYTES_MAX = 16384, MENTIONS_FILES_MAX = 32 };

struct mentions {
	int root; // a tree, open: nothing outside of it is found
	const char *path;
	struct arena *arena;
	// A file that is there, or that a path with a slash would name; a directory of programs.
	void (*found)(struct mentions *mentions, const char *path, bool programs);
	void *owner;
	struct base *listed; // its own: NULL at first, and for another tree
	unsigned files;      // that were read; MENTIONS_FILES_MAX at most
	bool cut;            // there are more files, or words or bytes in one, than that
};

enum mentions_how {
	MENTIONS_SETTINGS, // words with '.' or '/'; one behind a variable begins with a slash
	MENTIONS_COMMAND,  // the first is a program on PATH, if it has no slash
	MENTIONS_VARIABLE, // "/x" is a whole path
	MENTIONS_LIST,     // also of directories of programs
	MENTIONS_ANY       // all words
};

// Words of a text are looked up from `top`, from `beside` (NULL: none), and from each directory of
// the tree below it that the text names itself. Those of settings in a list of directories of
// programs (a line with "path" in it) are such. `text` is changed, and has room for one byte behind
// it.
void mentions_text(struct mentions *mentions, const char *top, const char *beside, char *text,
		   size_t length, enum mentions_how how);

// Settings: a file, or a directory of these, two levels deep. No link is followed.
void mentions_settings(struct mentions *mentions, const char *top, const char *path);

// Git's configuration: what it runs (git-config(1)), and .gitattributes where that chooses among
// commands. A file that git includes is another text.
void mentions_git(struct mentions *mentions, const char *top, const char *text, size_t length);

// Variables by which the host's programs read or run a file of the tree: BASH_ENV, NODE_OPTIONS,
// GIT_CONFIG_GLOBAL, EDITOR ... Not PATH, nor npm's own, which name its package.json.
void mentions_environment(struct mentions *mentions, char *const *environment);
