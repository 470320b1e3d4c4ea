// The environment of git and of the pager that it starts: the caller's, without what a box of the
// session's project can write.
#pragma once

struct arena;
struct session;

// PATH keeps absolute directories outside of the session's; GIT_PAGER and PAGER go where they name
// a file in one of these; of the other GIT_* nothing is kept. Git then takes less, as it does.
char **viewer_environment(struct arena *arena, const struct session *session);
