// What a script of a shell runs in turn: files of the same tree that it names.
#pragma once

#include <stdbool.h>

struct arena;

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
