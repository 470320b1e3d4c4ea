// Owns the precedence of the administrator's lines over all others.
#include "policy/find.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "policy/keys.h"
#include "profile.h"

enum { NOBODY = 65534 }; // owner of files that a user namespace does not map

static const char file_name[] = "locked.ini";

static int check(const char *path, const struct stat *status, bool inside)
{
	if (status->st_uid != 0 && !(inside && status->st_uid == NOBODY))
		return fail(0, "%s: belongs to uid %u, expected root; nothing runs until it does",
			    path, (unsigned)status->st_uid);
	if (status->st_mode & (S_IWGRP | S_IWOTH))
		return fail(0, "%s: is writable by others; chmod go-w %s", path, path);
	return 0;
}

static int read_file(struct arena *arena, bool inside, struct source *source)
{
	struct stat status;
	autoclose int directory = open(find_system_directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0) {
		int problem = errno;
		bool outer = inside && find_system_hidden(); // the outer sbx applies these lines
		return problem == ENOENT || outer
			       ? 0
			       : fail(problem, "open '%s'", find_system_directory);
	}
	source->file = arena_text(arena, "%s/%s", find_system_directory, file_name);
	autoclose int fd = file_open(directory, file_name, 0, &status);
	if (fd < 0 && file_missing())
		return 0;
	if (fd < 0)
		return file_failed(source->file, INI_BYTES_MAX);
	TRY(check(source->file, &status, inside));
	if (file_read_open(fd, &status, INI_BYTES_MAX, arena, &source->text, &source->length) < 0)
		return file_failed(source->file, INI_BYTES_MAX);
	if (fstat(directory, &status) < 0)
		return fail(errno, "%s", find_system_directory);
	TRY(check(find_system_directory, &status, inside));
	TRY(ini_read(arena, source->file, source->text, source->length, &source->rows));
	return 1;
}

static bool is_number(const struct key *key)
{
	return key->tightens == TIGHTENS_LESS && key->kind != KEY_WORD;
}

static uint64_t number_of(const struct key *key, const struct profile *profile)
{
	uint64_t number;
	memcpy(&number, (const char *)profile + key->offset, sizeof(number));
	return number;
}

static bool loosens(const struct key *key, const char *text, const struct profile *alone)
{
	return key->tightens == TIGHTENS_NEVER || (key->kind == KEY_LIST && text[0] == '\0') ||
	       (is_number(key) && number_of(key, alone) == UNLIMITED);
}

// The smaller number wins. The limit is best effort ('?') only if no strict one is set.
static int lock_number(struct arena *arena, const struct key *key, const char *text,
		       struct origin from, const struct profile *alone, struct profile *profile)
{
	uint64_t now = number_of(key, profile);
	bool soft = (now == UNLIMITED || (profile->limits.soft & key->soft)) &&
		    (alone->limits.soft & key->soft);
	if (number_of(key, alone) <= now)
		TRY(value_set(key, profile, arena, text, from));
	profile->limits.soft &= ~key->soft;
	if (soft)
		profile->limits.soft |= key->soft;
	return 0;
}

static int lock(struct arena *arena, const struct ini_row *row, struct origin from,
		struct profile *profile)
{
	const struct key *key = key_find(row->section, row->name);
	struct profile alone = { 0 };
	if (!key)
		return merge_unknown_key(arena, row, from);
	TRY(value_set(key, &alone, arena, row->value, from));
	if (loosens(key, row->value, &alone))
		return fail(0, "%s'%.40s' can loosen a box; this file only tightens",
			    origin_text(arena, from), row->name);
	if (is_number(key))
		return lock_number(arena, key, row->value, from, &alone, profile);
	return tighten_is(key, row->value, &alone, profile)
		       ? value_set(key, profile, arena, row->value, from)
		       : 0;
}

int locked_merge(struct arena *arena, bool inside, struct profile *profile, struct list *notes,
		 unsigned *ret_lines)
{
	struct source source = { .level = LEVEL_SYSTEM };
	int found = read_file(arena, inside, &source);
	*ret_lines = 0;
	if (found <= 0)
		return found;
	for (unsigned i = 0; i < source.rows.count; i++) {
		const struct ini_row row = ini_at(&source.rows, i);
		struct origin from = { source.file, row.line, ORDER_LOCKED + i };
		TRY(lock(arena, &row, from, profile));
	}
	*ret_lines = source.rows.count;
	list_add(notes, arena,
		 arena_text(arena, "%u line%s of %s hold; profiles and flags do not change them",
			    source.rows.count, source.rows.count == 1 ? "" : "s", source.file),
		 (struct origin){ .file = "locked" });
	return 0;
}
