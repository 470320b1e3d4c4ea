// Owns the limit of modes.
#include "session/apply/stage.h"

#include <sys/stat.h>

#include "base/out.h"
#include "base/quote.h"

void narrow_mode(struct applying *applying, struct change *change)
{
	struct narrowed *narrowed = &applying->narrowed;
	mode_t *mode = &change->is.st_mode, was = change->was.st_mode;
	bool same = ((*mode ^ was) & S_IFMT) == 0;
	mode_t more = *mode & narrowed->umask & 077 & ~(same ? was : 0);
	bool given = !same && applying->parent.gives == RIGHTS_ACL;
	if (!more || given || S_ISLNK(*mode) || change->kind == CHANGE_REMOVED)
		return;
	if (narrowed->count++ == 0) {
		narrowed->first = change;
		narrowed->mode = *mode;
	}
	*mode &= ~more;
}

void narrow_tell(const struct applying *applying, const char *first, struct out *notes)
{
	const struct narrowed *narrowed = &applying->narrowed;
	out_text(notes, "sbx: %s has mode %o and not %o, as your umask is %03o", first,
		 narrowed->first->is.st_mode & 07777, narrowed->mode & 07777, narrowed->umask);
	if (narrowed->count > 1)
		out_text(notes, "; the same of %u more", narrowed->count - 1);
	const char *word = quote_fix(applying->store->arena, first);
	if (word)
		out_text(notes, "; to change it: chmod %o %s", narrowed->mode & 07777, word);
	out_text(notes, "\n");
}
