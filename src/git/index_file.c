// Owns the reading of an index that a box may have written, with what it needs of its repository.
#include "git/gitindex.h"

#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitconfig.h"
#include "git/recognise.h"
#include "text/sha.h"

struct judging {
	struct arena *arena;
	struct index_file *index;
	const char *config, *own, *bytes;
	size_t config_length, own_length, length;
	unsigned hash;
	bool good;
};

static const char *value_of(const struct judging *judging, const char *text, size_t length,
			    const char *name)
{
	struct gitconfig config;
	return gitconfig_parse(judging->arena, text, length, &config) == 0
		       ? gitconfig_value(&config, name)
		       : NULL;
}

static void vet(void *argument)
{
	static const char sparse[] = "core.sparsecheckout";
	struct judging *judging = argument;
	struct index_file *index = judging->index;
	const char *format = value_of(judging, judging->config, judging->config_length,
				      "extensions.objectformat");
	const char *all = value_of(judging, judging->config, judging->config_length, sparse),
		   *own = value_of(judging, judging->own, judging->own_length, sparse);
	own = own ? own : all;
	index->sparse = own && !str_equal(own, "false");
	judging->hash = format && strcasecmp(format, "sha256") == 0 ? SHA256_BYTES : SHA1_BYTES;
	judging->good = gitindex_vet(judging->arena, judging->bytes, judging->length, judging->hash,
				     index->since, &index->vetted) == 0;
	if (judging->good && index->name_count > 0)
		gitindex_find(judging->arena, judging->bytes, judging->length, index->names,
			      index->name_count, &index->entries, &index->entry_count);
}

static void vet_shared(void *argument)
{
	struct judging *judging = argument;
	struct index_file *index = judging->index;
	judging->good = gitindex_vet(judging->arena, judging->bytes, judging->length, judging->hash,
				     index->since, &index->rest) == 0 &&
			!index->rest.shared;
}

static int read_from(const struct judging *judging, const char *name, size_t most,
		     const char **ret_text, size_t *ret_length)
{
	int result = 0;
	for (unsigned i = 0; i < judging->index->place_count && result == 0; i++)
		result = file_read(judging->index->places[i], name, 0, most, judging->arena,
				   ret_text, ret_length);
	return result;
}

static void read_config(struct judging *judging)
{
	char text[GIT_POINTER_MAX], path[PATH_MAX];
	const char *shared = NULL;
	for (unsigned i = 0; i < judging->index->place_count && !shared; i++)
		shared = git_read_pointer(judging->index->places[i], "commondir", "", text);
	if (!str_put(path, sizeof(path), "%s/config", shared ? shared : ".") ||
	    read_from(judging, path, GITCONFIG_BYTES_MAX, &judging->config,
		      &judging->config_length) <= 0)
		judging->config = "";
	if (read_from(judging, "config.worktree", GITCONFIG_BYTES_MAX, &judging->own,
		      &judging->own_length) <= 0)
		judging->own = "";
}

const char *index_file_judge(struct arena *arena, int fd, const struct stat *status,
			     struct index_file *index)
{
	static const char unread[] = "is not an index that git can read";
	struct judging *volatile judging = arena_take(arena, sizeof(*judging));
	*judging = (struct judging){ .arena = arena, .index = index };
	if (status->st_size > INDEX_FILE_MAX)
		return "is too large to be checked";
	read_config(judging);
	const char *text;
	size_t length;
	if (file_read_open(fd, status, INDEX_FILE_MAX, arena, &text, &length) <= 0)
		return unread;
	judging->bytes = text;
	judging->length = length;
	if (ATTEMPT(locked_run(vet, judging)) < 0 || !judging->good)
		return unread;
	const char *bad = index->vetted.bad;
	if (index->vetted.shared && !bad) {
		judging->good = false;
		if (read_from(judging, index->vetted.shared, INDEX_FILE_MAX, &text, &length) <= 0)
			return unread;
		judging->bytes = text;
		judging->length = length;
		if (ATTEMPT(locked_run(vet_shared, judging)) < 0 || !judging->good)
			return unread;
		bad = index->rest.bad;
	}
	return bad ? arena_text(arena, "has an entry that git does not write ('%s')", bad) : NULL;
}
