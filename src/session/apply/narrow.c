// Owns the limit of modes, and the rights that are the host's to say.
#include "session/apply/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"

static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

int apply_rights(const struct applying *applying, const struct change *change, int to,
		 const char *name)
{
	const struct store *store = applying->store;
	int parent = applying->parent.fd;
	bool replaces = S_ISREG(change->was.st_mode) && S_ISREG(change->is.st_mode);
	if (S_ISLNK(change->is.st_mode) || (!replaces && !applying->parent.gives))
		return 0;
	autoclose int host = replaces ? openat(parent, path_name(change->path), flags) : -1;
	if (host >= 0 && !rights_differ(to, name, host))
		return 0;
	autoclose int made = openat(to, name, flags);
	if (made < 0 || (replaces && host < 0))
		return fail(errno, "the rights of '%s'", str_shown(change->path));
	return replaces ? rights_keep(store, made, host, change->is.st_mode)
			: rights_inherit(store, made, parent);
}

int apply_rights_copy(const struct applying *applying, int from, const char *source, int to,
		      const char *name)
{
	autoclose int is = openat(from, source, flags), made = openat(to, name, flags);
	if (is < 0 || made < 0)
		return fail(errno, "the rights of '%s'", str_shown(source));
	return rights_copy(applying->store, made, is);
}

void narrow_mode(struct applying *applying, struct change *change)
{
	struct narrowed *narrowed = &applying->narrowed;
	mode_t *mode = &change->is.st_mode, was = change->was.st_mode;
	narrowed->set += S_ISREG(*mode) && (*mode & (S_ISUID | S_ISGID));
	*mode &= S_ISREG(*mode) ? ~(mode_t)(S_ISUID | S_ISGID) : ~(mode_t)0;
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
