// Whether a thing of the host is the one that the session saw: by what it is, not by its name.
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "session/store/seen.h"

struct changes;
struct held;

enum same {
	SAME_YES,
	SAME_NEW,   // made by the host since: there was none
	SAME_OTHER, // another one stands there, or nobody knows
};

// An open directory of the host, all above which is the same.
enum same same_directory(const struct changes *changes, const struct seen *seen, unsigned root,
			 const char *path, int fd);

// What is no directory, in one that is the same: nobody but an apply of the session's own has
// touched it.
bool same_file(const struct changes *changes, unsigned root, const char *path,
	       const struct stat *status);

// A file that an apply has put there as the session still has it.
bool same_is_applied(const struct changes *changes, unsigned root, const char *path,
		     const struct stat *is, const struct stat *was);

// The host has removed or moved away what stood at the path, of which nothing is there now.
bool same_is_lost(const struct changes *changes, const struct seen *seen,
		  const struct seen_directory *above, unsigned root, const char *path);

// -1 with the error said unless the open directory is the root that the session was made over.
int same_root(const struct held *held, unsigned root, int fd, const struct seen *seen);

bool same_time(const struct timespec *left, const struct timespec *right);
bool same_is_later(const struct timespec *time, const struct timespec *than);
