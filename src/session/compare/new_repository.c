// Owns the search for a git directory's parts in the merged names of a directory.
#include "session/compare/changes.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "git/git.h"
#include "session/store/store.h"
#include "text/words.h"

// Returns the descriptor of the directory, a layer's or the host's, whose `name` is visible, or -1.
static int place_of(const struct merged *merged, int host, const char *name)
{
	struct stat status;
	for (unsigned i = 0; i < merged->count; i++)
		if (fstatat(merged->fds[i], name, &status, AT_SYMLINK_NOFOLLOW) == 0)
			return is_whiteout(&status) ? -1 : merged->fds[i];
	return merged->opaque ? -1 : host;
}

static bool is_repository(const struct merged *merged, int host)
{
	struct git_parts parts = { 0 };
	for (enum git_part part = GIT_HEAD; part < GIT_PARTS; part++) {
		int place = place_of(merged, host, git_part_names[part]);
		if (place >= 0)
			git_look(place, part, &parts);
	}
	return git_decide(&parts) != GIT_NONE;
}

enum repository repository_kind(const struct merged *merged, const char *name, int host)
{
	if (merged->count == 0)
		return REPOSITORY_NONE;
	if (host >= 0 && git_directory(host) != GIT_NONE)
		return REPOSITORY_OWN;
	return (host < 0 && component_is_git(name)) || is_repository(merged, host)
		       ? REPOSITORY_NEW
		       : REPOSITORY_NONE;
}

bool repository_is_part(const char *path)
{
	bool part = false;
	for (enum git_part each = GIT_HEAD; each < GIT_PARTS; each++)
		part = part || path_within(path, git_part_names[each]);
	return part;
}

const char *repository_in(const char *path)
{
	for (; !component_is_git(path); path++)
		if (!(path = strchr(path, '/')))
			return NULL;
	return path;
}

// Returns the part of the path below ".git/", or NULL.
static const char *inside_git(const char *path)
{
	const char *git = repository_in(path), *slash = git ? strchr(git, '/') : NULL;
	return slash ? slash + 1 : NULL;
}

bool repository_is_elsewhere(const char *path)
{
	const char *inside = inside_git(path);
	return !inside || !layout_is_nested(inside);
}

bool repository_loses(const char *path)
{
	const char *name = path_name(path);
	if (!repository_is_part(name) || name == path)
		return false;
	for (name--; name > path && name[-1] != '/'; name--)
		;
	return component_is_git(name);
}

bool repository_breaks(int directory, const char *name, const char *path, const struct stat *is)
{
	struct git_parts parts = { 0 };
	mode_t mode = is->st_mode;
	mode_t needed = S_ISDIR(mode) ? S_IRUSR | S_IXUSR : S_IRUSR;
	// Git writes through links in its directory, and waits for pipes.
	if (!S_ISREG(mode) && !S_ISDIR(mode) && inside_git(path))
		return true;
	if (component_is_git(name))
		return S_ISDIR(mode) && (mode & needed) != needed;
	if (!repository_loses(path))
		return false;
	if ((mode & needed) != needed)
		return true;
	git_look(directory, GIT_HEAD, &parts);
	return str_equal(name, git_part_names[GIT_HEAD]) && !parts.has[GIT_HEAD];
}

void repository_index(struct change *change, const struct merged *merged, const struct entry *entry,
		      int host)
{
	int places[CHAIN_MAX + 2];
	unsigned count = merged->count;
	const struct stat *status = &entry->status;
	bool shared = str_starts(entry->name, INDEX_SHARED);
	if (!S_ISREG(status->st_mode) || (!shared && !str_equal(entry->name, "index")))
		return;
	autoclose int fd = openat(merged->fds[entry->from], entry->name,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (place_of(merged, host, git_part_names[GIT_HEAD]) < 0 && !index_file_is(fd))
		return;
	memcpy(places, merged->fds, count * sizeof(*places));
	if (host >= 0 && !merged->opaque)
		places[count++] = host;
	struct arena *arena = arena_new_of(
		INDEX_FILE_ARENA(status->st_size < INDEX_FILE_MAX ? status->st_size : 0));
	struct index_file index = { .name = shared ? entry->name : NULL,
				    .places = places,
				    .place_count = count,
				    .since = 1 };
	change->index = true;
	change->refused = fd < 0 ? "cannot be read" : index_file_judge(arena, fd, status, &index);
	change->guarded = change->refused != NULL;
	if (!change->refused) {
		change->text = (const char *)index.vetted.text;
		change->length = index.vetted.length;
		change->sum = index.vetted.sum;
		if (!change->text)
			arena_free(arena);
	}
	if (shared || host < 0 || !index_file_sum(host, &change->was_sum))
		change->was_sum = 0;
}

bool repository_is_trace(const char *path)
{
	static const char names[] = "COMMIT_EDITMSG FETCH_HEAD ORIG_HEAD";
	const char *inside = inside_git(path);
	return inside && (str_has_word(names, inside, strlen(inside)) ||
			  (path_within(inside, "logs") && !path_within(inside, "logs/refs/stash")));
}

void repository_leave(struct changes *changes)
{
	bool more[ROOTS_MAX] = { false };
	for (unsigned i = 0; i < changes->count; i++) {
		struct change *change = &changes->list[i];
		bool left = change->trace && change->conflict && !change->guarded;
		change->inside |= left;
		change->guarded |= left;
		more[change->root] |= change->git && !change->index && !change->guarded;
	}
	for (unsigned i = 0; i < changes->count; i++) {
		struct change *change = &changes->list[i];
		change->left = change->index && change->git && change->conflict &&
			       !change->guarded && !more[change->root];
		change->guarded |= change->left;
		if (change->left)
			change->refused = "has changed on the host since, and the session has "
					  "committed nothing; then: git add";
	}
}
