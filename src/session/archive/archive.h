// A session as a tar archive in the form of an OCI layer, and an archive as a session.
//
// The room session/archive owns export, import and cp. Uses: base git names nouns session/apply
// session/compare session/store text. Begin with archive.c.
#pragma once

#include "session/store/store.h"

struct out;

// Everything that the session has written, by absolute paths, with whiteouts (".wh.NAME",
// ".wh..wh..opq"). A file of such a name would be a removal to a reader: it is left
// out and reported. The session is held alone.
int archive_write(struct store *store, const struct held *held, int fd, struct out *notes);

// A session over `project` with what the archive holds. Paths below the project it was made of,
// or below this one, go to the project; those below `home`, /tmp and /var/tmp to the session's own;
// all others are left out and reported, as are devices. -1: damaged, or a path that leads out; then
// there is no session.
int archive_read(struct store *store, const char *name, const char *project, const char *home,
		 int fd, struct out *notes);
