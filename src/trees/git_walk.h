// A walk through a tree in a fixed order that can be cut anywhere and goes on there: each directory
// by a descriptor, nothing is followed. Meets all that git takes for a repository.
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dirs;
struct share;

struct git_walk {
	// Each may be NULL but `repository`; walk->path is the path of the entry, `directory` is
	// open and holds `name`. Of a git directory without .git the name is ".".
	void (*entry)(struct git_walk *walk, int directory, const struct dirent *entry);
	void (*repository)(struct git_walk *walk, int directory, const char *name);
	bool (*passes)(struct git_walk *walk); // whether the directory at walk->path is left out
	void *owner;
	// Names that are looked at each time, or NULL: a file by itself, for others the directory
	// is read.
	bool (*keeps)(const char *path);
	struct dirs *known; // what an earlier look saw, or NULL
	struct dirs *fresh; // gets what this one sees, or NULL
	int64_t settled;    // of `fresh`: what changed before that time (trees/dirs.h)
	int64_t since;      // of `known`: what changed at that time or later is read
	// Which directories are checked, besides those that came since; NULL: all. `known` and
	// `fresh` are then of these.
	const struct share *share;
	unsigned levels; // so many are gone down; 0: as many as can be
	long processor;  // nanoseconds of this process's time, from the beginning on

	// Results.
	bool cut;    // by time
	bool round;  // from `place` it came to the end, and went on at the beginning
	bool deeper; // something lay below the levels
	bool lost;   // something lay deeper than can be reached
	bool owed;   // there is a directory outside the share: left out, or read as it is new
	unsigned directories;
	char place[PATH_MAX]; // where it was cut, below the root

	// Its own.
	char path[PATH_MAX];
	size_t length, root;
	unsigned depth, entries;
	long begin;
	int top;       // the root, open
	size_t at;     // in known->text
	unsigned came; // depth of the directory around that came since, or 0
};

// From `place` (below the root, "" the beginning) to the end, and then from the beginning to
// `place`.
// Returns the time that it took of this process.
long walk_tree(struct git_walk *walk, const char *root, const char *place);
