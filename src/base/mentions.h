// Which files a text names that its owner's programs run or obey: settings of an editor, a hook,
// git's configuration. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum mention {
	MENTION_FILE,
	MENTION_PROGRAMS, // a directory in which programs are looked for, or of which each is run
};

struct mentions {
	// A path as it stands there, relative or absolute.
	void (*found)(struct mentions *mentions, const char *name, enum mention kind);
	void *owner;
	unsigned words; // that were passed on; MENTIONS_MOST at most
};
enum { MENTIONS_MOST = 512, MENTIONS_BYTES_MOST = 16384 };

// The path that a name means to who stands at `base`: "/x" there is what is left of "$ROOT/x". NULL
// for no name.
const char *mentions_below(struct arena *arena, const char *base, const char *name);

// A text of any language: words that look like paths, those behind an interpreter, and all in a
// list of directories of programs. A word behind a variable ("$ROOT/tools/x") begins with a slash.
// `text` is changed, and has room for one byte behind it.
void mentions_text(struct mentions *mentions, char *text, size_t length);

// Git's configuration: what it runs (git-config(1)), and .gitattributes where that chooses among
// commands. What git includes is a text of its own.
void mentions_git(struct mentions *mentions, struct arena *arena, const char *text, size_t length);

// Settings of a project by their names in it, and how they are read.
struct mentions_settings {
	const char *name;
	enum mentions_form {
		MENTIONS_TEXT,
		MENTIONS_LINES,   // those with one of `keys`
		MENTIONS_SCRIPTS, // package.json: what an install runs (npm-scripts(7))
		MENTIONS_DIRENV,  // .envrc: also what its functions read unasked (direnv-stdlib(1))
	} form;
	const char *keys; // with blanks between and around them
};
extern const struct mentions_settings mentions_settings[];
extern const unsigned mentions_settings_count;
void mentions_read(struct mentions *mentions, struct arena *arena,
		   const struct mentions_settings *settings, char *text, size_t length);
