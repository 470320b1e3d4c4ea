// A session as a tar archive in the form of an OCI layer, and an archive as a session.
//
// The room session/archive owns export, import and cp. Uses: base git names nouns session/apply
// session/compare session/store text. Begin with archive.c.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "session/apply/apply.h"
#include "session/store/store.h"

struct arena;
struct out;

// Everything that the session has written, by absolute paths, with whiteouts (".wh.NAME",
// ".wh..wh..opq"). A file of such a name would be a removal to a reader: it is left
// out and reported. ACLs and extended attributes are not in it: the modes give nobody more. The
// session is held alone.
int archive_write(struct store *store, const struct held *held, int fd, struct out *notes);

// A session over `project` with what the archive holds. Paths below the project it was made of,
// or below this one, go to the project; those below `home`, /tmp and /var/tmp to the session's own;
// all others are left out and reported, as are devices. -1: damaged, or a path that leads out; then
// there is no session.
int archive_read(struct store *store, const char *name, const char *project, const char *home,
		 int fd, struct out *notes);

// The bytes of an archive that is read, and the files that they become.

// All of them, or -1 with the error said.
int content_bytes(int archive, void *bytes, size_t length);

// What belongs to an entry of that size, with its padding.
int content_skip(int archive, uint64_t size);

// Into an empty file that is open for writing. Blocks of zeros become holes.
int content_copy(int archive, int to, uint64_t size);

// Files copied into a session and out of one, while no command runs in it.

// `path` is one of the box's: absolute, or relative to the project. Into a directory that is there
// the thing goes by its own name. Never through a symlink, on either side.
int transfer_in(struct store *store, struct held *held, const char *source, const char *path);
// To the host: what its own programs would run or trust (a git repository at any depth, and below
// `path` the names that projects' programs look for, and the files that settings name in commands)
// is left out and reported, unless forced or the host's own.
int transfer_out(struct store *store, const struct held *held, const char *path, const char *target,
		 enum force force, struct out *notes);
