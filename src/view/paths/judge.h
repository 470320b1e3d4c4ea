// What the plan makes of a path, and the line that decides. Pure: looks at no file.
#pragma once

#include <stdbool.h>

#include <stdbool.h>

struct item;
struct plan;

enum verdict_of_path {
	PATH_ABSENT, // not in the box
	PATH_READ,
	PATH_WRITE,   // changes reach the host, or a session's layer
	PATH_PRIVATE, // writable and thrown away, or kept apart from the host's
	PATH_HIDDEN,  // exists, and cannot be read
};

struct judgement {
	enum verdict_of_path verdict;
	const struct mount *by; // NULL when nothing names the path
};

// `path` is absolute and clean, as it is called in the box.
struct judgement judge_path(const struct plan *plan, const char *path);

// Whether the box has the host's file there, or a copy of it.
bool judge_shows(const struct plan *plan, const char *path);

// The line that keeps it from being read, or else written, whatever other lines and flags say; or
// NULL.
const struct item *judge_final(const struct plan *plan, const char *path, bool write);
