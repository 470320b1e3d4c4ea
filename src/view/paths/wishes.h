// What the profile, the project and sbx itself want in the view, one wish per path, unsorted.
//
// The room view/paths owns the paths that a box may see: where they come from and how they
// resolve. Uses: base git names nouns text. Begin with wishes.h.
#pragma once

#include "git/gitnamed.h"
#include "plan.h"
#include "view/paths/dirindex.h"
#include "view/paths/resolve.h"

enum { WISHES_MAX = 1536 };

struct wish {
	struct mount mount;
	bool pinned;  // made even when it changes nothing: a mount point cannot be renamed
	bool covered; // by a secret that was named after it
	bool wall;    // made by sbx to protect: does not mean that a line names the path
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
	struct list files;     // and other files: `named` of gitsecret.h
	struct list brought;   // what came along with its name (view/secrets/brought.h)
	struct names names;    // of the root whose names are being protected
	struct list tops;      // of repositories, or where one could be made
	struct list opened;    // names in the project that the user named as writable
	bool searched;         // the project, for its patterns
	struct pattern_match *matches;
	unsigned match_count, match_room;
};

int wishes_add(struct wishes *wishes, const struct mount *mount, bool pinned);
int wishes_add_wall(struct wishes *wishes, const struct mount *mount);
// A path that is written out: 1 wished for, 0 it does not exist.
int wishes_add_path(struct wishes *wishes, const char *path, struct origin from,
		    enum access access);
// The real path of something that need not exist: 1, or -1.
int wishes_resolve_new(struct wishes *wishes, const char *path, struct origin from,
		       const char **ret_path, struct identity *ret_identity);
// Whether the home's listing alone says that a path of a profile ("~/x") does not exist. False when
// it may.
bool wishes_lack(const struct wishes *wishes, const char *text);
int wishes_add_links(struct wishes *wishes, const struct resolved *resolved, struct origin from);
// Makes the links on a way stay as they are, from the one with that number on. What they lead to
// does not become read-only.
int wishes_keep_links(struct wishes *wishes, const struct resolved *resolved, unsigned first,
		      struct origin from);

// What the box will see at `path`, by the wishes so far; NULL: nothing of anybody's.
const struct mount *wishes_seen(const struct wishes *wishes, const char *path);
// Whether the box changes the host's file when it writes there.
bool wishes_is_reached(const struct wishes *wishes, const char *path);
// Whether somebody wrote this very path after the line of that order.
bool wishes_is_named(const struct wishes *wishes, const char *path, unsigned order);
// Whether the box sees the host's file there.
bool wishes_is_seen(const struct wishes *wishes, const char *path);
// Whether what it writes there goes to a session.
bool wishes_is_lasting(const struct wishes *wishes, const char *path);
// Whether it goes to an overlay, of a session or of this run: the host's files cannot be changed.
bool wishes_is_scratch(const struct wishes *wishes, const char *path);
// Whether a line hides it, of those that were gone through.
bool wishes_is_hidden(const struct wishes *wishes, const char *path);

// Whether a line is built in and a variable of the caller names its place.
bool wishes_is_by_variable(const struct item *item);
// Whether such a line is left out: the box has that place, or something below it, or it is no
// directory.
bool wishes_is_taken(const struct wishes *wishes, const struct item *item);

// In a session: makes the wish for a writable directory one for layers over it (source NULL: over
// nothing), and gives the session a root for it. A single file cannot be: -1.
int lasting_mount(struct wishes *wishes, struct mount *mount);

// A name in the project that the user opens himself, by a flag or a line with './': it is neither
// protected nor taken away, and need not be there. True where the box can make it.
bool opened_note(struct wishes *wishes, const struct item *item, const char *path);
bool opened_has(const struct wishes *wishes, const char *path);
