// The settings of other sandboxes -> the text of a profile, and as comments what it cannot say.
// Pure: hostile bytes in, text or one error out.
//
// The room policy/import owns what other sandboxes' settings mean in a profile. Uses: base nouns
// policy text. Begin with import_profile.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"
#include "profile.h"

struct arena;

enum import_from {
	IMPORT_SRT,    // sandbox-runtime's settings, JSON
	IMPORT_CLAUDE, // Claude Code's settings.json
	IMPORT_CODEX,  // Codex's config.toml
	IMPORT_COUNT
};
extern const char *const import_words[IMPORT_COUNT];

// The most bytes that are read, and the most lines that are written.
enum { IMPORT_BYTES_MAX = 256 * 1024, IMPORT_LINES_MAX = 2000 };

// Of the arena it takes up to 64 times `length`, and 16 MiB. text[length] must be NUL. What is
// written is a profile that `sbx profile check` takes. `base`: "." for a project's settings, and
// for the user's own "~/.claude": their paths begin there.
int import_profile(struct arena *arena, enum import_from from, const char *base, const char *text,
		   size_t length, struct out *out);

// For the readers of each: one import on its way.
struct import {
	struct arena *arena;
	struct out files, network, notes;
	struct profile tried; // each value has been set here once
	unsigned lines;
	const char *base;    // as above
	const char *project; // read, write, or NULL: as the profile default
};

// Writes "key = path" into [files] when it is good as a profile's line, else a comment; "x" and
// "./x" are in the project. -1: too many lines.
int import_path(struct import *import, const char *key, const char *path);
// The same of a host, in [network].
int import_host(struct import *import, const char *key, const char *host);
// A comment: what was not taken over, and why.
int import_note(struct import *import, const char *what, const char *why);

// The readers.
int import_srt(struct import *import, const char *text, size_t length);
int import_claude(struct import *import, const char *text, size_t length);
int import_codex(struct import *import, const char *text, size_t length);

// A TOML text walked from its beginning to its end (TOML 1.0; dates and numbers are passed over,
// not checked). Each single value is shown once, with its whole dotted name, and nothing is kept:
// no memory is taken, whatever the size of a hostile text. Pure.
enum { TOML_NAME_MAX = 256, TOML_DEPTH_MAX = 32 };

struct toml_step {
	enum toml_kind {
		TOML_BASIC,   // "text" with the escapes that JSON has
		TOML_LITERAL, // 'text'
		TOML_OTHER,   // a number, a word, a date; a string with other escapes or lines
	} kind;
	const char *name;  // "table.key", of an element that of its array; '.' in a key is as it is
	const char *value; // between its quotes
	size_t length;     // bytes
};

// 0, or the line where it is no TOML, too deep, or `step` returned false. text[length] must be NUL.
unsigned toml_walk(const char *text, size_t length,
		   bool (*step)(void *owner, const struct toml_step *step), void *owner);
