// What the profile, the project and sbx itself want in the view, one wish per path, unsorted.
#pragma once

#include "base/gitnamed.h"
#include "jail/names.h"
#include "jail/resolve.h"
#include "plan.h"

enum { WISHES_MOST = 1024 };

struct wish {
	struct mount mount;
	bool pinned;  // made even when it changes nothing: a mount point cannot be renamed
	bool covered; // by a secret that was named after it
	bool wall; // of sbx's own, to protect: does not mean that somebody has asked for the path
};

struct hidden {
	const char *path;
	size_t length;
};

struct wishes {
	struct plan *plan;
	struct arena *arena;
	struct places places;
	struct resolver *resolver;
	struct wish *list, **sorted; // `sorted` points to each, in the order they came
	unsigned count;
	struct hidden *hidden; // also of paths that do not exist
	unsigned hidden_count;
	struct gitnamed named; // by git's configuration
	bool named_all;        // that of the user and the machine, too
	bool shown;            // one of them is in the box
	struct list secrets;   // files of secrets that it names
	struct names names;    // of the root whose names are being protected
	struct list tops;      // of repositories, or where one could be made
	struct list opened;    // names in the project that the user named as writable
	unsigned walked;       // entries that patterns have looked at, and the time that took
	long walked_milliseconds;
};

int wishes_add(struct wishes *wishes, const struct mount *mount, bool pinned);
int wishes_add_wall(struct wishes *wishes, const struct mount *mount);
// A path that is written out: 1 wished for, 0 it does not exist.
int wishes_add_path(struct wishes *wishes, const char *path, struct origin from,
		    enum access access);
// The real path of something that need not exist.
int wishes_resolve_new(struct wishes *wishes, const char *path, struct origin from,
		       const char **ret_path, struct identity *ret_identity);
// Whether the home's listing alone says that a path of a profile ("~/x") does not exist. False when
// it may.
bool wishes_lack(const struct wishes *wishes, const char *text);
int wishes_add_links(struct wishes *wishes, const struct resolved *resolved, struct origin from);
