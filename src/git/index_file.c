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

static int read_from(struct arena *arena, const struct index_file *index, const char *name,
		     size_t most, const char **ret_text, size_t *ret_length)
{
	int result = 0;
	for (unsigned i = 0; i < index->place_count && result == 0; i++)
		result = file_read(index->places[i], name, 0, most, arena, ret_text, ret_length);
	return result;
}

// One that is missing, or that git could not read, has no value.
static void read_config(struct arena *arena, const struct index_file *index, const char *name,
			struct gitconfig *ret_config)
{
	const char *text;
	size_t length;
	*ret_config = (struct gitconfig){ 0 };
	if (read_from(arena, index, name, GITCONFIG_BYTES_MAX, &text, &length) > 0)
		(void)ATTEMPT(gitconfig_ask(arena, text, length, ret_config));
}

static unsigned read_settings(struct arena *arena, struct index_file *index)
{
	static const char sparse[] = "core.sparsecheckout";
	struct gitconfig shared, own;
	char text[GIT_POINTER_MAX], path[PATH_MAX];
	const char *common = NULL;
	for (unsigned i = 0; i < index->place_count && !common; i++)
		common = git_read_pointer(index->places[i], "commondir", "", text);
	str_put(path, sizeof(path), "%s/config", common ? common : ".");
	read_config(arena, index, path, &shared);
	read_config(arena, index, "config.worktree", &own);
	const char *value = gitconfig_value(&own, sparse),
		   *format = gitconfig_value(&shared, "extensions.objectformat");
	value = value ? value : gitconfig_value(&shared, sparse);
	index->sparse = value && !str_equal(value, "false");
	return format && strcasecmp(format, "sha256") == 0 ? SHA256_BYTES : SHA1_BYTES;
}

static int ask(struct arena *arena, int fd, size_t size, unsigned hash, struct index_file *index,
	       unsigned kinds)
{
	struct gitindex_vetted *vetted = &index->vetted;
	uint32_t marks[3] = { 0 };
	TRY(gitindex_ask(arena, fd, size, hash, index, kinds, &index->rows));
	rows_each (row, &index->rows)
		if (row->kind == ROW_MARKS) {
			memcpy(marks, row->text, sizeof(marks));
		} else if (row->kind == ROW_INDEX) {
			vetted->text = (const unsigned char *)row->text;
			vetted->length = row->length;
		}
	vetted->bad = rows_text(&index->rows, ROW_REFUSED);
	vetted->shared = rows_text(&index->rows, ROW_SHARED);
	vetted->unchanged = marks[0];
	vetted->absent = marks[1];
	vetted->touched = marks[2];
	return 0;
}

const char *index_file_judge(struct arena *arena, int fd, const struct stat *status,
			     struct index_file *index)
{
	static const char unread[] = "is not an index that git can read";
	static const unsigned part = ROW_BIT(ROW_MARKS) | ROW_BIT(ROW_REFUSED) |
				     ROW_BIT(ROW_SHARED),
			      all = part | ROW_BIT(ROW_INDEX) | ROW_BIT(ROW_TRACKED);
	struct stat other;
	if (status->st_size > INDEX_FILE_MAX)
		return "is too large to be checked";
	unsigned hash = read_settings(arena, index);
	if (ATTEMPT(ask(arena, fd, (size_t)status->st_size, hash, index, all)) < 0)
		return unread;
	const char *bad = index->vetted.bad;
	if (index->vetted.shared && !bad) {
		struct index_file rest = { .since = index->since };
		autoclose int shared = -1;
		for (unsigned i = 0; i < index->place_count && shared < 0; i++)
			shared = file_open(index->places[i], index->vetted.shared, 0, &other);
		if (shared < 0 || other.st_size > INDEX_FILE_MAX ||
		    ATTEMPT(ask(arena, shared, (size_t)other.st_size, hash, &rest, part)) < 0 ||
		    rest.vetted.shared)
			return unread;
		index->rest = rest.vetted;
		bad = index->rest.bad;
	}
	return bad ? arena_text(arena, "has an entry that git does not write ('%s')", bad) : NULL;
}
