// Owns the reading of an index that a box may have written, and of its repository's settings.
#include "git/gitindex.h"

#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitconfig.h"
#include "git/git.h"
#include "text/sha.h"

static int read_from(struct arena *arena, const struct index_file *index, const char *name,
		     size_t most, const char **ret_text, size_t *ret_length)
{
	int result = 0;
	for (unsigned i = 0; i < index->place_count && result == 0; i++)
		result = file_read(index->places[i], name, 0, most, arena, ret_text, ret_length);
	return result;
}

// A missing or unreadable file has no value.
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

struct vetting {
	uint32_t since, hash, whole; // whole 0: the shared part of a split index
};

// An entry has a file's metadata of the time when git wrote it, and zeros where git could not
// write. A user's later changes do not alter the entry.
static bool is_unwritten(const struct gitindex_entry *entry)
{
	return !entry->skipped && !entry->directory && entry->stage == 0 && entry->size == 0 &&
	       entry->seconds == 0 && entry->nanoseconds == 0;
}

// The names, each with its NUL, are at the end of the question.
static void find_names(const struct apart_text *question, const char *bytes, const char *at)
{
	const struct gitindex_entry *entries = NULL;
	unsigned count = 0, name_count = 0;
	const char **names = arena_take(question->arena, question->length * sizeof(*names));
	for (; at < question->text + question->length; at += strlen(at) + 1)
		names[name_count++] = at;
	if (name_count > 0)
		gitindex_find(question->arena, bytes, question->file_length, names, name_count,
			      &entries, &count);
	for (unsigned i = 0; i < count; i++)
		if (row_is_below(entries[i].path))
			row_put(question->answer, ROW_TRACKED, is_unwritten(&entries[i]),
				entries[i].path, strlen(entries[i].path));
}

static void vet(struct apart_text *question)
{
	struct out *answer = question->answer;
	const char *bytes = apart_file(question);
	struct gitindex_vetted vetted;
	struct vetting how;
	memcpy(&how, question->text, sizeof(how));
	if (!bytes ||
	    gitindex_vet(question->arena, bytes, question->file_length, how.hash, how.since,
			 &vetted) < 0 ||
	    (!how.whole && vetted.shared)) {
		row_text(answer, ROW_FAILED, "not an index");
		return;
	}
	if (!how.whole)
		vetted.shared =
			gitindex_own(question->arena, bytes, question->file_length, how.hash);
	const uint32_t marks[] = { vetted.unchanged, vetted.skipped, vetted.touched,
				   (uint32_t)vetted.sum, (uint32_t)(vetted.sum >> 32) };
	row_put(answer, ROW_MARKS, 0, marks, sizeof(marks));
	if (vetted.bad)
		row_text(answer, ROW_REFUSED, vetted.bad);
	if (vetted.shared)
		row_text(answer, ROW_SHARED, vetted.shared);
	if (vetted.text && how.whole)
		row_put(answer, ROW_INDEX, 0, vetted.text, vetted.length);
	find_names(question, bytes, question->text + sizeof(how));
}

static void take_rows(const struct rows *rows, struct gitindex_vetted *vetted)
{
	uint32_t marks[5] = { 0 };
	rows_each (row, rows)
		if (row->kind == ROW_MARKS) {
			memcpy(marks, row->text, sizeof(marks));
		} else if (row->kind == ROW_INDEX) {
			vetted->text = (const unsigned char *)row->text;
			vetted->length = row->length;
		}
	vetted->bad = rows_text(rows, ROW_REFUSED);
	vetted->shared = rows_text(rows, ROW_SHARED);
	vetted->unchanged = marks[0];
	vetted->skipped = marks[1];
	vetted->touched = marks[2];
	vetted->sum = (uint64_t)marks[4] << 32 | marks[3];
}

static int ask(struct arena *arena, int fd, off_t size, unsigned hash, struct index_file *index)
{
	static const unsigned kinds = ROW_BIT(ROW_MARKS) | ROW_BIT(ROW_REFUSED) |
				      ROW_BIT(ROW_SHARED) | ROW_BIT(ROW_INDEX) |
				      ROW_BIT(ROW_TRACKED);
	const struct vetting how = { index->since, hash, !index->name };
	struct out text = { 0 };
	out_bytes(&text, (const char *)&how, sizeof(how));
	for (unsigned i = 0; i < index->name_count; i++)
		out_bytes(&text, index->names[i], strlen(index->names[i]) + 1);
	const struct apart_text question = {
		.text = text.text, .length = text.used, .file = fd, .file_length = (size_t)size
	};
	int result = apart_ask(APART_OTHERS, vet, &question, kinds, arena, &index->rows);
	out_free(&text);
	if (result == 0)
		take_rows(&index->rows, &index->vetted);
	return result;
}

const char *index_file_judge(struct arena *arena, int fd, const struct stat *status,
			     struct index_file *index)
{
	static const char unread[] = "is not an index that git can read",
			  unwritten[] = "is not an index that git wrote";
	struct stat other;
	if (status->st_size > INDEX_FILE_MAX)
		return "is too large to be checked";
	off_t hole = lseek(fd, 0, SEEK_HOLE);
	if (hole >= 0 && hole < status->st_size) // a hole costs a box nothing, and much time to
						 // read
		return unwritten;
	unsigned hash = read_settings(arena, index);
	if (ATTEMPT(ask(arena, fd, status->st_size, hash, index)) < 0)
		return unread;
	const char *bad = index->vetted.bad, *shared = index->vetted.shared;
	if (index->name && (!shared || !str_equal(shared, index->name)))
		return unwritten;
	if (!index->name && shared && !bad) {
		struct index_file rest = *index;
		autoclose int file = -1;
		rest.name = shared;
		rest.name_count = 0;
		for (unsigned i = 0; i < index->place_count && file < 0; i++)
			file = file_open(index->places[i], shared, 0, &other);
		const char *why = file < 0 ? unread : index_file_judge(arena, file, &other, &rest);
		index->rest = rest.vetted;
		return why;
	}
	return bad ? arena_text(arena, "has an entry that git does not write ('%s')", bad) : NULL;
}

bool index_file_is(int fd)
{
	char begins[4];
	return pread(fd, begins, sizeof(begins), 0) == sizeof(begins) &&
	       memcmp(begins, "DIRC", sizeof(begins)) == 0;
}

bool index_file_sum(int directory, uint64_t *ret_sum)
{
	struct stat status;
	struct index_file index = { .places = &directory, .place_count = 1, .since = 1 };
	autoclose int fd = file_open(directory, "index", 0, &status);
	if (!index_file_is(fd) || status.st_size > INDEX_FILE_MAX)
		return false;
	struct arena *arena = arena_new_of(INDEX_FILE_ARENA(status.st_size));
	bool good = !index_file_judge(arena, fd, &status, &index);
	*ret_sum = index.vetted.sum;
	arena_free(arena);
	return good;
}
