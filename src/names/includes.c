// Owns the reading of such files, each once. No link is followed out of the tree.
#include "names/includes.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "names/mentions.h"
#include "names/naming.h"

static void add(struct includes *includes, const char *path, const struct naming_row *settings)
{
	for (unsigned i = 0; i < includes->count; i++)
		if (str_equal(includes->files[i].path, path))
			return;
	includes->full = includes->full || includes->count == INCLUDES_MAX;
	if (includes->count == INCLUDES_MAX)
		return;
	includes->files[includes->count].path = path;
	includes->files[includes->count++].settings = settings;
}

static void find_from(struct includes *includes, const char *base, const char *name)
{
	const char *path = mentions_path(includes->arena, includes->path, base, name);
	if (!path || !path_within(path, includes->path) || str_equal(path, includes->path))
		return;
	includes->found(includes, path);
	add(includes, path, includes->files[includes->at].settings);
}

// make stands at the top, the others beside the file (GNU make manual, 3.3; just manual, Imports).
static void find(struct mentions *mentions, const char *name, enum mention kind)
{
	(void)kind;
	struct includes *includes = mentions->owner;
	const char *beside = path_parent(includes->arena, includes->files[includes->at].path);
	includes->full = includes->full || includes->names == INCLUDES_NAMES_MAX;
	if (includes->names == INCLUDES_NAMES_MAX || strlen(name) >= PATH_MAX)
		return;
	includes->names++;
	find_from(includes, includes->path, name);
	if (!str_equal(beside, includes->path))
		find_from(includes, beside, name);
}

bool includes_read(struct includes *includes, const char *name, const struct naming_row *settings)
{
	static char text[NAMING_BYTES_MAX];
	size_t length;
	struct mentions mentions = { .found = find, .owner = includes };
	add(includes, path_below(includes->arena, includes->path, name), settings);
	for (; includes->at < includes->count; includes->at++) {
		const char *below = includes->files[includes->at].path + strlen(includes->path) + 1;
		if (file_read_into(includes->root, below, FILE_BENEATH | FILE_PART, text,
				   sizeof(text), &length) <= 0)
			continue;
		includes->full = includes->full || length == sizeof(text) - 1;
		naming_read(&mentions, includes->files[includes->at].settings, text, length);
	}
	return !includes->full;
}
