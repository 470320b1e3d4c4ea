// Whether git takes a directory for a repository, and where the small files lead by which it goes
// from one place to another.
//
// The room git owns the readers of git's files. It writes none of them and starts no git. Uses:
// base text. Begin with recognise.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// By setup.c of git 2.39, is_git_directory(): HEAD names a branch or a commit, and objects and refs
// stand beside it, or in the directory that a file commondir names. Variables of the environment
// (GIT_DIR and the like) count for nothing. In doubt it is one: a link is taken for what it leads
// to, a directory without the right to enter it for one with it, and commondir for one that leads
// to a repository, as each of them may change later without a box.
enum git_directory {
	GIT_NONE,
	GIT_WHOLE,  // objects and refs are its own
	GIT_SHARED, // a file commondir says where they are
};
enum git_directory git_directory(int directory);

// The same decision over names that stand in several places, as in the layers of a session: each
// name is looked at in the directory that has it.
enum git_part { GIT_HEAD, GIT_COMMONDIR, GIT_OBJECTS, GIT_REFS, GIT_PARTS };
extern const char *const git_part_names[GIT_PARTS];
struct git_parts {
	bool has[GIT_PARTS];
};
void git_look(int directory, enum git_part part, struct git_parts *parts);
enum git_directory git_decide(const struct git_parts *parts);

// Whether the text of a file HEAD, or of a symlink with that name, is one of git's.
bool git_is_head(const char *text, size_t length);
bool git_is_head_link(const char *text, size_t length);

// Cuts what a pointer file (.git with the prefix "gitdir: ", commondir, gitdir) says out of `text`
// and returns it. NULL when it says nothing, or holds a newline or a NUL, which git takes as a part
// of the path or as its end.
char *git_pointer(char *text, size_t length, const char *prefix);
// Reads it from a file, which is never a link; at most GIT_POINTER_MAX bytes.
enum { GIT_POINTER_MAX = 4096 };
#define GIT_FILE_PREFIX "gitdir: "
const char *git_read_pointer(int directory, const char *name, const char *prefix,
			     char text[GIT_POINTER_MAX]);
