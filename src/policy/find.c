// Owns the search for profiles, the checks on their files, and the answers to words of other tools.
#include "policy/find.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "policy/keys.h"
#include "text/words.h"

const char find_system_directory[] = "/etc/sbx";

static int check_owner(const char *path, const struct stat *status)
{
	if (status->st_uid != 0 && status->st_uid != geteuid())
		return fail(0, "%s: belongs to uid %u, expected yours or root's", path,
			    (unsigned)status->st_uid);
	if (status->st_mode & (S_IWOTH | S_IWGRP) && status->st_uid != 0)
		return fail(0, "%s: is writable by others; chmod go-w %s", path, path);
	return 0;
}

int find_read_file(struct arena *arena, const char *path, struct source *ret_source)
{
	struct stat status;
	struct source source = { .file = path };
	autoclose int fd = file_open(AT_FDCWD, path, FILE_LINK, &status);
	if (fd < 0)
		return file_failed(path, INI_BYTES_MAX);
	TRY(check_owner(path, &status));
	if (file_read_open(fd, &status, INI_BYTES_MAX, arena, &source.text, &source.length) < 0)
		return file_failed(path, INI_BYTES_MAX);
	source.names = status.st_nlink;
	TRY(ini_read(arena, path, source.text, source.length, &source.rows));
	*ret_source = source;
	return 0;
}

static bool find_is_builtin(const char *name)
{
	for (unsigned i = 0; i < builtin_count; i++)
		if (str_equal(builtins[i].name, name))
			return true;
	return false;
}

bool find_leans(const struct source *source, const char *name)
{
	for (unsigned i = 0; i < source->rows.count; i++) {
		const struct ini_row row = ini_at(&source->rows, i);
		if (str_equal(row.section, "files") &&
		    str_has_word("read write project", row.name, strlen(row.name)))
			return false;
	}
	return !ini_value(&source->rows, "profile", "extends") && find_is_builtin(name);
}

static int find_builtin(struct arena *arena, const char *name, struct source *ret_source)
{
	for (unsigned i = 0; i < builtin_count; i++) {
		if (!str_equal(builtins[i].name, name))
			continue;
		ret_source->level = LEVEL_BUILT_IN;
		ret_source->file = arena_text(arena, "%s.ini (built in)", name);
		ret_source->text = builtins[i].text;
		ret_source->length = strlen(builtins[i].text);
		ret_source->rows = builtins[i].rows;
		return 1;
	}
	return 0;
}

bool find_system_hidden(void)
{
	struct stat status;
	return stat(find_system_directory, &status) == 0 && S_ISDIR(status.st_mode) &&
	       (status.st_mode & 0777) == 0;
}

// Returns 0 if there is no such file, -1 if it must not be used.
static int find_in(struct arena *arena, const char *directory, const char *name, enum level level,
		   struct source *ret_source)
{
	if (!directory)
		return 0;
	char *path = arena_text(arena, "%s/%s.ini", directory, name);
	if (access(path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR ||
				       (level == LEVEL_SYSTEM && find_system_hidden())))
		return 0;
	TRY(find_read_file(arena, path, ret_source));
	ret_source->level = level;
	return 1;
}

static int not_found(const char *name)
{
	struct near near = { .word = name };
	const char *shown = str_shown(name),
		   *answer = foreign_answer(FOREIGN_PROFILE, VERBS_ALL, name, strlen(name));
	for (unsigned i = 0; i < builtin_count; i++)
		near_consider(&near, builtins[i].name);
	if (name[0] && name[strspn(name, "0123456789:")] == '\0')
		return fail(0, "no profile '%.80s'; a port: --publish PORT[:HOST-PORT]", shown);
	if (access(name, F_OK) == 0)
		return fail(0, "no profile '%.80s'; a file has a '/': -p ./%.80s", shown, shown);
	if (answer)
		return fail(0, "no profile '%.80s': %s", shown, answer);
	if (near.found)
		return fail(0, "no profile '%.80s', did you mean '%s'?", shown, near.found);
	return fail(0, "no profile '%.80s'; see: sbx profile list", shown);
}

int find_profile(struct arena *arena, const char *config, const char *name, enum level from,
		 struct source *ret_source)
{
	int found = 0;
	if (strchr(name, '/')) {
		TRY(find_read_file(arena, name, ret_source));
		ret_source->level = LEVEL_FILE;
		if (ret_source->names > 1)
			return fail(0,
				    "%s: has another name (a hard link), by which a command could "
				    "change it; use a copy",
				    name);
		return 0;
	}
	if (!found && from <= LEVEL_USER)
		TRY(found = find_in(arena, config, name, LEVEL_USER, ret_source));
	if (!found && from <= LEVEL_SYSTEM)
		TRY(found = find_in(arena, find_system_directory, name, LEVEL_SYSTEM, ret_source));
	if (!found && from <= LEVEL_BUILT_IN)
		found = find_builtin(arena, name, ret_source);
	return found ? 0 : not_found(name);
}

static const struct foreign {
	enum foreign_kind kind;
	unsigned verbs;
	const char *words, *answer;
} foreign[] = {
#define OPTION(words, answer)    { FOREIGN_OPTION, VERBS_BOX, words, answer },
#define OF(verbs, words, answer) { FOREIGN_OPTION, verbs, words, answer },
#define SAME(words, flag)        { FOREIGN_SAME, VERBS_ALL, words, flag },
#define VERB(words, answer)      { FOREIGN_VERB, VERBS_ALL, words, answer },
#define PROFILE(words, answer)   { FOREIGN_PROFILE, VERBS_ALL, words, answer },
#define ACTION(words, answer)    { FOREIGN_ACTION, VERB_SESSION, words, answer },
#include "policy/foreign.def"
};

const char *foreign_answer(enum foreign_kind kind, unsigned verbs, const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		if (foreign[i].kind == kind && (foreign[i].verbs & verbs) &&
		    str_has_word(foreign[i].words, word, length))
			return foreign[i].answer;
	return NULL;
}
