// What a file of tasks includes, before a tool runs anything, and which files a script runs: files
// of the same tree.
#pragma once

#include <stdbool.h>

struct arena;
struct naming_row;

// In all of a tree.
enum { INCLUDES_MAX = 32, INCLUDES_NAMES_MAX = 1024 };
struct includes {
	int root;         // the tree, open
	const char *path; // of the tree
	struct arena *arena;
	// A file that is there, or may come.
	void (*found)(struct includes *includes, const char *path);
	void *owner;

	// Its own: what was read, or is to be.
	struct {
		const char *path;
		const struct naming_row *settings;
	} files[INCLUDES_MAX];
	unsigned count, at, names;
	bool full;
};

// `name` is one of naming_includes() in the tree. False: there are more files or names than are
// read, or one is larger than what is read of it.
bool includes_read(struct includes *includes, const char *name, const struct naming_row *settings);

struct scripts {
	int root;         // the tree, open
	const char *path; // of the tree
	struct arena *arena;
	// A file that is there, and is a program or stands behind the name of an interpreter: what
	// else a script names is its data.
	void (*found)(struct scripts *scripts, const char *path);
	void *owner;
	const char *base; // of the script that is read
	unsigned count;   // of those that were read
};
enum { SCRIPTS_MAX = 32 };

// One that is named. False: it is a script, and as many as that were read before.
bool scripts_read(struct scripts *scripts, const char *path);
