// Directories that became git's, and one that is git's no more.
#pragma once

#include <stdbool.h>

struct check;
struct guard;
struct findings;

// `directory`, at `path`, was none of git's. Where it is one now and all that git trusts in it was
// made by this run, it is looked through as any repository; where some of it stood there before, as
// a project's own directory `hooks` does, the directory is made none again.
void bare_look(struct check *check, int directory, const char *path);
// Whether a git directory without .git was one before the run: HEAD is as it was, and no other part
// has come.
bool bare_is_old(const struct check *check, int directory, const char *path);
// Tells when the project's own .git, open as `directory`, is not valid any more: git then looks
// elsewhere.
void bare_tell_broken(const struct check *check, int directory, struct findings *found);
// 'rm -r' of a repository ends at what is protected in it: tells so, and who can remove the rest.
void bare_tell_headless(const struct check *check, int directory, const struct guard *guard);
