// Owns the finding, reading and writing of a profile file that gets lines.
#include "cli/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "names/names.h"
#include "policy/keys.h"
#include "text/words.h"

int profile_file_find(struct arena *arena, const char *config, const char *word,
		      struct profile_file *ret_file)
{
	char current[PATH_MAX] = "/";
	bool slash = strchr(word, '/');
	struct profile_file file = { .directory = -1, .given = word, .before = "" };
	if (!slash && str_ends(word, ".ini"))
		file.given = arena_text(arena, "./%s", word);
	else if (!slash)
		file.whole = arena_text(arena, "%s/%s.ini", config, word);
	if (!file.whole && word[0] != '/' && !getcwd(current, sizeof(current)))
		return fail(errno, "the current directory");
	if (!file.whole)
		file.whole = path_join(arena, arena_text(arena, "%s", current), word);
	TRY(owned_follow(arena, file.whole, &file.path));
	file.name = path_name(file.path);
	const char *parent = path_parent(arena, file.path);
	file.directory = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (file.directory < 0 && errno == ENOENT)
		TRY(file.directory = owned_directory(parent));
	if (file.directory < 0)
		return fail(errno, "the directory of '%s'", str_shown(file.path));
	*ret_file = file;
	return 0;
}

int profile_file_read(struct arena *arena, const struct profile_file *file, const char **ret_text)
{
	const char *text;
	size_t length;
	struct ini_rows rows;
	if (file_read(file->directory, file->name, 0, INI_BYTES_MAX, arena, &text, &length) < 0)
		return file_failed(file->path, INI_BYTES_MAX);
	TRY(ini_read(arena, file->path, text, length, &rows));
	*ret_text = text;
	return 0;
}

int profile_file_write(struct arena *arena, const char *state, const struct profile_file *file,
		       const char *text, struct out *out)
{
	TRY(owned_replace(file->directory, file->name, text, 0644));
	if (!str_printable(file->path) ||
	    given_add(state, arena_text(arena, "%s\n", file->path)) < 0)
		out_text(out,
			 "sbx: it could not be noted (%s): later runs can change it where they can "
			 "write\n",
			 err_taken());
	return 0;
}

void profile_file_say(const struct profile_file *file, const char *text, struct out *out)
{
	if (str_equal(file->before, text)) {
		out_text(out, "sbx: %s has all of it\n", file->path);
		return;
	}
	out_text(out, "sbx: added to %s:\n", file->path);
	diff_lines(out, file->before, text);
}
