// A sweep through a tree: each directory by a descriptor, nothing is followed. Meets all that git
// takes for a repository.
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct share;

struct git_walk {
	// Each may be NULL; walk->path is the path of the entry, `directory` is open and holds
	// `name`. Of a git directory without .git the name is ".".
	void (*entry)(struct git_walk *walk, int directory, const struct dirent *entry);
	void (*repository)(struct git_walk *walk, int directory, const char *name);
	bool (*passes)(struct git_walk *walk); // whether the directory at walk->path is left out
	void *owner;
	// Which directories are read: the top and the command's, those of the share that changed at
	// `since` or later, and new entries of these, with all below it. NULL: all.
	const struct share *share;
	int64_t since, start; // nanoseconds; what changed at `start` or later did so in the run
	bool probes;          // only whether one of them changed: then it is cut
	unsigned levels;      // so many are gone down; 0: as many as can be
	long processor; // nanoseconds of this process's time, from the beginning on; 0: no end

	// Results.
	bool cut;    // by time
	bool deeper; // something lay below the levels
	bool lost;   // something lay deeper than can be reached

	bool moved; // an entry may have come to this place in the run, whatever its own times
		    // are
	// Its own.
	char path[PATH_MAX];
	size_t length, root;
	unsigned depth, entries;
	long begin;
	int top; // the root, open
};

// Returns the time that it took of this process.
long walk_tree(struct git_walk *walk, const char *root);
